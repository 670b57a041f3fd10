"""A class in a room: the teacher's page on the projector, and what each phone shows."""
