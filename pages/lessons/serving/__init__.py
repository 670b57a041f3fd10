"""The lesson of pages/serving.py: many requests, one model."""
