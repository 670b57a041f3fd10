"""Many requests on one model: a scheduler, and the account of its cache in blocks."""
