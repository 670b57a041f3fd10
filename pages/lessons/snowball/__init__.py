"""The lesson of pages/snowball.py: one wrong token, two futures."""
