"""The report on the claims."""
