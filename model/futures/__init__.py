"""All continuations of a prompt, as a tree of exact probabilities."""
