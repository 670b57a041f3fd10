"""The lesson of pages/diffusion.py: all positions at once."""
