"""The catalogues: one file per language, and what writes them anew from the source."""
