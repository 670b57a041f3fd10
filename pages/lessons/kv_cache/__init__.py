"""The lesson of pages/kv_cache.py: what is kept, and what it saves."""
