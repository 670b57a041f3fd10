"""The page's tree against Python's: re-weighed without a pass, it is what fresh passes give.

The modules run in a real Chromium, on the payload that the app sends.
"""

import math
import re
from base64 import b64encode
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from model.chi_square import chi_square
from model.futures.continuations import Continuations, open_texts
from model.generation import Generation
from model.job import finish
from model.language_model import LanguageModel
from model.sampling import Settings, process
from pages.frame.component import encode_payload
from pages.lessons.futures.state import tree_arrays
from tests.tiny_models import fresh_logits, tiny

pytestmark = pytest.mark.browser

N_READ = 24  # texts that are read anew
PROMPT = "Once there was a king who"
WISHES: list[dict[str, Any]] = [
    {},
    {"temperature": 0.5},
    {"temperature": 1.7},
    {"temperature": 0.0},
    {"top_k": 7},
    {"top_p": 0.8},
    {"min_p": 0.05},
    {"temperature": 0.8, "top_k": 20, "top_p": 0.9, "min_p": 0.02},
]
LOAD = """async () => {
const { decodePayload } = await import("/pages/frame/live/payload.js");
const { NEUTRAL_SETTINGS } = await import("/pages/frame/live/masks.js");
const tree = await import("/pages/lessons/futures/tree.js");
const pointers = await import("/pages/lessons/futures/pointers.js");
const { chiSquare } = await import("/pages/frame/live/chi_square.js");
const findings = await import("/pages/lessons/futures/findings.js");
const texts = await import("/pages/lessons/futures/texts.js");
Object.assign(globalThis, tree, pointers, findings, texts, { chiSquare });
globalThis.weigh = (payload, wish) => {
  const { header, arrays } = decodePayload(Uint8Array.from(atob(payload), (c) => c.charCodeAt(0)));
  const settings = { ...NEUTRAL_SETTINGS, ...wish, order: header.order };
  return new WeighedTree(readTree(header, arrays), settings);
};
globalThis.drop = (weighed, n, position) =>
  Array.from({ length: n }, (_, seed) => fall(weighed, pointersOf(seed, position, 3)));
globalThis.idsOf = (text) => text.parent ? [...idsOf(text.parent), text.tokenId] : [];
globalThis.allTexts = (text) => [text, ...[...text.openedById.values()].flatMap(allTexts)];
}"""


@pytest.fixture
def tree_page(scripts: Page) -> Page:
    """A page in which `weigh` makes a tree under some settings."""
    scripts.evaluate(LOAD)
    return scripts


def opened(lm: LanguageModel, prompt: str | list[int], n_tokens: int, passes: int) -> Continuations:
    tree = Continuations(Generation(lm, prompt))
    finish(open_texts(tree, n_tokens, 1.0, passes))
    return tree


def payload(tree: Continuations, n_tokens: int) -> str:
    lm = tree.start.lm
    header = {
        "nTokens": n_tokens,
        "nVocab": lm.vocab_size,
        "endIds": sorted(lm.end_ids),
        "order": Settings().order,
    }
    return b64encode(encode_payload(header, tree_arrays(tree.texts))).decode()


@pytest.fixture(scope="module")
def tree(storyteller: LanguageModel) -> Continuations:
    return opened(storyteller, PROMPT, 3, 3)


def test_every_text_is_weighed_as_a_fresh_pass_would_be(
    tree_page: Page, tree: Continuations
) -> None:
    """The oracle is transformers' pass over each text alone: float32 rounds 1e-6 of it away."""
    told = tree_page.evaluate(
        """([payload, wishes, n]) => wishes.map((wish) => {
          const weighed = weigh(payload, wish);
          const some = allTexts(weighed.tree.root).filter((_, i) => i % n === 0);
          return some.map((text) => [idsOf(text), weighed.at(text)]);
        })""",
        [payload(tree, 3), WISHES, len(tree.texts) // N_READ],
    )
    fresh: dict[tuple[int, ...], Any] = {}
    n_sure = 0
    for wish, texts in zip(WISHES, told, strict=True):
        for ids, page in texts:
            way = tuple(ids)
            if way not in fresh:
                fresh[way] = fresh_logits(tree.start.lm, [*tree.start.ids, *ids])
            last = process(fresh[way], [], Settings(**wish))[-1]
            assert sum(page["probs"]) + page["rest"] == pytest.approx(1, abs=1e-9)
            if not page["isUnsure"]:  # its cut lies where the page holds every token
                n_sure += 1
                assert np.abs(np.array(page["probs"]) - last.probs[page["ids"]]).max() < 1e-5
                assert len(page["probs"]) + page["nRest"] == last.kept.sum()
    assert n_sure > 0.8 * len(fresh) * len(WISHES)
    (_, one), (_, other) = told[0][:2]
    raw = process(fresh[()], [], Settings())[-1].probs
    assert np.abs(np.array(other["probs"]) - raw[other["ids"]]).max() > 1e-2 > one["rest"]


def test_all_that_is_drawn_and_all_that_is_not_add_up_to_one(
    tree_page: Page, tree: Continuations
) -> None:
    for wish in WISHES:
        pieces, sums, opened_mass = tree_page.evaluate(
            """([payload, wish]) => {
              const weighed = weigh(payload, wish);
              const pieces = layOut(weighed, [], 0.002);
              return [pieces, measure(pieces), weighed.opened()];
            }""",
            [payload(tree, 3), wish],
        )
        assert sums["token"] <= opened_mass <= 1 - sums["closed"] + 1e-9
        if not wish:
            # an end token that is not held is no text of the page's
            assert opened_mass < tree.mass(3) < opened_mass + 1e-5
        assert sum(sums.values()) == pytest.approx(1, abs=1e-6), wish
        assert {piece["kind"] for piece in pieces} <= set(sums)
        by_ids = {tuple(p["ids"]): p for p in pieces if p["kind"] == "token"}
        below: dict[tuple[int, ...], float] = {}
        for piece in pieces:
            is_below = piece["kind"] != "token" or len(piece["ids"]) > 0
            parent = tuple(piece["ids"][:-1] if piece["kind"] == "token" else piece["ids"])
            if is_below:
                below[parent] = below.get(parent, 0) + piece["width"]
        for ids, width in below.items():
            assert width == pytest.approx(by_ids[ids]["width"] if ids else 1, abs=1e-6)
        lost = max(pieces, key=lambda one: one["isLast"] * one["width"])
        assert sum(sums.values()) - lost["width"] < 1 - 1e-4, "a piece left out would be seen"


def kept_share(logits: np.ndarray, settings: Settings) -> float:
    """How much of what the temperature made the masks leave."""
    tempered = process(logits, [], Settings(temperature=settings.temperature))[-1].probs
    return float(tempered[process(logits, [], settings)[-1].kept].sum())


def test_greedy_the_likeliest_and_what_masks_cut_are_those_of_brute_force(
    tree_page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.futures.continuations.MIN_HELD", 290)
    lm = tiny("llama")
    small = opened(lm, [5, 6, 7], 2, 99)
    n_vocab = lm.vocab_size
    after = [fresh_logits(lm, [5, 6, 7, i]) for i in range(n_vocab)]
    for wish in ({}, {"temperature": 0.4}, {"top_k": 5, "temperature": 1.5}):
        settings = Settings(**wish)
        joint, kept = np.zeros((n_vocab, n_vocab)), np.zeros(n_vocab)
        first = process(fresh_logits(lm, [5, 6, 7]), [], settings)[-1].probs
        ends = sorted(lm.end_ids)
        for i in np.flatnonzero(first):
            joint[i] = first[i] * process(after[i], [], settings)[-1].probs
            kept[i] = kept_share(after[i], settings)
        joint[ends] = 0
        kept[ends] = 1
        survival = kept_share(fresh_logits(lm, [5, 6, 7]), settings) * float(first @ kept)
        joint[ends, 0] = first[ends]  # a text that ends is whole
        found, greedy, left, least_left = tree_page.evaluate(
            """([payload, wish]) => {
              const weighed = weigh(payload, wish);
              const left = [weighed.survival(0), weighed.survival()];
              return [weighed.likeliest(20, 0), weighed.greedy(), ...left];
            }""",
            [payload(small, 2), wish],
        )
        best = np.sort(joint.ravel())[::-1][:20]
        np.testing.assert_allclose([text["prob"] for text in found["whole"]], best, rtol=1e-4)
        assert found["closed"] == 0
        assert left == pytest.approx(survival, abs=1e-4)
        assert left <= least_left + 1e-9
        top = int(first.argmax())
        assert greedy["ids"] == [top, int(joint[top].argmax())]
        assert greedy["prob"] == pytest.approx(joint[top].max(), rel=1e-4)


def test_a_pointer_falls_on_the_text_that_the_loop_writes_with_its_seed(
    tree_page: Page, tree: Continuations
) -> None:
    wish = {"temperature": 0.8, "top_k": 12}
    falls = tree_page.evaluate(
        "([payload, wish, position]) => drop(weigh(payload, wish), 30, position)",
        [payload(tree, 3), wish, len(tree.start.ids)],
    )
    for seed, one in enumerate(falls):
        text = Generation(tree.start.lm, PROMPT, seed=seed)
        while len(text.steps) < len(one["ids"]):
            text.step(Settings(**wish))
        assert text.ids[text.n_prompt :] == one["ids"], seed
        prob = math.prod(step.chosen_prob for step in text.steps)
        assert one["prob"] == pytest.approx(prob, rel=1e-4)
    assert sum(one["isWhole"] for one in falls) > 20


def test_a_thousand_pointers_fall_as_the_exact_shares_say_and_no_other_shares(
    tree_page: Page, tree: Continuations
) -> None:
    """The page's test is Python's, and it refuses the shares of another temperature."""
    told = tree_page.evaluate(
        """([payload, position]) => [0.7, 1].map((temperature) => {
          const weighed = weigh(payload, { temperature: 0.7, top_k: 6 });
          const counts = countTexts(drop(weighed, 1000, position));
          const claimed = weigh(payload, { temperature, top_k: 6 }).likeliest(1000, 0.005).whole;
          const hits = claimed.map(({ ids }) => counts.get(String(ids)) ?? 0);
          const probs = claimed.map(({ prob }) => prob);
          return [hits, probs, chiSquare(hits, probs, 1000)];
        })""",
        [payload(tree, 3), len(tree.start.ids)],
    )
    for (hits, probs, page), is_true in zip(told, (True, False), strict=True):
        counts = np.array([*hits, 1000 - sum(hits)])
        own = chi_square(counts, np.array([*probs, 1 - sum(probs)]))
        assert page["nDegrees"] == own.n_degrees > 5
        assert page["statistic"] == pytest.approx(own.statistic, rel=1e-9)
        assert page["pValue"] == pytest.approx(own.p_value, abs=1e-9)
        assert (own.p_value > 0.001) == is_true


def test_what_lies_below_the_error_of_a_sum_is_nothing(tree_page: Page) -> None:
    """Three thirds and a tenth ten times: their sums are beside 1 by a rounding."""
    sums = tree_page.evaluate(
        """() => [[1 / 3, 1 / 3, 1 / 3 - 1e-15], Array(10).fill(0.1)].map((widths) => sumsOf({
          pieces: widths.map((width) => ({ kind: "token", width, isLast: true })),
          survival: 1 - 1e-14, topProb: 1, opened: 1 - 1e-13,
        }))"""
    )
    for says in sums:
        assert re.findall(r"[\d.·⁻⁰¹²³⁴-⁹]+(?=\s%)", says) == ["100", "0", "0"], says
    assert tree_page.evaluate("snapped(2e-9)") == 2e-9


def test_a_p_value_shows_on_which_side_of_the_bar_it_lies(tree_page: Page) -> None:
    values = [0.00796, 0.00996, 0.009996, 0.01004, 0.5, 0.04, 0.01, 3e-5]
    shown = tree_page.evaluate("(values) => values.map(formatChance)", values)
    for value, text in zip(values, shown, strict=True):
        sign, number = text.split()
        assert (float(number) <= 0.01) == (value <= 0.01), text
        assert sign == ("<" if value < 1e-4 else "=")
        assert sign == "<" or float(number) == pytest.approx(value, rel=0.05)


def test_a_ratio_has_the_digits_that_its_probabilities_bear(tree_page: Page) -> None:
    shown = tree_page.evaluate("[5.93, 1.004, 1.28, 34.6, 1234].map(timesAsLikely)")
    numbers = [re.match(r"[\d.\s]+", one) for one in shown]
    assert [one and one[0].split(" t")[0].strip() for one in numbers] == [
        *("5.9", None, "1.3", "35", "1\u202f200"),
    ]
