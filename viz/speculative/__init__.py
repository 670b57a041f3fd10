"""Figures of speculative decoding."""
