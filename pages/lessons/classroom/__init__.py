"""A class in a room: the teacher's desk, the projector, and what each phone shows."""
