"""Figures of error propagation."""
