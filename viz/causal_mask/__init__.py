"""Figures of the causal mask."""
