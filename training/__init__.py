"""How the shipped family was made: corpus, tokenizer, the loop, the card."""
