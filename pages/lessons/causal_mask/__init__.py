"""The lesson of pages/causal_mask.py: no position sees a later one."""
