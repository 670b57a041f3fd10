"""Figures of constrained decoding."""
