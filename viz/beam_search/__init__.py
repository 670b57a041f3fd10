"""Figures of beam search."""
