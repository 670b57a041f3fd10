"""Figures of the key-value cache."""
