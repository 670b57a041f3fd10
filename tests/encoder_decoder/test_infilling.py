"""Gaps and who fills them: by hand, on a tiny encoder-decoder, beside transformers, and drawn."""

import numpy as np
import pytest
import torch

from model.encoder_decoder.gaps import segments, sentinel_ids, with_sentinels
from model.encoder_decoder.infilling import Infilling
from model.encoder_decoder.records import Segment
from tests.charts.drawn_charts import checked
from tests.tiny_fillers import SENTINELS, tiny_gapfiller
from tests.tiny_models import tiny
from viz.encoder_decoder.charts import bytes_figure, caches_figure, gap_text_html

TEXT = "the ___ he __ the."
ONE_POSITION = 2 * 2 * 4 * 8 * 4  # keys and values, layers, heads, numbers, bytes


def written(n_tokens: int = 5) -> Infilling:
    text = Infilling(tiny_gapfiller(), TEXT, max_new_tokens=12)
    for _ in range(n_tokens):
        text.step()
    return text


def test_underscores_become_sentinels_in_turn() -> None:
    lm = tiny_gapfiller()
    assert with_sentinels(lm, TEXT) == "the<extra_id_0> he<extra_id_1> the."
    assert lm.tokenizer.convert_ids_to_tokens(sentinel_ids(lm)) == list(SENTINELS)


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ([" dog", " saw"], "the dog he saw the."),
        (["dog", ","], "the dog he, the."),  # a word without its space gets one
        ([" dog"], "the dog he __ the."),
        ([], TEXT),
    ],
)
def test_answers_go_into_their_gaps(answers: list[str], text: str) -> None:
    found = segments(TEXT, answers)
    assert "".join(one.text for one in found) == text
    kinds = [one.kind for one in found]
    assert kinds[::2] == ["given"] * 3
    assert kinds[1::2] == (["written"] * len(answers) + ["open"] * 2)[:2]


def test_the_encoder_runs_once_and_its_cache_stays_while_the_other_grows() -> None:
    text = written(5)
    caches, n_source = text.look(), len(text.source_ids)
    assert caches.n_encoder_passes == 1
    assert caches.drift == 0
    assert caches.cross.shape == (2, 4, n_source)
    assert caches.own.shape == (2, 4, 5)
    assert caches.cross_bytes == (0, *[n_source * ONE_POSITION] * 5)
    assert caches.own_bytes == tuple(n * ONE_POSITION for n in range(6))
    assert len(caches.written_labels) == 5
    chart = caches_figure(caches)
    left, right = checked(chart).data[:2]
    assert (np.array(left.z).shape, np.array(right.z).shape) == ((8, n_source), (8, 5))
    assert "changed not by a bit" in chart.caption
    assert "the encoder ran once" in chart.caption
    sizes = [tuple(trace.y) for trace in checked(bytes_figure(caches)).data]
    assert sizes == [caches.cross_bytes, caches.own_bytes]
    text.states = text.states + 0.5
    assert text.look().drift == pytest.approx(0.5, abs=1e-3), "a change of the states is seen"


def test_a_gap_is_a_box_and_its_text_is_data() -> None:
    pieces = [("a <b>", "given"), (" <i>dog", "written"), (" ___", "open"), ("", "written")]
    markup = gap_text_html([Segment(*piece) for piece in pieces])
    assert markup.count("<span") == 3
    assert "a &lt;b&gt; <span" in markup, "the space stands before the box"
    assert "&lt;i&gt;dog</span>" in markup
    assert "\u00a0</span>" in markup, "a gap that has been begun"


def test_back_takes_one_position_off_and_step_writes_the_same_again() -> None:
    text = written(5)
    ids = list(text.ids)
    text.back()
    text.back()
    assert text.look().own.shape[2] == 3
    text.step()
    text.step()
    assert text.ids == ids
    assert np.array_equal(text.look().own, written(5).look().own)


def test_it_stops_at_the_length_limit_and_says_so() -> None:
    text = Infilling(tiny_gapfiller(), TEXT, max_new_tokens=3)
    while text.finished is None:
        text.step()
    assert len(text.written_ids) <= 3
    text.back()
    assert text.finished is None


def test_answers_are_what_follows_each_sentinel() -> None:
    text = written(0)
    first, second, third = sentinel_ids(text.lm)
    the, he = (
        text.lm.tokenizer(word, add_special_tokens=False)["input_ids"] for word in (" the", " he")
    )
    text.ids += [*he, second, *the, first, *he]
    assert text.answers == [" he", " the"], "by the sentinel, in whatever order they come"
    text.ids += [second, *he, third, *the, *text.lm.end_ids]
    assert text.answers == [" he", " the"], "the first counts, and there is no third gap"
    assert text.filled_text == "the he he the the."


def test_a_sentinel_that_no_gap_has_ends_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(1)
    _, second, third = sentinel_ids(text.lm)
    for token_id, finished in ((second, None), (third, "gaps")):
        logits = np.eye(text.lm.vocab_size, dtype=np.float32)[token_id]
        monkeypatch.setattr(text, "_decode", lambda _, logits=logits: logits)
        text.step()
        assert text.finished == finished


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no gap here", "mark one or more by three underscores"),
        ("", "mark one or more"),
        ("__ __ __ __", "has 4 gaps and"),
        ("\ud800 ___", "half of one"),
    ],
)
def test_a_text_that_will_not_do_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Infilling(tiny_gapfiller(), text)
    with pytest.raises(ValueError, match="such as gapfiller"):
        Infilling(tiny("llama"), TEXT)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "text", ["the __ he ___ the", "___", "a long text about the __ cat and it"]
)
def test_the_loop_writes_what_generate_writes(text: str, seed: int) -> None:
    ours = Infilling(tiny_gapfiller(seed), text, max_new_tokens=16)
    while ours.finished is None:
        ours.step()
    source = torch.tensor([ours.source_ids])
    theirs = ours.lm.model.generate(source, do_sample=False, num_beams=1, max_new_tokens=16)
    assert ours.ids == theirs[0, : len(ours.ids)].tolist()
    assert len(ours.ids) == len(theirs[0]) or ours.finished == "gaps"


def test_a_line_runs_from_the_gap_that_is_filled_below_the_words_after_it() -> None:
    pieces = [Segment("a ", "given"), Segment("cat", "written"), Segment(" ran to ", "given")]
    pieces += [Segment(" ___", "open"), Segment(" home", "given")]
    before, after = gap_text_html(pieces, is_over=False).split("border-bottom:4px")
    assert "cat" in before
    assert all(words in after and words not in before for words in ("ran to", "home"))
    assert "border-bottom:4px" not in gap_text_html(pieces), "nothing is written any more"
