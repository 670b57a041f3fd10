"""Masked diffusion: a model that fills positions instead of appending tokens."""
