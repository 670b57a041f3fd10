"""The lesson of pages/speculative.py: speculative decoding."""
