"""The smallest experiment for each thing that is said of generation: one function per claim.

Each takes a `Bench` and returns a `Finding`: it really runs the model, and its verdict follows from
what was measured. Knows no page; nothing here is timed but where a claim is about time.
"""
