"""The lesson of pages/sampling.py: one distribution, many masks."""
