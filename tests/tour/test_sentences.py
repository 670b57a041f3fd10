"""A scene's words, cut behind their first sentence."""

import pytest

from pages.lessons.tour.sentences import cut_first


@pytest.mark.parametrize(
    ("text", "first", "rest"),
    [
        ("One.", "One.", ""),
        ("One. Two? *Three* four.", "One.", "Two? *Three* four."),
        ("One is 0.5 wide, e. g. here.", "One is 0.5 wide, e. g. here.", ""),
        ("*One. Two* three. Four.", "*One. Two* three.", "Four."),
        ("一。二。三。", "一。", "二。三。"),
        ("ما هذا؟ هذا نص.", "ما هذا؟", "هذا نص."),
    ],
)
def test_the_first_sentence_is_cut_off(text: str, first: str, rest: str) -> None:
    assert cut_first(text) == (first, rest)
