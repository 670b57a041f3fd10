"""A server that sends the best log-probabilities only, as of a large vocabulary, deceives nobody.

What a step, a score or a figure needs of the rest is asked for; the same tests as against vLLM.
"""

from dataclasses import replace

import numpy as np
import pytest

from model.batch import Batch, read_whole
from model.classroom.records import Answer
from model.generation import Generation
from model.guess.game import GuessingGame
from model.job import finish
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.sampling import ORDERS, Settings, process
from model.server.backend import server_of
from model.server.opening import open_server
from model.snowball.exposure import measure_exposure
from model.snowball.fork import fork_text
from model.snowball.long_generation import TextKind, generate_long
from pages.lessons.classroom.state import open_class
from tests.server.fake_vllm import FakeVllm
from tests.server.real_vllm import RealVllm

EQUAL = 1e-3  # nats
PROMPT = "The cat sat on the"
RARE = "The cat sat on the quartz zigzag of a jury"  # hardly a token of it is among the best
FEW = 50  # log-probabilities at once
Both = tuple[LanguageModel, LanguageModel]


@pytest.fixture
def both(vllm: FakeVllm | RealVllm, storyteller: LanguageModel) -> Both:
    """The model over the server as it is to a large vocabulary, and on weights."""
    few = open_server(vllm.url)
    server_of(few).max_best = FEW
    return few, storyteller


def test_what_is_not_sent_is_exact_at_1_and_bounded_elsewhere(both: Both) -> None:
    there, here = (Generation(lm, PROMPT) for lm in both)
    best = process(here.logits, here.ids, Settings())[0].order[:FEW]
    assert sorted(there.distribution.ids) == sorted(best)
    assert there.distribution.n_tail == there.lm.vocab_size - FEW

    def rest(text: Generation, temperature: float) -> float:
        probs = process(text.logits, text.ids, Settings(temperature=temperature))[-1].probs
        return float(1 - probs[best].sum())

    assert rest(there, 1.0) == pytest.approx(rest(here, 1.0), abs=1e-6)
    assert rest(there, 2.0) > rest(here, 2.0)
    assert rest(there, 0.5) < rest(here, 0.5)


@pytest.mark.parametrize(
    "penalised",
    [
        Settings(temperature=0, repetition_penalty=1.3),
        Settings(temperature=0, dry=0.8, order=ORDERS["llama.cpp"]),
    ],
)
def test_forced_and_penalised_tokens_are_asked_for(penalised: Settings, both: Both) -> None:
    few, storyteller = both
    order = process(Generation(storyteller, PROMPT).logits, [], Settings())[0].order
    texts = [Generation(lm, PROMPT) for lm in both]
    there, here = (text.step(token_id=int(order[3000])) for text in texts)
    assert there.logprob == pytest.approx(here.logprob, abs=EQUAL)
    assert FEW <= there.rank <= here.rank
    for text in texts:
        text.step(penalised)
    ids = texts[1].ids
    assert texts[0].ids[:-1] == ids[:-1]
    expected = log_softmax(Generation(storyteller, ids).logits)
    wider = replace(penalised, temperature=1, top_k=2 * FEW)  # more are asked for; these stay known
    for settings in (penalised, wider):
        told = Generation(few, ids).logits_for(settings)
        assert np.abs(told - expected)[sorted(set(ids))].max() < EQUAL


def test_a_pointer_that_falls_on_what_is_not_sent_asks_for_all(both: Both) -> None:
    there, here = (Generation(lm, PROMPT, seed=1) for lm in both)
    n_unsent = there.distribution.n_tail
    for _ in range(6):
        first, second = (text.step(Settings(temperature=3.0)) for text in (there, here))
        if first.distribution.n_tail < n_unsent:
            break
    assert first.distribution.n_tail < n_unsent, "no pointer fell there: choose another seed"
    assert first.token_id == second.token_id


def test_a_mask_that_reaches_into_it_asks_for_all(both: Both) -> None:
    there, here = (Generation(lm, PROMPT) for lm in both)
    first, second = (text.step(Settings(top_k=2 * FEW)) for text in (there, here))
    assert (first.token_id, first.n_kept) == (second.token_id, second.n_kept)
    assert first.chosen_prob == pytest.approx(second.chosen_prob, rel=EQUAL)
    within = there.step(Settings(top_k=FEW // 2))
    assert within.distribution.n_tail == there.lm.vocab_size - FEW


@pytest.mark.parametrize(
    "settings",
    [
        Settings(temperature=0.6),
        Settings(temperature=1.6, top_p=0.6),
        Settings(temperature=2, min_p=0.1),
        Settings(typical_p=0.5),
        Settings(eta=0.01, top_p=0.9),
        Settings(top_n_sigma=1.5),
        Settings(mirostat=2, order=ORDERS["llama.cpp"]),
    ],
)
def test_the_token_drawn_is_the_one_that_all_of_the_vocabulary_gives(
    settings: Settings, both: Both
) -> None:
    there, here = (Generation(lm, PROMPT) for lm in both)
    seeds = range(6)
    drawn = [[text.fork(seed).step(settings).token_id for seed in seeds] for text in (there, here)]
    assert drawn[0] == drawn[1]
    for lm in both:
        batch = Batch(lm, [here.ids] * len(seeds))
        assert batch.draw([settings] * len(seeds), seeds, here.n_prompt) == drawn[1]
    assert np.abs(log_softmax(there.all_logits()) - log_softmax(here.logits)).max() < EQUAL


def test_every_token_that_came_is_asked_for(both: Both) -> None:
    ids = Generation(both[1], RARE).ids
    there, here = (read_whole(lm, ids, len(ids) - 2)[:-1] for lm in both)
    came = np.arange(len(ids) - 3), ids[3:]
    assert np.sort(here)[:, -FEW].max() > here[came].min(), "the text holds no rare token"
    assert there[came] == pytest.approx(here[came], abs=EQUAL)
    assert np.exp(there).sum(axis=-1) == pytest.approx(1)


def test_a_game_scores_the_model_by_what_it_gave(both: Both) -> None:
    games = [GuessingGame(lm, RARE, n_revealed=5) for lm in both]
    while not games[1].is_over:
        there, here = (game.play({"A": "quartz 50, mat 20"}) for game in games)
        assert there.model_log_prob == pytest.approx(here.model_log_prob, abs=EQUAL)
        assert [row.token_id for row in there.rows] == [row.token_id for row in here.rows]


def given_in_a_room(lm: LanguageModel) -> tuple[list[tuple[float, ...]], str]:
    """What everyone gave each token that was shown, and what was said of that which came."""
    desk = open_class(lm)
    desk.begin(PROMPT, RARE.removeprefix(PROMPT))
    desk.ask_next(may_write=True)
    assert desk.text.true_id in desk.offered
    desk.room.answer(desk.room.join("A"), desk.room.question.number, Answer(None, "zigzag", 0.5))
    desk.close()
    desk.reveal()
    shown = [bar.values for bar in desk.room.outcome.bars]
    desk.append("true")
    said = desk.room.revealed
    desk.end()
    return shown, said


def test_a_room_says_of_the_model_what_it_gave(both: Both) -> None:
    (there, said), (here, true_said) = map(given_in_a_room, both)
    assert there == [pytest.approx(true, rel=EQUAL) for true in here]
    assert said == true_said


def test_a_fork_is_compared_by_no_more_than_it_is_worth(both: Both) -> None:
    texts = [Generation(lm, PROMPT, seed=2) for lm in both]
    forks = [finish(fork_text(text, 3000, Settings(temperature=0.9), 8)) for text in texts]
    assert forks[0][0].kl == pytest.approx(0, abs=EQUAL)
    for there, here in zip(*forks, strict=True):
        for name in ("original", "forced"):
            first, second = getattr(there, name), getattr(here, name)
            assert first.token_id == second.token_id
            assert first.logprob == pytest.approx(second.logprob, abs=EQUAL)
        assert 0.8 * here.kl - EQUAL < there.kl < here.kl + EQUAL


def test_long_texts_and_teacher_forcing(both: Both) -> None:
    ids = Generation(both[1], RARE).ids
    kinds = [
        TextKind("greedy", Settings(temperature=0), 1),
        TextKind("hot", Settings(temperature=1.5), 2),
    ]
    there, here = (finish(generate_long(lm, ids[:6], kinds, 12, [ids], "books")) for lm in both)
    assert there.endings == here.endings
    assert there.surprise == pytest.approx(here.surprise, abs=EQUAL, nan_ok=True)
    there, here = (finish(measure_exposure(lm, lm, [ids], n_prompt=4, n_tokens=6)) for lm in both)
    for name in ("true_text", "writer_loss", "writer_loss_free"):
        assert getattr(there, name) == pytest.approx(getattr(here, name), abs=EQUAL, nan_ok=True)
    assert np.nanmin(there.forced - here.forced) > -EQUAL  # what is not sent is shared evenly
