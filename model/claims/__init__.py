"""The smallest experiment for each thing that is said of generation: one function per claim.

Each takes an `ExperimentContext` and returns a `Finding`: it really runs the model, and its verdict
follows from what was measured. A function's name begins with its claim's id. Knows no page.
"""
