"""The lesson of pages/causal_mask.py: the causal mask."""
