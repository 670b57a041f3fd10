"""What computes: the only package that knows torch and transformers."""
