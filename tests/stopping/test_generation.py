"""A text that a stop string ends: taken back, forked, and gone on with once it is taken away."""

import numpy as np
import pytest

from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.stopping import NO_STOP, StopStrings
from model.stopping.experiments import stream_of

PROMPT, GREEDY = "Once upon a time, there was a little girl", Settings(temperature=0)
N_TOKENS = 6


def written(lm: LanguageModel, n_tokens: int = N_TOKENS) -> Generation:
    g = Generation(lm, PROMPT)
    for _ in range(n_tokens):
        g.step(GREEDY)
    return g


def inner_string(g: Generation) -> str:
    """From the middle of the token before the last to the middle of the last."""
    text = stream_of(g).sent
    return text[-len(g.steps[-1].text) - 1 : -1]


def stopped(lm: LanguageModel, stop: StopStrings) -> Generation:
    g = Generation(lm, PROMPT, stop=stop)
    while g.finished is None:
        g.step(GREEDY)
    return g


@pytest.mark.parametrize("keep", [False, True])
def test_a_text_ends_with_the_token_that_completes_the_string(
    storyteller: LanguageModel, keep: bool
) -> None:
    free = written(storyteller)
    string, text = inner_string(free), stream_of(free).sent
    g = stopped(storyteller, StopStrings((string,), keep=keep))
    assert (g.finished, g.stopped_by, g.ids) == ("stop", string, free.ids)
    assert stream_of(g).sent == (text[:-1] if keep else text[: -len(string) - 1])
    assert g.cache_tokens == len(g.ids) - 1  # no pass runs after the end
    with pytest.raises(ValueError, match="stop string"):
        g.step(GREEDY)


def test_going_back_clears_the_end_and_a_fork_keeps_it(storyteller: LanguageModel) -> None:
    g = stopped(storyteller, StopStrings((inner_string(written(storyteller)),)))
    twin, ids = g.fork(seed=1), list(g.ids)
    g.rewind(2)
    assert (g.finished, g.stopped_by, twin.finished) == (None, None, "stop")
    g.step(GREEDY)
    assert g.finished is None
    g.step(GREEDY)
    assert (g.finished, g.ids) == ("stop", ids)


def test_a_text_goes_on_once_the_string_is_taken_away(storyteller: LanguageModel) -> None:
    g = stopped(storyteller, StopStrings((inner_string(written(storyteller)),)))
    g.stop = NO_STOP
    g.turn_to(g.ids, g.n_prompt)
    assert g.finished is None
    np.testing.assert_allclose(g.logits, written(storyteller).logits, atol=1e-4)
    g.step(GREEDY)
    assert g.ids == written(storyteller, N_TOKENS + 1).ids


def test_the_prompt_is_not_tested_and_an_end_token_comes_first(storyteller: LanguageModel) -> None:
    g = Generation(storyteller, PROMPT, stop="girl")
    assert g.finished is None
    (eos,) = storyteller.end_ids
    g.step(token_id=eos)
    assert (g.finished, g.stopped_by, stream_of(g).rest) == ("eos", None, b"")


def test_a_stop_string_ends_a_text_before_its_limit_does(storyteller: LanguageModel) -> None:
    string = inner_string(written(storyteller))
    g = Generation(storyteller, PROMPT, max_new_tokens=N_TOKENS, stop=[string])
    for _ in range(N_TOKENS):
        g.step(GREEDY)
    assert g.finished == "stop"


def test_what_is_held_is_sent_once_the_limit_ends_the_text(storyteller: LanguageModel) -> None:
    free = written(storyteller)
    string = stream_of(free).sent[-2:] + "\n\n"
    g = Generation(storyteller, PROMPT, max_new_tokens=N_TOKENS + 1, stop=string)
    for _ in range(N_TOKENS):
        g.step(GREEDY)
    assert stream_of(g).rest == string[:2].encode()
    g.step(GREEDY)
    assert (g.finished, stream_of(g).rest) == ("length", b"")
