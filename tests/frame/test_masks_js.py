"""The page's masks and draws against Python's: what moves under the hand is what Python would do.

The modules run in a real Chromium, on payloads as the app packs them. What comes out are the bytes
of its floats, so that nothing is rounded on the way.
"""

import dataclasses
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from model.draw import draw_many, rank_order, summarise, uniform_at
from model.masks import PENALTIES, log_softmax
from model.records import NO_MEMORY, Distribution, FloatArray, Memory, Stage
from model.sampling import ORDERS, Settings, process
from model.server.logits import ServerLogits, with_uniform_rest
from model.settings import SETTINGS, STAGE_NAMES
from pages.frame.component import encode_payload
from pages.home.payload import name_arrays
from tests.nightly import nightly

pytestmark = pytest.mark.browser

LARGEST = float(np.finfo(np.float32).max)
LOAD = """async () => {
const { drawToken, processLogits } = await import("/pages/frame/live/masks.js");
const { decodePayload, readDistribution } = await import("/pages/frame/live/payload.js");
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const textOf = (array) => {
  let text = "";
  for (const byte of new Uint8Array(array.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};

const { endUnderPenalty } = await import("/pages/frame/live/strategies.js");
globalThis.endOf = (payload, endIds) => {
  const { header, arrays } = decode(payload);
  const { text: contextIds, nPrompt, settings, toss, memory } = header;
  const distribution = readDistribution(header.distribution, arrays, "", null);
  const view = { distribution, contextIds, nPrompt, settings, toss, memory };
  return endUnderPenalty({ ...view, header: { model: { end_ids: endIds } } });
};
globalThis.decode = (payload) => decodePayload(bytesOf(payload));
globalThis.runCase = (payload) => {
  const { header, arrays } = decode(payload);
  const { text, nPrompt, settings, pointers, toss, memory } = header;
  const distribution = readDistribution(header.distribution, arrays, "", null);
  const result = processLogits(distribution, text, nPrompt, settings, toss, memory);
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
    drawn: pointers.map((pointer) => drawToken(result, pointer)),
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
    """One distribution, one text, one choice of settings, and pointers to throw."""

    logits: FloatArray
    settings: Settings
    pointers: Sequence[float]
    ids: Sequence[int] = ()
    n_prompt: int = 0
    toss: float = 0.0  # the pointer that XTC tosses with
    memory: Memory = NO_MEMORY  # of mirostat
    held: Distribution | None = None  # what the page holds; None: all

    def stages(self) -> tuple[Stage, ...]:
        """What Python makes of it."""
        return process(self.logits, self.ids, self.settings, self.n_prompt, self.toss, self.memory)

    def payload(self) -> str:
        """What the page is given."""
        held = self.held or Distribution(len(self.logits), None, self.logits)
        described, arrays = name_arrays(held)
        header = {
            "distribution": described,
            "text": self.ids,
            "nPrompt": self.n_prompt,
            "settings": vars(self.settings),
            "pointers": self.pointers,
            "toss": self.toss,
            "memory": vars(self.memory),
        }
        return b64encode(encode_payload(header, arrays)).decode()


def run(page: Page, cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What the page makes of them."""
    told = page.evaluate("(payloads) => payloads.map(runCase)", [case.payload() for case in cases])
    assert len(told) == len(cases)
    return told


def floats(text: str) -> FloatArray:
    """The array that the page turned into text."""
    return np.frombuffer(b64decode(text), dtype="<f8")


def drawn(stage: Stage, pointers: Sequence[float]) -> list[int]:
    """The tokens on which Python's pointers fall."""
    return draw_many(stage.order, stage.best_probs, pointers).tolist()


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
        "min_k": rng.choice([3, rng.uniform(0, 200)]),
        "top_h": rng.choice([0.5, rng.uniform(0, 1)]),
        "p_less": 1,
        "repetition_penalty": rng.choice([2, rng.uniform(0.5, 2)]),
        "generated_only": 1,
        "presence_penalty": rng.choice([1, rng.uniform(-2, 2)]),
        "frequency_penalty": rng.choice([1, rng.uniform(-2, 2)]),
        "dry": rng.choice([0.8, rng.uniform(0, 5)]),
        "xtc": rng.choice([1, rng.uniform(0, 1)]),
        "mirostat": rng.choice([0, 0, rng.uniform(0.1, 6)]),
    }
    for name in SETTINGS.keys() - values.keys():  # a new one, within its bounds
        low, high = np.clip(SETTINGS[name].bounds, -5, 5)
        values[name] = type(SETTINGS[name].neutral)(rng.uniform(low, high))
    orders = [*ORDERS.values(), tuple(rng.permutation(np.array(STAGE_NAMES)).tolist())]
    chosen = {name: value for name, value in values.items() if rng.random() < 1 / 3}
    return Settings(order=orders[rng.integers(len(orders))], **chosen)


def random_case(seed: int, n_vocab: int) -> Case:
    """A case that the seed decides, with pointers at both ends of the bar among the others."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, min(n_vocab, rng.choice([3, 97])), 24).tolist()
    pointers = [0.0, 1 - 2**-53, 0.5, *(uniform_at(seed, i) for i in range(15))]
    logits, n_prompt = random_logits(rng, n_vocab), int(rng.integers(0, 25))
    settings, toss = random_settings(rng), rng.random()
    memory = Memory(settings.mirostat * rng.integers(2), rng.uniform(-1, 12))
    return Case(logits, settings, pointers, ids, n_prompt, toss, memory)


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


@pytest.mark.parametrize("n_cases", [200, nightly(600)])
def test_the_page_keeps_and_draws_what_python_does(masks_page: Page, n_cases: int) -> None:
    """By night over 10,000 draws from distributions with ties and extremes, in every order."""
    sizes = (4096 if seed % 100 == 0 else 1 + seed % 97 for seed in range(n_cases))
    cases = [random_case(seed, n_vocab) for seed, n_vocab in enumerate(sizes)]
    for case, theirs in zip(cases, run(masks_page, cases), strict=True):
        ours = case.stages()
        assert_same_stages(theirs, ours)
        assert [token["id"] for token in theirs["drawn"]] == drawn(ours[-1], case.pointers)
        for pointer, token in zip(case.pointers, theirs["drawn"], strict=True):
            assert token["from"] - 1e-9 <= pointer <= token["to"] + 1e-9


# text, tokens of the prompt, tokens that end a text, values of settings; whether it is said
END_CASES: list[tuple[list[int], int, list[int], dict[str, Any], bool]] = [
    ([5, 1, 2, 3], 3, [5], {"repetition_penalty": 1.3}, True),
    ([5, 1, 2, 3], 3, [5, 2], {"repetition_penalty": 1.3, "temperature": 0.7, "dry": 1}, True),
    ([5, 1, 5], 2, [5], {"repetition_penalty": 1.3, "generated_only": 1}, True),
    ([5, 1, 2, 3], 3, [7], {"repetition_penalty": 1.3}, False),
    ([1, 2, 5], 2, [5], {"repetition_penalty": 1.3}, False),
    ([5, 1, 2, 3], 3, [5], {"presence_penalty": 1.3}, False),
    ([5, 1, 2, 3], 3, [5], {"repetition_penalty": 1.3, "order": ("temperature",)}, False),
]


@pytest.mark.parametrize(("ids", "n_prompt", "end_ids", "values", "is_said"), END_CASES)
def test_a_penalty_s_two_numbers_for_the_end_are_python_s(
    masks_page: Page,
    ids: list[int],
    n_prompt: int,
    end_ids: list[int],
    values: dict[str, Any],
    is_said: bool,
) -> None:
    settings = Settings(**{"order": STAGE_NAMES, **values})
    logits = np.random.default_rng(8).normal(0, 2, 12).astype(np.float32)
    case = Case(logits, settings, [], ids, n_prompt)
    found = masks_page.evaluate(
        "([payload, ends]) => endOf(payload, ends)", [case.payload(), end_ids]
    )
    if not is_said:
        assert found is None
        return
    in_prompt = [i for i in end_ids if i in ids[:n_prompt]]
    for name, generated_only in (("counted", 0), ("generatedAlone", 1)):
        both = dataclasses.replace(
            case, settings=dataclasses.replace(settings, generated_only=generated_only)
        )
        assert found[name] == pytest.approx(both.stages()[-1].probs[in_prompt].sum(), rel=1e-9)


def test_mirostat_begins_anew_at_every_other_target(masks_page: Page) -> None:
    targets = [0.0, 0.5, 1.0, 3.0]
    told = masks_page.evaluate(
        """async (targets) => {
          const { memoryUnder, NO_MEMORY } = await import("/pages/frame/live/memory.js");
          return targets.map((target) => memoryUnder(NO_MEMORY, target));
        }""",
        targets,
    )
    assert told == [dataclasses.asdict(NO_MEMORY.under(target)) for target in targets]


def test_a_payload_arrives_as_it_was_packed(masks_page: Page) -> None:
    """Wider numbers in four bytes, null for what JSON lacks, and lone surrogates."""
    header = {"text": "é🎈\ud800", "logprob": [-1.0, float("-inf"), float("nan")]}
    arrays = {"ids": np.array([7, 2**31 - 1]), "probs": np.array([0.1, -np.inf, 3.25])}
    payload = b64encode(encode_payload(header, arrays)).decode()
    told = masks_page.evaluate(
        """(payload) => {
          const { header, arrays } = decode(payload);
          const { ids, probs } = arrays;
          return [JSON.stringify([header.text, header.logprob]), [...ids], [...probs]];
        }""",
        payload,
    )
    assert told == [
        '["é🎈\\ud800",[-1,null,null]]',
        [7, 2**31 - 1],
        [np.float32(0.1), -np.inf, 3.25],
    ]


Vocabulary = tuple[FloatArray, Distribution]  # all logits, and what the page holds of them
POINTERS = [uniform_at(2, position) for position in range(500)]


@pytest.fixture(scope="module")
def large() -> Vocabulary:
    """A vocabulary of which the page holds a fiftieth, and most of the probability."""
    rng = np.random.default_rng(9)
    logits = rng.normal(0, 2, 100_000)
    logits[rng.choice(100_000, 200, replace=False)] += np.linspace(3, 14, 200)
    logits = logits.astype(np.float32)
    return logits, summarise(logits, limit=2000)


@pytest.fixture(scope="module")
def half_sent(large: Vocabulary) -> Vocabulary:
    """The same, of which a server sent the best 2,000 log-probabilities."""
    logprobs = log_softmax(large[0]).astype(np.float32)
    sent = rank_order(logprobs)[:2000]
    evenly = with_uniform_rest(
        ServerLogits(sent, logprobs[sent], float(logprobs[sent[-1]])), len(logprobs)
    )
    return logprobs, dataclasses.replace(summarise(evenly, limit=2000), n_unsent=98_000)


def sure_or_waiting(
    page: Page, vocabulary: Vocabulary, settings: Iterable[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], Stage, int]]:
    """The last stage of each there and here; how many pointers fall as in Python.

    For the others the page waits, as a reader would see it wait.
    """
    logits, held = vocabulary
    text = rank_order(logits)[[0, 5, 5, 90_000]].tolist()  # the last one is in the tail
    whole = [Settings(**{"order": STAGE_NAMES, **values}) for values in settings]
    cases = [Case(logits, one, POINTERS, text, held=held) for one in whole]
    for case, theirs in zip(cases, run(page, cases), strict=True):
        ours, stage = case.stages()[-1], theirs["stages"][-1]
        there = [token and token["id"] for token in theirs["drawn"]]
        told = [(a, b) for a, b in zip(there, drawn(ours, POINTERS), strict=True) if a is not None]
        assert all(a == b for a, b in told), case.settings
        stage["probs"] = floats(stage["probs"]), ours.probs[theirs["ids"]]
        yield stage, ours, len(told)


CUTS: list[tuple[dict[str, Any], bool]] = [  # whether the cut is within what the page holds
    ({"top_k": 2000}, True),
    ({"top_k": 2001}, False),
    ({"top_p": 0.5}, True),
    ({"top_p": 0.999}, False),
    ({"min_p": 0.01}, True),
    ({"min_p": 1e-6}, False),
    ({"epsilon": 1e-3}, True),
    ({"epsilon": 1e-9}, False),
    ({"eta": 1e-3}, True),
    ({"typical_p": 0.05}, True),
    ({"typical_p": 0.9999}, False),
    ({"top_n_sigma": 0.3}, True),
    ({"top_n_sigma": 4}, False),
    ({"min_k": 3}, True),
    ({"min_k": 1e5}, False),
    ({"top_h": 0.5}, True),
    ({"p_less": 1}, True),
    ({"mirostat": 4}, True),
    ({"mirostat": 12}, False),
    ({"temperature": 0}, True),
    ({"presence_penalty": 1, "frequency_penalty": 0.5, "top_k": 40}, True),
    ({"repetition_penalty": 0.5}, False),  # raises a token that the page does not hold
    ({"frequency_penalty": -1}, False),
]


def test_a_cut_within_what_the_page_holds_is_exact_and_any_other_is_left_to_python(
    masks_page: Page, large: Vocabulary
) -> None:
    found = sure_or_waiting(masks_page, large, (values for values, _ in CUTS))
    for (values, is_sure), (stage, ours, n_told) in zip(CUTS, found, strict=True):
        assert (stage["reachesTail"], n_told) == (not is_sure, 500 * is_sure), values
        if is_sure:
            assert sorted(stage["kept"]) == np.flatnonzero(ours.kept).tolist(), values
            np.testing.assert_allclose(*stage["probs"], 1e-6, 1e-12)


def test_with_a_tail_in_play_the_page_s_numbers_are_python_s_to_a_millionth(
    masks_page: Page, large: Vocabulary
) -> None:
    hotter = ({"temperature": temperature} for temperature in (0.3, 1.5, 3, 10))
    for stage, ours, _ in sure_or_waiting(masks_page, large, hotter):
        np.testing.assert_allclose(*stage["probs"], 0, 1e-6)
        assert stage["entropy"] == pytest.approx(ours.entropy, abs=1e-6)
        assert stage["bound"] == 0, "nothing of it was left out"
    first = Case(large[0], Settings(temperature=1.5), [0.0], [], held=large[1])
    assert run(masks_page, [first])[0]["drawn"][0]["id"] == rank_order(large[0])[0]


def test_where_all_that_is_held_falls_below_the_tail_every_token_counts_and_every_draw_waits(
    masks_page: Page,
) -> None:
    logits = np.random.default_rng(3).normal(0, 0.1, 5_000).astype(np.float32)
    text, settings = rank_order(logits)[:8].tolist(), Settings(presence_penalty=2.0, top_k=4_999)
    settings = dataclasses.replace(settings, order=("presence_penalty", "top_k"))
    case = Case(logits, settings, POINTERS, text, held=summarise(logits, limit=8))
    (told,) = run(masks_page, [case])
    raw, penalised, cut = told["stages"]
    assert [(one["nKept"], one["keptTail"]) for one in (raw, penalised)] == [(5_000, 4_992)] * 2
    assert penalised["entropy"] == pytest.approx(case.stages()[1].entropy, abs=1e-3)
    assert cut["reachesTail"]
    assert told["drawn"] == [None] * len(POINTERS)


@pytest.mark.parametrize("n_penalised", [0, 20, 60, 100])
def test_what_was_penalised_of_the_tail_leaves_no_draw_that_is_wrong(
    masks_page: Page, n_penalised: int
) -> None:
    """Three are held, a sixth each; of the tail a hundred have a quarter, the rest as much."""
    probs = np.array([1 / 6] * 3 + [1 / 400] * 100 + [1 / 4 / 2_897] * 2_897)
    logits = np.log(probs).astype(np.float32)
    settings = Settings(presence_penalty=2.0, order=("presence_penalty",))
    text, held = [*range(3, 3 + n_penalised)], summarise(logits, limit=3)
    case = Case(logits, settings, POINTERS, text, held=held)
    known = [one and one["id"] for one in run(masks_page, [case])[0]["drawn"]]
    ours = drawn(case.stages()[-1], POINTERS)
    assert all(one in (None, other) for one, other in zip(known, ours, strict=True))
    assert (sum(one is not None for one in known) > 200) == (n_penalised == 0)


# of 500 draws how many the page knows at least, and which way its probabilities are bounds
UNSENT: list[tuple[dict[str, Any], int, int]] = [
    ({}, 0, 450),
    ({"top_p": 0.5}, 0, 500),
    ({"temperature": 0.8}, -1, 450),
    ({"temperature": 1.2}, 1, 100),
    ({"temperature": 1.5, "top_p": 0.5}, 0, 0),
    ({"temperature": 2, "min_p": 0.2}, 0, 500),
    ({"typical_p": 0.3}, 0, 500),
    ({"top_n_sigma": 1}, 0, 0),
    ({"min_k": 3}, 0, 0),
    ({"p_less": 1}, 0, 500),
    ({"mirostat": 4}, 0, 500),
    ({"min_p": 1e-6}, 0, 0),
]


def test_what_a_server_left_out_is_a_bound_and_the_page_is_sure_or_waits(
    masks_page: Page, half_sent: Vocabulary
) -> None:
    found = sure_or_waiting(masks_page, half_sent, (values for values, *_ in UNSENT))
    for (values, bound, n_least), (stage, _, n_told) in zip(UNSENT, found, strict=True):
        assert n_told >= n_least, values
        assert stage["reachesTail"] == (n_least == 0), values
        if n_least:
            held, true = (probs.sum() for probs in stage["probs"])
            assert stage["bound"] == np.sign(np.round(true - held, 6)) == bound, values


def test_a_large_vocabulary_agrees_to_a_millionth_wherever_the_page_is_sure(
    masks_page: Page,
) -> None:
    """Of 70,000 tokens the page holds 4,096, and the rest as a histogram."""
    n_sure, n_told, cases = 0, 0, []
    for seed in range(16):
        case = random_case(seed, n_vocab=70_000)
        temperature = min(2, case.settings.temperature)  # as far as the slider goes
        settings = dataclasses.replace(case.settings, temperature=temperature)
        cases.append(dataclasses.replace(case, settings=settings, held=summarise(case.logits)))
    for case, theirs in zip(cases, run(masks_page, cases), strict=True):
        ours = case.stages()
        # a penalised token that the page does not hold is still counted in full there
        bound = 1e-5 if PENALTIES.keys() & set(case.settings.stage_names) else 1e-6
        for page, stage in zip(theirs["stages"], ours, strict=True):
            if page["reachesTail"]:
                break
            n_sure += page["name"] != "raw"
            probs = stage.probs[theirs["ids"]]
            np.testing.assert_allclose(
                floats(page["probs"]), probs, 0, bound, True, str(case.settings)
            )
            assert page["nKept"] == stage.kept.sum()
            assert page["entropy"] == pytest.approx(stage.entropy, abs=1e-3)  # for the eye
        else:
            both = zip(theirs["drawn"], drawn(ours[-1], case.pointers), strict=True)
            told = [(there["id"], here) for there, here in both if there]
            assert all(there == here for there, here in told)
            n_told += len(told)
    assert n_sure > 16
    assert n_told > 50
