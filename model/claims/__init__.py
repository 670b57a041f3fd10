"""The smallest experiment for each thing that is said of generation: one function per claim.

Its name begins with the claim's id; it really runs the model, and the verdict follows from that.
"""
