"""Figures of the guessing game."""
