"""The lab without a browser: what is typed, the sliders, the joined script, the figures."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import process
from pages.lessons.sampling.source import SHAPES, TEXTBOOK, from_generation, from_lines
from pages.lessons.sampling.state import Lab, LabControls
from tests.charts.drawn_charts import assert_is_well_made
from viz.draws_chart import draws_figure
from viz.palette import THEMES, Theme
from viz.sampling.charts import divergence_figure, overlap_figure, votes_figure
from viz.sampling.loop_text import loop_html


@pytest.fixture
def lab(storyteller: LanguageModel) -> Lab:
    text = Generation(storyteller, "The cat sat on the")
    return Lab(storyteller, text, from_generation(text))


def test_the_textbook_is_a_distribution() -> None:
    given = from_lines(TEXTBOOK, "probabilities")
    assert given.notice is None
    assert given.labels == tuple(line.split(":")[0] for line in TEXTBOOK.split("\n"))
    probs = process(given.logits, [], LabControls(use=()).settings("transformers"))[-1].probs
    assert probs[:2] == pytest.approx([0.35, 0.15], abs=1e-6)


def test_what_is_typed_may_hold_colons_and_markup_and_any_sum() -> None:
    given = from_lines("a:b: 1\n\n<script>: 0.5\n $x$ : 0", "probabilities")
    assert given.labels == ("a:b", "<script>", "$x$")
    assert given.notice == "The probabilities sum to 1.5: each was divided by that."
    assert np.exp(given.logits) == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-6)
    assert from_lines("a: -3\nb: 2", "logits").logits.tolist() == [-3, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at least two tokens"),
        ("mat: 0.5", "at least two tokens"),
        ("mat 0.5\nsofa: 0.5", "Line 1 has no token and number"),
        ("mat: 0.5\n: 0.5", "Line 2 has no token"),
        ("mat: half\nsofa: 0.5", "Line 1 ends in “half”"),
        ("mat: nan\nsofa: 0.5", "choose a number"),
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


def test_shapes_are_what_they_are_called(lab: Lab) -> None:
    kept = {}
    for name, lab.given in SHAPES.items():
        assert "Illustrative" in lab.given.caption
        kept[name] = int(lab.alone("top_p").kept.sum())
    assert kept["peaked"] < 3
    assert kept["flat"] > 80


def test_sliders_are_taken_and_nonsense_changes_nothing(lab: Lab) -> None:
    lab.take({"version": 0, "controls": {"top_p": 0.9, "top_k": 7, "use": ["top_p"]}})
    assert (lab.controls.top_p, lab.controls.top_k, lab.controls.use) == (0.9, 7, ("top_p",))
    assert len(lab.controls.shown) == 4
    lab.take({"version": 0, "controls": {"use": ["min_p"]}})
    assert len(lab.controls.shown) == 9
    known = lab.controls
    for nonsense in ({"top_p": 7}, {"top_k": "many"}, {"use": ["luck"]}, {"eta": None}):
        lab.take({"version": 0, "controls": nonsense})
        assert lab.controls == known
        assert lab.notice is not None
        assert lab.notice.endswith(".")


def test_the_message_holds_the_logits_and_labels_only_of_what_was_made_up(lab: Lab) -> None:
    def header() -> dict[str, object]:
        payload = lab.payload(presenter=False)
        length = int.from_bytes(payload[:4], "little")
        return dict(json.loads(payload[4 : 4 + length]))

    assert header()["labels"] is None
    assert header()["distribution"] == {"n_vocab": lab.lm.vocab_size, "exact": True}
    lab.given = from_lines(TEXTBOOK, "probabilities")
    assert header()["labels"] == list(lab.given.labels or ())


@pytest.mark.parametrize("theme", THEMES)
def test_figures_are_well_made_and_say_their_numbers(theme: Theme) -> None:
    overlaps = np.array([[1.0, 0.5], [0.5, 1.0]])
    divergences = np.array([[0.0, math.inf], [0.3, 0.0]])
    charts = [
        overlap_figure(["a", "b"], overlaps, theme),
        divergence_figure(["a", "b"], divergences, theme),
        draws_figure(["<b>x", "y"], np.array([7, 3]), np.array([0.6, 0.4]), theme),
        votes_figure(["water", "milk"], [20, 0], [12, 8], theme),
    ]
    for chart in charts:
        assert_is_well_made(chart)
        assert chart.caption.startswith(("Measured", "Derived"))
    assert "∞" in str(charts[1].figure.data[0].text)
    assert charts[2].figure.layout.xaxis.ticktext[0] == "&lt;b&gt;x"
    assert "Largest gap of a token: 10.0" in charts[2].caption


def test_a_text_is_only_ever_text() -> None:
    html = loop_html("<script>", "<b>again</b> & again")
    assert "<script>" not in html
    assert "&lt;b&gt;again&lt;/b&gt; &amp; again</mark>" in html
    assert "<mark" not in loop_html("no loop", "")
