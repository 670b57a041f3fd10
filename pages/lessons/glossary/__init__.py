"""What pages/glossary.py shows: the field's words."""
