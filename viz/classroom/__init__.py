"""Figures of a room: the class beside the model, and what the class drew."""
