"""Figures of prefill and decode."""
