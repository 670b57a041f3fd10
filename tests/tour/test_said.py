"""What was said to a lesson's questions: kept in the address, read as a stranger's."""

from hypothesis import given
from hypothesis import strategies as st

from pages.lessons.tour.said import cleaned, is_right, read_said, reply_of, write_said
from pages.lessons.tour.scene_file import MAX_SCENES
from pages.lessons.tour.scenes import Scene, parse_lesson

FORM = """# A

## B

Words.

Page: /

{}

Question: Why?

Answer: So.
"""


def scene(fields: str) -> Scene:
    return parse_lesson("mine", FORM.format(fields)).scenes[0]


REPLIES = st.text(min_size=1).map(cleaned).filter(bool)


@given(st.dictionaries(st.integers(1, MAX_SCENES), REPLIES, max_size=MAX_SCENES))
def test_what_was_said_is_read_again(said: dict[int, str]) -> None:
    assert read_said(write_said(said)) == said


@given(st.text())
def test_any_address_is_read_and_nothing_is_right_by_accident(text: str) -> None:
    asking = scene("Reply: a number\n\nRight: 6")
    for number, said in read_said(text).items():
        assert 1 <= number <= MAX_SCENES
        reply = reply_of(asking, said)
        assert not reply or is_right(asking, reply) == (float(said) == 6)


def test_a_choice_is_kept_by_its_number() -> None:
    asking = scene("Choices: yes | no\n\nRight: no")
    assert [reply_of(asking, said) for said in ("1", "2", "0", "3", "no", "²")] == [
        *("yes", "no"),
        *[""] * 4,
    ]
    assert [is_right(asking, reply) for reply in ("yes", "no")] == [False, True]
    assert is_right(scene("Choices: yes | no"), "yes") is None


def test_words_and_shares() -> None:
    assert is_right(scene("Reply: a word\n\nRight: grass"), "Grass")
    share = scene("Reply: a share\n\nRight: 25")
    assert reply_of(share, "25") == "25 %"
    assert is_right(share, "25 %")
    assert not is_right(share, "26 %")
    assert reply_of(share, "nan") == reply_of(share, "much") == ""
