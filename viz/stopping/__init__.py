"""The figures on stopping and streaming."""
