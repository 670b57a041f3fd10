"""The lesson of pages/sampling.py and its laboratory, pages/engines.py: sampling strategies."""
