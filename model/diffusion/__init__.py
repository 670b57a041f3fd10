"""Masked diffusion and infilling: models that fill positions instead of appending tokens."""
