"""The page's masks and draws against Python's: what moves under the hand is what Python would do.

The modules run in a real Chromium. Logits go in and probabilities come out as the bytes of their
floats, so that nothing is rounded on the way.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from model.draw import draw, rank_order, summarise, uniform_at
from model.engine.sent import Sent, spread
from model.masks import PENALTIES, log_softmax
from model.records import Distribution, FloatArray, Stage
from model.sampling import ORDERS, Settings, process
from model.settings import STAGE_NAMES

pytestmark = pytest.mark.browser

LARGEST = float(np.finfo(np.float32).max)
LOAD = """async () => {
const masks = await import("/pages/frame/live/masks.js");
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const textOf = (array) => {
  let text = "";
  for (const byte of new Uint8Array(array.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};

globalThis.runCase = ({ nVocab, held, text, nPrompt, settings, coins, toss }) => {
  const isExact = held.ids === null;
  const distribution = masks.createDistribution({
    nVocab,
    ids: isExact ? null : new Int32Array(bytesOf(held.ids)),
    logits: new Float32Array(bytesOf(held.logits)),
    tailCounts: isExact ? null : new Int32Array(bytesOf(held.tailCounts)),
    tailLogits: isExact ? null : new Float32Array(bytesOf(held.tailLogits)),
    tailVariances: isExact ? null : new Float32Array(bytesOf(held.tailVariances)),
    nUnsent: held.nUnsent,
  });
  const result = masks.processLogits(distribution, text, nPrompt, settings, toss);
  const rows = Array.from(result.order);
  return {
    ids: rows.map(result.idOf),
    backAgain: rows.every((row) => result.rowOf(result.idOf(row)) === row),
    stages: result.stages.map(({ scores, probs, kept, tail, ...stage }) => ({
      bound: tail.bound,
      ...stage,
      scores: textOf(Float64Array.from(rows, (row) => scores[row])),
      probs: textOf(Float64Array.from(rows, (row) => probs[row])),
      kept: rows.filter((row) => kept[row]).map(result.idOf),
    })),
    drawn: coins.map((coin) => masks.drawToken(result, coin)),
  };
};
}"""


@pytest.fixture
def masks_page(scripts: Page) -> Page:
    """A page in which `runCase` runs the masks."""
    scripts.evaluate(LOAD)
    return scripts


@dataclasses.dataclass(frozen=True)
class Case:
    """One distribution, one text, one choice of settings, and coins to throw."""

    logits: FloatArray
    ids: list[int]
    n_prompt: int
    settings: Settings
    coins: Sequence[float]
    toss: float = 0.0  # the coin that XTC tosses with

    def python(self) -> tuple[Stage, ...]:
        """What Python makes of it."""
        return process(self.logits, self.ids, self.settings, self.n_prompt, self.toss)

    def for_page(self, held: Distribution | None = None) -> dict[str, Any]:
        """What the page is given: all logits, or only what a large vocabulary's summary holds."""
        held = held or Distribution(
            len(self.logits), None, self.logits, np.zeros(0, np.int32), np.zeros(0)
        )
        return {
            "nVocab": held.n_vocab,
            "held": {
                "ids": None if held.ids is None else as_text(held.ids, "<i4"),
                "logits": as_text(held.logits, "<f4"),
                "tailCounts": as_text(held.tail_counts, "<i4"),
                "tailLogits": as_text(held.tail_logits, "<f4"),
                "tailVariances": as_text(held.tail_variances, "<f4"),
                "nUnsent": held.n_unsent,
            },
            "text": self.ids,
            "nPrompt": self.n_prompt,
            "settings": dataclasses.asdict(self.settings),
            "coins": list(self.coins),
            "toss": self.toss,
        }


def as_text(array: Any, dtype: str) -> str:
    """The bytes of an array, as JSON can hold them."""
    return base64.b64encode(np.asarray(array).astype(dtype).tobytes()).decode()


def floats(text: str) -> FloatArray:
    """The array that the page turned into text."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


def random_logits(rng: np.random.Generator, n_vocab: int) -> FloatArray:
    """A row of one of several kinds: smooth, tied, flat, ruled out in part, huge, both zeros."""
    row = rng.normal(0, 3, n_vocab)
    kind = rng.integers(7)
    if kind == 1:
        row = np.round(row)
    elif kind == 2:
        row = np.full(n_vocab, float(rng.integers(-2, 3)))
    elif kind == 3:
        row[rng.random(n_vocab) < 0.4] = -np.inf
    elif kind == 4:
        row = row * 1e4
    elif kind == 5:
        row = rng.choice([LARGEST, -LARGEST, 0, 1e-40], n_vocab)
    elif kind == 6:
        row = rng.choice([0.0, -0.0, 1.0, -np.inf], n_vocab)
    row[rng.integers(n_vocab)] = 1
    return row.astype(np.float32)


def random_settings(rng: np.random.Generator) -> Settings:
    """Each setting active in a third of the cases, under a preset or any other order."""
    values: dict[str, Any] = {
        "temperature": rng.choice([0, 1e-6, 0.5, rng.uniform(0.1, 3), 1e6]),
        "top_k": int(rng.integers(1, 60)),
        "top_p": rng.choice([0.5, 0.9, rng.uniform(0.01, 1)]),
        "min_p": rng.choice([1, 0.1, rng.uniform(0, 1)]),
        "typical_p": rng.uniform(0.01, 1),
        "epsilon": 10 ** rng.uniform(-6, -0.1),
        "eta": 10 ** rng.uniform(-6, -0.1),
        "top_n_sigma": rng.choice([1, rng.uniform(0.1, 3)]),
        "repetition_penalty": rng.choice([2, rng.uniform(0.5, 2)]),
        "presence_penalty": rng.choice([1, rng.uniform(-2, 2)]),
        "frequency_penalty": rng.choice([1, rng.uniform(-2, 2)]),
        "dry": rng.choice([0.8, rng.uniform(0, 5)]),
        "xtc": rng.choice([1, rng.uniform(0, 1)]),
    }
    orders = [*ORDERS.values(), tuple(rng.permutation(np.array(STAGE_NAMES)).tolist())]
    chosen = {name: value for name, value in values.items() if rng.random() < 1 / 3}
    return Settings(order=orders[rng.integers(len(orders))], **chosen)


def random_case(seed: int, n_vocab: int, n_coins: int) -> Case:
    """A case that the seed decides, with coins at both ends of the bar among the others."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, min(n_vocab, rng.choice([3, 97])), 24).tolist()
    coins = [0.0, 1 - 2**-53, 0.5, *(uniform_at(seed, i) for i in range(n_coins - 3))]
    logits = random_logits(rng, n_vocab)
    return Case(logits, ids, int(rng.integers(0, 25)), random_settings(rng), coins, rng.random())


def assert_same_stages(theirs: dict[str, Any], ours: tuple[Stage, ...]) -> None:
    """The same stages with the same tokens kept, and the same numbers to 1e-6 and far below."""
    assert theirs["backAgain"]
    order = theirs["ids"]
    assert sorted(order) == list(range(len(ours[0].scores)))
    n_kept = int(ours[-1].kept.sum())
    assert order[:n_kept] == rank_order(ours[-1].scores)[:n_kept].tolist()
    assert [stage["name"] for stage in theirs["stages"]] == [stage.name for stage in ours]
    for page, stage in zip(theirs["stages"], ours, strict=True):
        assert sorted(page["kept"]) == np.flatnonzero(stage.kept).tolist()
        assert page["nKept"] == stage.kept.sum()
        assert page["boundaryId"] == stage.boundary_id
        assert not page["reachesTail"]
        np.testing.assert_allclose(floats(page["probs"]), stage.probs[order], 1e-6, 1e-12)
        assert np.array_equal(floats(page["scores"]), stage.scores[order])
        assert page["entropy"] == pytest.approx(stage.entropy, abs=1e-9)
        assert page["removedMass"] == pytest.approx(stage.removed_mass, abs=1e-9)


def test_the_page_keeps_and_draws_what_python_does(masks_page: Page) -> None:
    """Over 10,000 draws from 600 distributions, with ties and extremes, in every order."""
    cases = [random_case(seed, n_vocab=1 + seed % 97, n_coins=18) for seed in range(600)]
    answers = masks_page.evaluate("(cases) => cases.map(runCase)", [c.for_page() for c in cases])
    n_draws = 0
    for case, theirs in zip(cases, answers, strict=True):
        ours = case.python()
        assert_same_stages(theirs, ours)
        drawn = [token["id"] for token in theirs["drawn"]]
        assert drawn == [draw(ours[-1], coin) for coin in case.coins]
        n_draws += len(drawn)
    assert n_draws > 10_000


def test_a_whole_vocabulary_of_the_shipped_size(masks_page: Page) -> None:
    for seed in range(8):
        case = random_case(seed, n_vocab=4096, n_coins=50)
        theirs = masks_page.evaluate("runCase", case.for_page())
        ours = case.python()
        assert_same_stages(theirs, ours)
        drawn = [token["id"] for token in theirs["drawn"]]
        assert drawn == [draw(ours[-1], coin) for coin in case.coins]


def test_the_drawn_piece_of_the_bar_holds_the_coin(masks_page: Page) -> None:
    logits = np.array([2, 0, 1, 1], dtype=np.float32)
    case = Case(logits, [], 0, Settings(), [0.0, 0.3, 0.7, 0.8, 0.99])
    theirs = masks_page.evaluate("runCase", case.for_page())
    assert theirs["ids"] == [0, 2, 3, 1]
    for coin, token in zip(case.coins, theirs["drawn"], strict=True):
        assert token["from"] <= coin < token["to"]


def test_the_worked_example(masks_page: Page) -> None:
    """Of logits 3, 2, 1 with p = 0.8 and T = 0.5: temperature first keeps {0}, last {0, 1}."""
    kept = {}
    for order in ("transformers", "llama.cpp"):
        settings = Settings(temperature=0.5, top_p=0.8, order=ORDERS[order])
        case = Case(np.array([3, 2, 1], dtype=np.float32), [], 0, settings, [])
        kept[order] = masks_page.evaluate("runCase", case.for_page())["stages"][-1]["kept"]
    assert kept == {"transformers": [0], "llama.cpp": [0, 1]}


@pytest.fixture(scope="module")
def large() -> tuple[FloatArray, Distribution]:
    """A vocabulary of which the page holds a fiftieth, and most of the probability."""
    rng = np.random.default_rng(9)
    logits = rng.normal(0, 2, 100_000)
    logits[rng.choice(100_000, 200, replace=False)] += np.linspace(3, 14, 200)
    logits = logits.astype(np.float32)
    return logits, summarise(logits, limit=2000)


def in_page(
    page: Page, large: tuple[FloatArray, Distribution], coins: Sequence[float], **values: Any
) -> tuple[Case, dict[str, Any]]:
    """Runs settings on the vocabulary of which the page holds but a part."""
    logits, held = large
    settings = Settings(**{"order": STAGE_NAMES, **values})
    text = rank_order(logits)[[0, 5, 5, 90_000]].tolist()  # the last one is in the tail
    case = Case(logits, text, 0, settings, coins)
    return case, page.evaluate("runCase", case.for_page(held))


@pytest.mark.parametrize(
    "values",
    [
        {"top_k": 50},
        {"top_k": 2000},
        {"top_p": 0.5},
        {"min_p": 0.01},
        {"epsilon": 1e-3},
        {"eta": 1e-3},
        {"typical_p": 0.05},
        {"top_n_sigma": 0.3},
        {"temperature": 0},
        {"temperature": 0.7, "top_k": 40, "top_p": 0.9},
        {"repetition_penalty": 1.3, "top_k": 40},
        {"presence_penalty": 1, "frequency_penalty": 0.5, "top_k": 40},
    ],
)
def test_a_cut_within_what_the_page_holds_is_exact(
    masks_page: Page, large: tuple[FloatArray, Distribution], values: dict[str, Any]
) -> None:
    coins = [uniform_at(1, position) for position in range(200)]
    case, theirs = in_page(masks_page, large, coins, **values)
    final, ours = theirs["stages"][-1], case.python()[-1]
    assert not any(stage["reachesTail"] for stage in theirs["stages"])
    assert sorted(final["kept"]) == np.flatnonzero(ours.kept).tolist()
    assert final["keptTail"] == 0
    np.testing.assert_allclose(floats(final["probs"]), ours.probs[theirs["ids"]], 1e-6, 1e-12)
    assert [t["id"] for t in theirs["drawn"]] == [draw(ours, coin) for coin in case.coins]


@pytest.mark.parametrize(
    "values",
    [
        {"top_k": 2001},
        {"top_k": 50_000},
        {"top_p": 0.999},
        {"min_p": 1e-6},
        {"epsilon": 1e-9},
        {"typical_p": 0.9999},
        {"top_n_sigma": 4},
        {"repetition_penalty": 0.5},  # raises a token that the page does not hold
        {"presence_penalty": -1},
        {"frequency_penalty": -1},
    ],
)
def test_a_cut_in_the_tail_is_said_and_left_to_python(
    masks_page: Page, large: tuple[FloatArray, Distribution], values: dict[str, Any]
) -> None:
    _, theirs = in_page(masks_page, large, [0.0, 0.5, 0.99], **values)
    assert theirs["stages"][-1]["reachesTail"]
    assert theirs["drawn"] == [None, None, None]


@pytest.mark.parametrize("temperature", [0.3, 0.7, 1, 1.5, 3, 10])
def test_with_a_tail_in_play_the_page_draws_as_python_does_or_waits(
    masks_page: Page, large: tuple[FloatArray, Distribution], temperature: float
) -> None:
    coins = [uniform_at(2, position) for position in range(500)]
    case, theirs = in_page(masks_page, large, coins, temperature=temperature)
    final, ours = theirs["stages"][-1], case.python()[-1]
    assert final["nKept"] == 100_000
    assert final["keptTail"] == 98_000
    np.testing.assert_allclose(floats(final["probs"]), ours.probs[theirs["ids"]], 0, 1e-6)
    assert final["entropy"] == pytest.approx(ours.entropy, abs=1e-6)
    told = [(t["id"], draw(ours, c)) for t, c in zip(theirs["drawn"], coins, strict=True) if t]
    assert all(page == python for page, python in told)
    n_waiting = len(coins) - len(told)
    tail_mass = 1 - ours.probs[theirs["ids"]].sum()
    assert n_waiting >= 0.5 * tail_mass * len(coins) - 5
    if temperature <= 0.7:
        assert len(told) > 400


@pytest.fixture(scope="module")
def half_sent(large: tuple[FloatArray, Distribution]) -> tuple[FloatArray, Distribution]:
    """The same, of which a server sent the best 2,000 log-probabilities."""
    logprobs = log_softmax(large[0]).astype(np.float32)
    sent = rank_order(logprobs)[:2000]
    evenly = spread(Sent(sent, logprobs[sent], float(logprobs[sent[-1]])), len(logprobs))
    return logprobs, dataclasses.replace(summarise(evenly, limit=2000), n_unsent=98_000)


@pytest.mark.parametrize(
    ("values", "bound", "n_told"),
    [
        ({}, 0, 450),
        ({"top_p": 0.5}, 0, 500),
        ({"temperature": 0.8}, -1, 450),
        ({"temperature": 1.2}, 1, 100),
        ({"temperature": 1.5, "top_p": 0.5}, 0, 0),
        ({"temperature": 2, "min_p": 0.2}, 0, 500),
        ({"typical_p": 0.3}, 0, 500),
        ({"top_n_sigma": 1}, 0, 0),
        ({"min_p": 1e-6}, 0, 0),
    ],
)
def test_what_a_server_left_out_is_a_bound_and_the_page_is_sure_or_waits(
    masks_page: Page,
    half_sent: tuple[FloatArray, Distribution],
    values: dict[str, Any],
    bound: int,
    n_told: int,
) -> None:
    coins = [uniform_at(2, position) for position in range(500)]
    case, theirs = in_page(masks_page, half_sent, coins, **values)
    ours, stage = case.python()[-1], theirs["stages"][-1]
    told = [(t["id"], draw(ours, c)) for t, c in zip(theirs["drawn"], coins, strict=True) if t]
    assert all(page == python for page, python in told)
    assert len(told) >= n_told
    assert stage["reachesTail"] == (n_told == 0)
    if n_told:
        assert stage["bound"] == bound
        rest = 1 - floats(stage["probs"]).sum()
        truth = 1 - ours.probs[theirs["ids"]].sum()
        assert np.sign(np.round(rest - truth, 6)) == bound


def test_a_large_vocabulary_agrees_to_a_millionth_wherever_the_page_is_sure(
    masks_page: Page,
) -> None:
    """Of 70,000 tokens the page holds 4,096, and the rest as a histogram."""
    n_sure = 0
    for seed in range(60):
        case = random_case(seed, n_vocab=70_000, n_coins=20)
        temperature = min(2, case.settings.temperature)  # as far as the slider goes
        settings = dataclasses.replace(case.settings, temperature=temperature)
        case = dataclasses.replace(case, settings=settings)
        theirs = masks_page.evaluate("runCase", case.for_page(summarise(case.logits)))
        ours = case.python()
        for page, stage in zip(theirs["stages"], ours, strict=True):
            if page["reachesTail"]:
                break
            n_sure += page["name"] != "raw"
            probs = stage.probs[theirs["ids"]]
            # a penalised token that the page does not hold is still counted in full there
            bound = 1e-5 if PENALTIES.keys() & set(case.settings.stage_names) else 1e-6
            np.testing.assert_allclose(
                floats(page["probs"]), probs, 0, bound, True, str(case.settings)
            )
            assert page["nKept"] == stage.kept.sum()
            assert page["entropy"] == pytest.approx(stage.entropy, abs=1e-3)  # for the eye
        else:
            told = zip(theirs["drawn"], case.coins, strict=True)
            assert all(t["id"] == draw(ours[-1], coin) for t, coin in told if t)
    assert n_sure > 60
