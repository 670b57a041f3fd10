"""Figures of masked diffusion and infilling."""
