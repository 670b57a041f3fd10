"""The lesson of pages/beam_search.py: beam search."""
