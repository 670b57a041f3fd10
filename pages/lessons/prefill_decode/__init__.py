"""The lesson of pages/prefill_decode.py: two phases, measured."""
