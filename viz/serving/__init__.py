"""Figures of many requests on one model."""
