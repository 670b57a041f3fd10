"""The lab without a browser: what is typed, sliders, figures, what is measured."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from model import masks
from model.draw import agreement, count_draws, draw, uniform_at
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.sampling import ORDERS, Settings, process
from model.sampling.experiments import (
    MASKS_ALONE,
    PENALTIES,
    Loop,
    apply_alone,
    divergence,
    find_loop,
    first_word,
    jaccard,
    kept_at,
    write_votes,
    write_with_penalties,
)
from model.sampling.records import AimedText
from model.sampling.surprise import write_aimed
from model.settings import SETTINGS as SLIDERS
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.sampling.aimed import GUESSES, reached
from pages.lessons.sampling.measured import TEMPERATURES, why_still
from pages.lessons.sampling.settings import AIM_PROMPT, LOOP_PROMPT, QUESTION, title
from pages.lessons.sampling.source import SHAPES, TEXTBOOK, from_generation, from_lines
from pages.lessons.sampling.state import FIRST_POINTER, POINTER, Lab, LabControls
from tests.charts.drawn_charts import checked
from tests.nightly import nightly
from viz.bars import draws_figure
from viz.sampling.charts import (
    divergence_figure,
    loop_html,
    overlap_figure,
    temperature_figure,
    votes_figure,
)
from viz.sampling.surprise import limit_figure, mean_figure

N_ROWS = 7  # of the first picture: see draw_picture.js


@pytest.fixture
def lab(storyteller: LanguageModel) -> Lab:
    text = Generation(storyteller, "The cat sat on the")
    return Lab(storyteller, text, from_generation(text))


def test_what_is_typed_may_hold_colons_and_markup_and_any_sum() -> None:
    given = from_lines("a:b: 1\n\n<script>: 0.5\n $x$ : 0", "probabilities")
    assert given.labels == ("a:b", "<script>", "$x$")
    assert given.notice == "The probabilities sum to 1.5: each was divided by that."
    assert np.exp(given.logits) == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-6)
    assert from_lines("a: -3\nb: 2", "logits").logits.tolist() == [-3, 2]
    assert from_lines(TEXTBOOK, "probabilities").notice is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at least two tokens"),
        ("mat: 0.5", "at least two tokens"),
        ("mat 0.5\nsofa: 0.5", "Line 1 has no token and number"),
        ("mat: 0.5\n: 0.5", "Line 2 has no token"),
        ("mat: half\nsofa: 0.5", "Line 1 ends in “half”"),
        ("mat: nan\nsofa: 0.5", "Line 1 ends in “nan”"),
        ("mat: 2\nsofa: 0.5", "a probability lies from 0 to 1"),
        ("mat: -0.1\nsofa: 0.5", "a probability lies from 0 to 1"),
        ("mat: 0.5\nmat: 0.5", "Line 2 has “mat” again"),
        ("mat: 0\nsofa: 0", "All probabilities are 0"),
        ("\n".join(f"t{i}: 0.1" for i in range(501)), "keep 500 or fewer"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        from_lines(text, "probabilities")
    assert str(caught.value).endswith(".")


def test_sliders_are_taken_and_nonsense_changes_nothing(lab: Lab) -> None:
    lab.take({"controls": {"top_p": 0.9, "top_k": 7, "use": ["top_p"]}})
    assert (lab.controls.top_p, lab.controls.top_k, lab.controls.use) == (0.9, 7, ("top_p",))
    assert len(lab.controls.shown) == 4
    lab.take({"controls": {"use": ["min_p"]}})
    assert len(lab.controls.shown) == len(MASKS_ALONE)
    known = lab.controls
    for nonsense in ({"top_p": 7}, {"top_k": "many"}, {"use": ["luck"]}, {"eta": None}):
        lab.take({"controls": nonsense})
        assert lab.controls == known
        assert lab.problem is not None
        assert lab.problem.endswith(".")


def test_the_message_holds_the_logits_and_labels_only_of_what_was_made_up(lab: Lab) -> None:
    for given in (lab.given, from_lines(TEXTBOOK, "probabilities")):
        lab.given = given
        payload = lab.payload(presenter=False)
        header = json.loads(payload[4 : 4 + int.from_bytes(payload[:4], "little")])
        assert header["labels"] == (given.labels and list(given.labels))
        assert header["distribution"] == {"n_vocab": len(given.logits)}


def test_the_first_pointer_falls_on_a_word_that_has_a_row(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, DEFAULT_PROMPT)
    lab = Lab(storyteller, text, from_generation(text))
    stage = process(lab.given.logits, [], Settings())[-1]
    place = stage.order.tolist().index(draw(stage, FIRST_POINTER))
    assert 0 < place < N_ROWS, "below it stand all others as one"
    cut = process(lab.given.logits, [], Settings(top_p=FIRST_POINTER))[-1]
    assert draw(cut, FIRST_POINTER) != draw(stage, FIRST_POINTER), "a lower top-p draws another"
    for compares, pointer in ((False, FIRST_POINTER), (True, POINTER)):
        payload = lab.payload(compares=compares)
        header = json.loads(payload[4 : 4 + int.from_bytes(payload[:4], "little")])
        assert (header["pointer"], header["compares"]) == (pointer, compares)


def test_in_a_scene_few_draws_bear_their_numbers_and_the_axis_stays() -> None:
    probs = np.array([2.0**-n for n in range(1, 21)])
    drawn = np.round(1000 * probs).astype(int)
    labels = [f"w{n}" for n in range(20)]
    covered, seen = (
        checked(draws_figure(labels, drawn, probs, is_covered=is_covered, in_scene=True))
        for is_covered in (True, False)
    )
    expected, observed = seen.data
    assert len(expected.y) == len(observed.y) < 10
    assert [f"<b>{n}</b>" for n in observed.y] == list(observed.text)
    assert covered.data[1].text is None, "no number before the answer"
    assert tuple(covered.layout.yaxis.range) == tuple(seen.layout.yaxis.range)
    assert max(observed.y) < seen.layout.yaxis.range[1]
    assert seen.layout.xaxis.tickfont.size > 12


def test_figures_are_well_made_and_text_is_only_ever_text() -> None:
    overlaps = np.array([[1.0, 0.5], [0.5, 1.0]])
    divergences = np.array([[0.0, math.inf], [0.3, 0.0]])
    charts = [
        overlap_figure(["a", "b"], overlaps),
        divergence_figure(["a", "b"], divergences),
        draws_figure(["<b>x", "y"], np.array([7, 3]), np.array([0.6, 0.4])),
        votes_figure(["water", "milk"], [20, 0], [12, 8]),
        temperature_figure(["a", "b"], [0.5, 2.0], np.array([[1, 1], [3, 1200]])),
    ]
    _, distances, draws, _, _ = map(checked, charts)
    assert "∞" in str(distances.data[0].text)
    assert draws.layout.xaxis.ticktext[0] == "&lt;b&gt;x"
    assert "Largest gap of a token: 10.0" in charts[2].caption
    html = loop_html("<script>", "<b>again</b> & again")
    assert "<script>" not in html
    assert "&lt;b&gt;again&lt;/b&gt; &amp; again</mark>" in html


# What is measured on a distribution

LOGITS = np.log(np.array([0.5, 0.25, 0.15, 0.1], dtype=np.float32))


def test_c14_the_shapes_made_up_part_top_p_from_top_k() -> None:
    flat, peaked = SHAPES["flat"].logits, SHAPES["peaked"].logits
    assert [apply_alone(one, "top_k", 5).kept.sum() for one in (flat, peaked)] == [5, 5]
    assert apply_alone(flat, "top_p", 0.9).kept.sum() > 100
    assert apply_alone(peaked, "top_p", 0.9).kept.sum() == 2


def test_c19_engines_that_put_temperature_last_keep_other_tokens(lab: Lab) -> None:
    kept = {engine: lab.pipeline(engine).kept for engine in ORDERS}
    assert kept["llama.cpp"].sum() < kept["transformers"].sum()
    assert np.array_equal(kept["transformers"], kept["vllm"])
    assert np.array_equal(kept["llama.cpp"], kept["ollama"])
    lab.controls = LabControls(top_p=0.8, use=("top_p",))
    assert len({lab.pipeline(engine).kept.tobytes() for engine in ORDERS}) == 1


def test_masks_of_ranks_and_of_logits_stand_still_when_the_temperature_moves() -> None:
    """Min-k's least number, tau over the range, is the one part of it that moves."""
    logits = np.random.default_rng(3).normal(0, 3, 200).astype(np.float32)
    values = {"top_k": 5, "top_p": 0.5, "min_p": 0.1, "typical_p": 0.5, "epsilon": 0.02}
    values |= {"eta": 0.05, "top_n_sigma": 1.0, "min_k": 3.0, "top_h": 0.4, "p_less": 1}
    values |= {"mirostat": 2.0}
    kept = kept_at(logits, values, (0.5, 1, 2, 3))
    still = {name for name, sets in kept.items() if all((one == sets[0]).all() for one in sets)}
    assert still == {"top_k", "top_n_sigma", "min_k"}
    fallback = kept_at(logits, {"min_k": 1000.0}, (0.5, 2))["min_k"]
    assert fallback[0].sum() < fallback[1].sum()


ANCHORS = [{"top_k": k, "top_n_sigma": n} for k, n in ((1, 0.1), (5, 1.0), (40, 2.5), (100, 5.0))]
FLOORS = [position for position in SLIDERS["min_k"].slider if position]  # type: ignore[union-attr]  # positions


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_said_of_masks_that_stand_still_is_what_they_keep(shape: str) -> None:
    """For every position of Min-k's slider; it moves on some shape and stands on another."""
    logits = SHAPES[shape].logits
    for values in ANCHORS:
        for sets in kept_at(logits, values, TEMPERATURES).values():
            assert all((one == sets[0]).all() for one in sets), values
    for floor in FLOORS:
        sets = kept_at(logits, {"min_k": floor}, TEMPERATURES)["min_k"]
        is_still = all((one == sets[0]).all() for one in sets)
        says = why_still(("top_k", "min_k"), {"top_k", "min_k"} if is_still else {"top_k"})
        assert ("heat" in says) != is_still
    if shape == "flat":
        kept = kept_at(logits, {"min_k": 3.0}, TEMPERATURES)["min_k"]
        assert [one.sum() for one in kept] == [3, 5, 7, 11, 15, 22]


def test_each_mask_is_named_once_in_the_reasons() -> None:
    names = ("top_k", "top_n_sigma", "min_k", "top_p", "eta")
    for still in (set(), {"eta"}, {"top_p", "eta"}, set(names)):
        says = why_still(names, still)
        assert all(says.count(title(name)) == 1 for name in names), says


@for_all(
    st.lists(st.floats(-20, 20, width=32), min_size=2, max_size=30),
    st.floats(0.01, 12),
)
def test_mirostat_can_only_take_surprise_away(numbers: list[float], mu: float) -> None:
    scores = np.sort(np.array(numbers))[::-1]
    probs = masks.softmax(scores)

    def entropy_of(kept: np.ndarray) -> float:
        return masks.entropy(scores[kept])

    assert entropy_of(masks.mirostat(probs, mu)) <= masks.entropy(scores) + 1e-9


def test_xtc_can_add_surprise_and_gives_unlikely_tokens_more_mass() -> None:
    probs = np.array([0.8, 0.1, *[0.01] * 10])
    left = np.where(masks.xtc(probs, is_due=True), probs, 0)
    left /= left.sum()
    before, after = (-(p[p > 0] * np.log(p[p > 0])).sum() for p in (probs, left))
    assert after > before + 0.5
    assert left[2:].sum() > 2 * probs[2:].sum()


def aimed(*bits: float) -> tuple[AimedText, ...]:
    return tuple(
        AimedText(target, (one,) * 9, (1.0,) * 9, "")
        for target, one in zip((0.0, 1.0, 5.0), bits, strict=True)
    )


@pytest.mark.parametrize(
    ("bits", "place"),
    [((6, 1.1, 4.9), 0), ((3, 1.2, 2.9), 1), ((6, 2.0, 5.0), 2), ((0.2, 0.2, 0.2), 3)],
)
def test_which_targets_a_text_reaches_is_read_from_it(bits: tuple[float, ...], place: int) -> None:
    assert reached(aimed(*bits)) == GUESSES[place]


def test_overlap_and_divergence_by_hand() -> None:
    two, three = apply_alone(LOGITS, "top_k", 2), apply_alone(LOGITS, "top_k", 3)
    assert jaccard(two, three) == pytest.approx(2 / 3)
    assert divergence(two, three) == pytest.approx(math.log(0.9 / 0.75))
    assert divergence(three, two) == math.inf


@for_all(st.lists(st.floats(-20, 20, width=32), min_size=2, max_size=30))
def test_no_mask_is_nearer_to_another_than_to_itself(numbers: list[float]) -> None:
    logits = np.array(numbers, dtype=np.float32)
    values = {"top_k": 3, "top_n_sigma": 1.0, "temperature": 0.7, "p_less": 1}
    stages = [apply_alone(logits, name, values.get(name, 0.5)) for name in MASKS_ALONE]
    for one in stages:
        assert jaccard(one, one) == 1
        assert divergence(one, one) == 0
        assert all(0 <= jaccard(one, other) <= 1 for other in stages)
        assert all(divergence(one, other) >= 0 for other in stages)


def test_many_draws_are_the_loop_s_own_so_many_times() -> None:
    stage = apply_alone(LOGITS, "top_k", 3)
    counts = count_draws(stage, 500, seed=7)
    singly = [draw(stage, uniform_at(7, i)) for i in range(500)]
    assert counts.tolist() == np.bincount(singly, minlength=4).tolist()


# What is measured on texts


def test_c16_c17_greedy_texts_are_copies_and_sampled_ones_follow_their_seeds(
    storyteller: LanguageModel,
) -> None:
    votes, again = (finish(write_votes(storyteller, QUESTION, n, 6)) for n in (8, 3))
    assert len({text.token_ids for text in votes.greedy}) == 1
    assert len({text.token_ids for text in votes.sampled}) > 1
    assert [text.seed for text in votes.greedy] == list(range(8))
    assert again.sampled == votes.sampled[:3]


def test_c12_greedy_decoding_loops_the_same_way_every_time_and_penalties_end_that(
    storyteller: LanguageModel,
) -> None:
    first, again = (
        finish(write_with_penalties(storyteller, LOOP_PROMPT, 40, values)).texts
        for values in ({}, PENALTIES)
    )
    assert first[0] == again[0]
    assert first[0].loop is not None
    assert first[0].loop.n_times >= 3
    assert [text.penalty for text in again] == ["none", *PENALTIES]
    texts = [text.before + text.repeated for text in again]
    assert texts[0] not in texts[1:]
    assert any(text.loop is None for text in again[1:])
    assert texts[1].startswith(f"{LOOP_PROMPT}unching"), "the fourth la, as the lesson says"
    plain, penalised = again[:2]
    assert (plain.phrase, plain.changed) == ("la", ())
    put = [penalised.before[start:end] for start, end in penalised.changed]
    assert put[0] == "unching"[: len(put[0])], "marked: what took the place of the likeliest"
    assert " girl" in put, "where the bird had to return, as the lesson says"
    assert 0 < len(put) < penalised.n_tokens


@pytest.mark.parametrize(("n_tokens", "near"), [(24, 0.6), nightly((90, 0.2))])
def test_mirostat_comes_to_a_target_below_the_model_s_own_surprise_and_to_none_above(
    storyteller: LanguageModel, n_tokens: int, near: float
) -> None:
    """Without a mask the text is the one of no setting at all."""
    free, low, high = texts = finish(write_aimed(storyteller, AIM_PROMPT, (0, 1, 9), n_tokens))
    plain = Generation(storyteller, AIM_PROMPT)
    for _ in range(n_tokens):
        plain.step(Settings())
    assert plain.text == AIM_PROMPT + free.text == AIM_PROMPT + high.text
    assert not any(free.limits)
    assert (low.limits[0], high.limits[0]) == (2, 18)
    assert high.limits[-1] > 18, "it opens and opens"
    settled = slice(4 * n_tokens // 9, None)
    assert np.mean(low.surprises[settled]) == pytest.approx(1, abs=near)
    assert 2 - near < np.mean(high.surprises[settled]) < 4 + near
    for chart in (mean_figure(texts), limit_figure(texts)):
        drawn = [trace.name for trace in checked(chart).data if trace.name]
        assert drawn[-2:] == ["target 1 bit", "target 9 bits"]
    assert "no mask: " in mean_figure(texts).caption


def test_the_first_word_is_the_answer_and_two_answers_agree_or_not() -> None:
    texts = (" Water. She", "\n\"Don't", " ...", " été,")
    assert [*map(first_word, texts)] == ["water", "don't", "(none)", "été"]
    assert agreement(["water", "milk", "water", "juice"]) == pytest.approx(1 / 6)
    assert agreement(["water"]) == 1


@pytest.mark.parametrize(
    ("ids", "loop"),
    [
        ([9, 1, 2, 1, 2, 1, 2], Loop(1, 2, 3.0)),
        ([5, 5, 5, 5, 5], None),  # three times, but too short to be sure
        ([1, 2, 3, 1, 2, 3, 1, 2], None),  # not yet three times
        ([0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1], Loop(1, 3, 10 / 3)),
        ([1, 2, 1, 2, 1, 2, 9], None),  # it got out
        ([], None),
    ],
)
def test_the_detector_sees_loops_and_nothing_else(ids: list[int], loop: Loop | None) -> None:
    assert find_loop(ids) == loop


@for_all(
    st.lists(st.integers(0, 3), max_size=8),
    st.lists(st.integers(4, 9), min_size=2, max_size=6),
    st.integers(3, 6),
)
def test_a_phrase_repeated_is_found_whatever_stands_before(
    before: list[int], phrase: list[int], times: int
) -> None:
    found = find_loop(before + phrase * times)
    assert found is not None
    assert len(phrase) % found.period == 0
    assert found.start == len(before)
