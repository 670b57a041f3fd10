"""What a head asks, answers and takes is what transformers' own attention computes."""

import numpy as np
import pytest
import torch

from benchmarks.small_shapes import small_config, small_model
from model.kv_cache.query_key_value import read_query
from model.passes import inputs_of, twin_of
from tests.charts.drawn_charts import checked
from tests.tiny_models import ARCHITECTURES, loaded, tiny
from viz.kv_cache.attention_chart import MAX_ROWS, attention_figure
from viz.kv_cache.squares_chart import HALF, squares_figure, total_html

WORDS = ("start", "␣The", "␣cat", "␣sat", "␣on", "␣the", "␣leopard", "␣and", "␣slept")


@pytest.mark.parametrize("name", ["llama", "gpt2", "qwen2", "roberta"])
def test_the_match_is_the_attention_that_transformers_computes(name: str) -> None:
    lm = tiny(name) if name in ARCHITECTURES else loaded(small_model(small_config(name)))
    ids = [3, 5, 7, 5, 11, 4, 9]
    head = read_query(lm, ids)
    assert head is not None
    with torch.inference_mode():
        inputs = inputs_of(lm, [ids]) | {"output_attentions": True}
        attentions = twin_of(lm, "eager")(**inputs).attentions
    own = attentions[head.layer - 1][0, head.head - 1, -1].numpy()
    assert np.allclose(head.weights, own, atol=1e-6)
    peaks = np.stack([layer[0, :, -1, 1:-2].numpy().max() for layer in attentions])
    assert head.weights[1:-2].max() == pytest.approx(peaks.max(), abs=1e-6)
    assert head.output == pytest.approx(own @ head.values, abs=1e-5)


@pytest.mark.parametrize("name", ["opt", "granite", "mistral", "gemma3_text"])
def test_where_a_match_is_computed_otherwise_none_is_shown(name: str) -> None:
    """Another scale, or a window of three tokens that hides the older ones."""
    assert read_query(loaded(small_model(small_config(name))), [3, 5, 7, 5, 11, 4, 9]) is None


def test_keys_and_values_are_those_of_the_cache() -> None:
    lm = tiny("llama")
    ids = [3, 5, 7, 5, 11, 4]
    head, cache = read_query(lm, ids), lm.new_cache()
    assert head is not None
    with torch.inference_mode():
        lm.model(**inputs_of(lm, [ids], cache))
    layer = cache.layers[head.layer - 1]
    for noted, kept in ((head.keys, layer.keys), (head.values, layer.values)):
        assert np.allclose(noted, kept[0, head.kv_head - 1, : len(ids)].numpy(), atol=1e-6)


def test_a_text_without_a_middle_has_nothing_to_look_at() -> None:
    assert read_query(tiny("llama"), [3, 5, 7]) is None


def test_the_picture_shows_the_tokens_that_weigh_most() -> None:
    head = read_query(tiny("llama"), list(range(3, 3 + 2 * MAX_ROWS)))
    assert head is not None
    keys = checked(attention_figure(head)).data[1]
    assert np.shape(keys.z) == (MAX_ROWS, head.keys.shape[1])


def test_squares_count_the_columns_of_every_pass_and_those_to_come_are_outlines() -> None:
    chart = squares_figure(WORDS, 6, 1)
    data = checked(chart).data
    without, cached = (np.array(half.z) for half in data if half.type == "heatmap")
    assert (without > 1).sum(axis=1).tolist() == [6, 7, 8, 9, 0]
    assert (cached > 1).sum(axis=1).tolist() == [6, 1, 1, 1, 0]
    lines = [half for half in data if half.type == "scatter" and half.mode != "text"]
    starts = [list(half.x[::6]) for half in lines]
    assert starts == [[column - HALF for column in range(10)]] * 2, "neither half foretells"
    assert all(half.x[1] - half.x[0] == pytest.approx(2 * HALF) for half in lines)
    titles = [note.text for note in checked(chart).layout.annotations]
    assert "6+7+8+9 = 30" in titles[0]
    assert "6+1+1+1 = 9" in titles[1]
    whole = checked(squares_figure(WORDS, 6, 0)).data
    assert [half.type for half in whole] == ["heatmap", "heatmap", "scatter"]


def test_where_squares_are_counted_only_those_to_come_are_outlined_and_the_sums_agree() -> None:
    covered = squares_figure(WORDS[:6], 6, 3, sums=False)
    lines = [half for half in covered.figure.data if half["type"] == "scatter"]
    assert [len(half["x"]) // 6 for half in lines] == [7 + 8 + 9, 1 + 1 + 1]
    whole = squares_figure(WORDS[:9], 6, 0, sums=False).figure.data
    painted = [int((np.array(half["z"]) > 1).sum()) for half in whole if half["type"] == "heatmap"]
    assert painted == [30, 9]
    for half, n_painted in enumerate(painted):
        total = total_html(6, 4, half)
        assert f"<b>{n_painted}</b>" in total
        assert (
            sum(map(int, total.partition(" = ")[2].removesuffix("</p>").split(" + "))) == n_painted
        )


def test_squares_are_covered_alike_before_the_answer_and_the_picture_keeps_its_height() -> None:
    covered = checked(squares_figure(WORDS[:6], 6, 5))
    lines = [half for half in covered.data if half.type == "scatter"]
    outlines = [len(half.x) // 6 for half in lines]
    assert outlines == [7 + 8 + 9 + 10 + 11] * 2, "neither half tells the answer"
    heights = {
        checked(squares_figure(WORDS[:1] * n, 6, max(0, 11 - n))).layout.height
        for n in (6, 7, 11, 30, 120)
    }
    assert heights == {covered.layout.height}


def test_squares_bear_their_tokens_while_there_is_room() -> None:
    axis = checked(squares_figure(WORDS, 6, 1)).layout.xaxis
    assert dict(zip(axis.tickvals, axis.ticktext, strict=True))[6] == "leopard"
    assert len(axis.tickvals) == len(WORDS)
    named = checked(squares_figure(WORDS, 6, 0)).data[-1]
    assert len(named.text) == len(WORDS) - 6
    assert [x - y for x, y in zip(named.x, named.y, strict=True)] == [5] * len(named.text)
    assert named.y[0] == 1, "each in the square that its own pass computes"
    crowded = checked(squares_figure(WORDS * 3, 6, 1)).layout
    assert not crowded.xaxis.visible
