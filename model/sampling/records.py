"""What is found of texts that were sampled."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AimedText:
    """A text under mirostat, and what it saw of it."""

    target: float  # bits; 0 where no mask was at work
    surprises: tuple[float, ...]  # bits, of each token among those that it was drawn from
    limits: tuple[float, ...]  # bits: mu before each draw; 0 without a mask
    text: str  # after the prompt
