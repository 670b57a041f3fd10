"""The lesson of pages/kv_cache.py: the KV cache."""
