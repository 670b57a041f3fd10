"""The lesson of pages/guess.py: the class against the model."""
