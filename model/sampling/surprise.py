"""Texts under mirostat and without a mask: the surprise of each token, and the limit on it."""

import math
from collections.abc import Sequence

from model.generation import Generation
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.sampling import ORDERS, Settings
from model.sampling.records import AimedText
from model.tokenizing import text_of

TARGETS = (0.0, 1.0, 5.0)  # bits; 0 is no mask, 5 llama.cpp's own default
N_TOKENS = 150


def write_aimed(
    lm: LanguageModel, prompt: str, targets: Sequence[float] = TARGETS, n_tokens: int = N_TOKENS
) -> Work[tuple[AimedText, ...]]:
    """Continues one prompt under each target by the same pointers, a token of each in turn.

    Raises:
        ValueError: where the prompt cannot be used; one sentence with the remedy.
    """
    start = Generation(lm, prompt)
    texts = {target: start.fork() for target in targets}

    def so_far() -> tuple[AimedText, ...]:
        return tuple(_aimed(target, text) for target, text in texts.items())

    for n_done in range(n_tokens):
        for target, text in texts.items():
            if not text.finished:
                yield Progress(n_done, n_tokens, look=so_far)
                text.step(Settings(mirostat=target, order=ORDERS["llama.cpp"]))
    return so_far()


def _aimed(target: float, text: Generation) -> AimedText:
    before = text_of(text.lm.tokenizer, text.prompt_ids)
    return AimedText(
        target,
        surprises=tuple(-math.log2(step.chosen_prob) for step in text.steps),
        limits=tuple(step.memory.mu for step in text.steps),
        text=text.text[len(before) :],
    )
