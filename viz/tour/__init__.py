"""Pictures of the guided lessons."""
