"""What is timed, against what: each benchmark prints its figures beside a baseline of its run."""
