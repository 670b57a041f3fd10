"""The lesson of pages/claims.py: claims about generation, tested."""
