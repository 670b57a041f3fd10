"""Figures of the home page, and a run as a file."""
