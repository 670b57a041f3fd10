"""The lesson of pages/snowball.py, error propagation, and its laboratory."""
