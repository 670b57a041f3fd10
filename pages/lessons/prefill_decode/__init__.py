"""The lesson of pages/prefill_decode.py: prefill and decode."""
