"""The lesson of pages/beam_search.py: several texts at once."""
