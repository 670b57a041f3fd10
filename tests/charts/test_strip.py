"""Texts as markup: what is put in stays text, and a part is marked without the space before it."""

from viz.strip import prose


def test_a_prose_marks_its_parts_and_nothing_in_them_is_markup() -> None:
    html = prose(("She <b>ate</b>", ""), (" her", "generated"), (" shoes", "error"), ("", "error"))
    assert "She &lt;b&gt;ate&lt;/b&gt; <span" in html
    assert ">her</span> <span" in html
    assert html.count("<span") == 2
    joined = prose((" He", "generated"), (" lives", "generated"), ("", "error"))
    assert ">He lives</span>" in joined, "tokens of one writer are one stretch"
    assert "solid var(--generated)" in html
    assert "dashed var(--error)" in html, "a mishap is told by more than its colour"
