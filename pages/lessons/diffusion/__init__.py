"""The lesson of pages/diffusion.py: masked diffusion."""
