"""Quick passes beside the readable ones: each is tested equal to its slow twin."""
