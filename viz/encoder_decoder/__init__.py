"""Figures of the encoder-decoder."""
