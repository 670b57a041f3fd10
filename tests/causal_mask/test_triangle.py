"""The triangle: what each row shows, what is covered, and what stepping through it does."""

import re

from streamlit.testing.v1 import AppTest

from pages.lessons.causal_mask.state import MAX_ROWS, MaskLesson
from pages.lessons.causal_mask.triangle import ANSWERS, SAID
from tests.frame.driving import kept, open_lesson
from viz.causal_mask.triangle import open_html, triangle_html
from viz.palette import colour

LABELS = ("The", "␣cat", "␣sat")


def boxes(html: str, role: str) -> int:
    return html.count(f"solid {colour(role)}") + html.count(f"dashed {colour(role)}")


def framed(html: str) -> list[str]:
    own = rf"border-color:{re.escape(colour('chosen'))}[^<]*>(?:<i.+?</i>)?(\w+)<"
    return re.findall(own, html)


def test_a_row_sees_itself_and_what_is_before_it_and_the_rest_is_covered_or_in_sight() -> None:
    covered = triangle_html(LABELS, is_covered=True)
    assert (boxes(covered, "kept"), boxes(covered, "rejected")) == (1 + 2, 2 + 1)
    assert covered.count("color:transparent") == 3, "a covered word cannot be read"
    lifted = triangle_html(LABELS, is_covered=False)
    assert (boxes(lifted, "kept"), boxes(lifted, "error")) == (3, 3)
    assert "color:transparent" not in lifted
    assert framed(covered) == framed(lifted) == ["The", "cat"], "the position stays in sight"
    told = re.search('aria-label="(.+?)"', covered)
    assert told is not None
    assert "2 later hidden; asked for cat" in told[1]


def test_nothing_is_hidden_or_marked_while_it_is_asked_what_must_be() -> None:
    html = open_html(LABELS)
    assert (boxes(html, "kept"), boxes(html, "rejected"), boxes(html, "error")) == (6, 0, 0)
    assert framed(html) == ["The", "cat"]
    assert "color:transparent" not in html


def test_the_cover_comes_with_the_answer_is_lifted_and_another_text_is_covered() -> None:
    app = open_lesson("pages/causal_mask.py")
    lesson = kept(app, "mask_lesson", MaskLesson)
    assert app.toggle(key="mask_uncovered").disabled, "there is no cover yet"
    assert (n_covered(app), n_rows(app)) == (0, MAX_ROWS)
    app.get_by_key(SAID).set_value(ANSWERS[0]).run()
    assert lesson.opening[:2] == ("Once", "␣upon"), "not the token that begins any text"
    assert (n_covered(app), n_rows(app)) == (MAX_ROWS * (MAX_ROWS + 1) // 2, MAX_ROWS)
    app.toggle(key="mask_uncovered").set_value(True).run()
    assert n_covered(app) == 0
    assert "#training-without-the-mask" in " ".join(one.value for one in app.markdown)
    app.text_area(key="mask_text").set_value("The cat sat down").run()
    assert n_rows(app) == len(lesson.opening) - 1 == 3


def n_covered(app: AppTest) -> int:
    return picture(app).count("color:transparent")


def n_rows(app: AppTest) -> int:
    return picture(app).count('class="mask-row"')


def picture(app: AppTest) -> str:
    (html,) = [one.proto.body for one in app.get("html") if 'class="mask-rows"' in one.proto.body]
    return html


def test_a_row_says_what_it_may_read() -> None:
    for is_covered, says in ((True, ["The", "The cat"]), (False, ["The cat sat"] * 2)):
        html = triangle_html(LABELS, is_covered=is_covered)
        assert re.findall(r'data-says="position \d may read: (.+?)"', html) == says
        assert html.count('class="seen"') == (3 if is_covered else 6)
