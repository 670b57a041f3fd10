"""Guess the next token: people and the model, scored in bits."""
