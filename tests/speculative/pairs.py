"""A tiny target with its draft, as the tests of speculative decoding take them."""

from collections.abc import Sequence

from model.loading import LanguageModel
from model.sampling import Settings
from model.speculative.decoding import (
    GREEDY,
    Speculation,
)
from model.speculative.drafting import (
    ModelDraft,
    PromptLookup,
    new_batch,
)
from tests.tiny_models import tiny

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.8, top_p=0.9)
WIDTH = 290  # of the tiny models' vocabulary
N_TOKENS = 18  # that no number of whole rounds gives


def draft() -> ModelDraft:
    """A draft that seldom agrees with the target."""
    return ModelDraft(tiny("llama", seed=1), WIDTH)


def speculation(
    target: LanguageModel,
    drafter: ModelDraft | PromptLookup,
    settings: Settings = GREEDY,
    prompt: Sequence[int] = PROMPT,
) -> Speculation:
    return Speculation(new_batch(target), drafter, prompt, settings, max_new_tokens=N_TOKENS)
