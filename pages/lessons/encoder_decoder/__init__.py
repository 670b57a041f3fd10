"""The lesson of pages/encoder_decoder.py: the encoder-decoder."""
