"""The lesson of pages/sampling.py: sampling strategies."""
