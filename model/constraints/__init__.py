"""Constrained decoding: a list of choices, a pattern or a JSON schema as a mask."""
