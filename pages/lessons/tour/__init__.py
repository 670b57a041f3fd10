"""The lesson of pages/tour.py: guided lessons, whose scenes lead through the other pages."""
