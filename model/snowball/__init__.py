"""Error propagation: forced tokens, exposure bias, long texts, contexts."""
