"""The lesson of pages/prefill_decode.py and its laboratory, pages/roofline.py."""
