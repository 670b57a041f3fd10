"""The triangle: what each row shows, what is covered, and what stepping through it does."""

import re

from pages.lessons.causal_mask.state import FIRST_ROWS, MAX_ROWS, MaskLesson
from pages.lessons.causal_mask.triangle import ANSWERS, SAID
from tests.frame.driving import kept, open_lesson, press
from viz.causal_mask.triangle import open_html, triangle_html
from viz.palette import colour

LABELS = ("The", "␣cat", "␣sat")


def boxes(html: str, role: str) -> int:
    return html.count(f"solid {colour(role)}") + html.count(f"dashed {colour(role)}")


def test_a_row_sees_itself_and_what_is_before_it_and_the_rest_is_covered_or_in_sight() -> None:
    covered = triangle_html(LABELS, 2, is_covered=True)
    assert (boxes(covered, "kept"), boxes(covered, "rejected")) == (1 + 2, 2 + 1)
    assert covered.count("color:transparent") == 3, "a covered word cannot be read"
    lifted = triangle_html(LABELS, 2, is_covered=False)
    assert (boxes(lifted, "kept"), boxes(lifted, "error")) == (3, 3)
    assert "color:transparent" not in lifted
    told = re.search('aria-label="(.+?)"', covered)
    assert told is not None
    assert "2 later hidden; asked for ␣cat" in told[1]


def test_nothing_is_hidden_or_marked_while_it_is_asked_what_must_be() -> None:
    html = open_html(LABELS, 2)
    assert (boxes(html, "kept"), boxes(html, "rejected"), boxes(html, "error")) == (6, 0, 0)
    own = rf"border-color:{re.escape(colour('chosen'))}[^<]*>(?:<i.+?</i>)?(\w+)<"
    assert re.findall(own, html) == ["The", "cat"]
    assert "color:transparent" not in html


def test_rows_come_and_go_and_another_text_begins_anew() -> None:
    app = open_lesson("pages/causal_mask.py")
    lesson = kept(app, "mask_lesson", MaskLesson)
    assert app.toggle(key="mask_uncovered").disabled, "there is no cover yet"
    assert app.button(key="mask_rows_step").disabled, "and no row before an answer"
    app.get_by_key(SAID).set_value(ANSWERS[0]).run()
    assert lesson.opening[:2] == ("Once", "␣upon"), "not the token that begins any text"
    assert (lesson.rows.steps.n_all, lesson.rows.steps.n_shown) == (MAX_ROWS, FIRST_ROWS)
    for _ in range(MAX_ROWS - FIRST_ROWS):
        press(app, "mask_rows_step")
    assert app.button(key="mask_rows_step").disabled
    assert lesson.rows.steps.n_shown == MAX_ROWS
    app.toggle(key="mask_uncovered").set_value(True).run()
    assert "#training-without-the-mask" in " ".join(one.value for one in app.markdown)
    press(app, "mask_rows_reset")
    assert lesson.rows.steps.n_shown == 1
    app.text_area(key="mask_text").set_value("The cat sat down").run()
    assert len(lesson.opening) - 1 == lesson.rows.steps.n_all == 3


def test_a_row_says_what_it_may_read() -> None:
    for is_covered, says in ((True, ["The", "The cat"]), (False, ["The cat sat"] * 2)):
        html = triangle_html(LABELS, 2, is_covered=is_covered)
        assert re.findall(r'data-says="position \d may read: (.+?)"', html) == says
        assert html.count('class="seen"') == (3 if is_covered else 6)
