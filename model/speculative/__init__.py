"""Speculative decoding: a draft proposes, the target verifies in one pass."""
