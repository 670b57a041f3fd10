"""Figures of the sampling lab."""
