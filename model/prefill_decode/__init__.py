"""Prefill and decode, measured: experiments, batches, the roofline, cost."""
