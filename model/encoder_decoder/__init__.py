"""Infilling by an encoder-decoder: the input is read once, the answer is written by the loop."""
