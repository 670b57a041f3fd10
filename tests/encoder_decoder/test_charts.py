"""The figures of the encoder-decoder show the records' own numbers, and their words are data."""

from __future__ import annotations

import numpy as np

from model.encoder_decoder.records import Segment, TwoCaches
from tests.charts.drawn_charts import checked
from viz.encoder_decoder.charts import bytes_figure, caches_figure, gap_text_html

NASTY = ("<b>bold</b>", "$x$", "<script>", "␣the")


def caches(n_written: int) -> TwoCaches:
    return TwoCaches(
        cross=np.ones((2, 3, 5), dtype=np.float32),
        own=np.ones((2, 3, n_written), dtype=np.float32),
        source_labels=(*NASTY, "."),
        written_labels=NASTY[:n_written],
        cross_bytes=(0, *[500] * n_written),
        own_bytes=tuple(100 * n for n in range(n_written + 1)),
        encoder_seconds=0.003,
        n_encoder_passes=1,
        drift=0.0,
    )


def test_a_gap_is_a_box_and_its_text_is_data() -> None:
    pieces = (
        Segment("a <b>", "given"),
        Segment(" <i>dog", "written"),
        Segment(" ___", "open"),
        Segment("", "written"),
    )
    markup = gap_text_html(pieces)
    assert markup.count("<span") == 3
    assert "a &lt;b&gt; <span" in markup, "the space stands before the box"
    assert "&lt;i&gt;dog</span>" in markup
    assert "\u00a0</span>" in markup, "a gap that has been begun"


def test_two_caches_have_a_column_for_each_token() -> None:
    chart = caches_figure(caches(3))
    left, right = checked(chart).data[:2]
    assert (np.array(left.z).shape, np.array(right.z).shape) == ((6, 5), (6, 3))
    assert "changed not by a bit" in chart.caption
    assert "the encoder ran once" in chart.caption
    chart = bytes_figure(caches(3))
    assert "300\u202fB, 100\u202fB for each step" in chart.caption
    assert [list(trace.y) for trace in checked(chart).data] == [[0, *[500] * 3], [0, 100, 200, 300]]
