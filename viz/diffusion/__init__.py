"""Figures of masked diffusion."""
