"""A scene's words, cut before their last sentence."""

import pytest

from pages.lessons.tour.sentences import cut_last


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("One.", "", "One."),
        ("One. Two? *Three* four.", "One. Two?", "*Three* four."),
        ("One is 0.5 wide, e. g. here.", "", "One is 0.5 wide, e. g. here."),
        ("*One. Two* three.", "", "*One. Two* three."),
        ("一。二。", "一。", "二。"),
        ("ما هذا؟ هذا نص.", "ما هذا؟", "هذا نص."),
    ],
)
def test_the_last_sentence_is_cut_off(text: str, first: str, last: str) -> None:
    assert cut_last(text) == (first, last)
