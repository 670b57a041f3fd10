"""The lessons: one folder for each topic, named after its page."""
