"""The home page: the loop, one token at a time."""
