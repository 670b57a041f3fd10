"""The course: every link to the laboratory leads to a heading that its page has."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.frame.contents import CLASS, COURSE, LABORATORY, LESSONS, anchor_of, page_of_section
from pages.frame.second_run import WHOLE
from pages.lessons.tour.scenes import parse_lesson
from tests.driving.harness import Witness, by_key, visit
from tests.frame.accessibility import forget_first_requests
from tests.frame.driving import opened
from tests.nightly import nightly

LABORATORIES = {lesson.stem: lesson.sections for lesson in LESSONS if lesson.sections}
PAGES = (
    *("causal_mask", "diffusion", "kv_cache", "prefill_decode", "serving"),
    *("sampling", "snowball", "speculative", *LABORATORIES),
)
SCENE = """# A lesson

Of one scene.

## A scene

Words.

Page: /{}

Question: Why?

Choices: this | that

Right: this

Answer: So.

Remember: This.
"""
MAX_LETTERS = 90  # of a sentence that one remembers
STAYS = 700  # milliseconds; what brings a reader back to where they were moves the page for 500
WRITTEN_MS = 20_000  # for a few tokens, each shown for a moment


@pytest.mark.parametrize("page", PAGES)
def test_every_link_to_the_laboratory_leads_to_a_heading(page: str) -> None:
    app = opened(page)
    texts = [one.value for one in app.markdown]
    (jumps,) = [text for text in texts if text.startswith(":small[In the laboratory")]
    links = re.findall(r"\(#(.+?)\)", jumps)
    headings = {anchor_of(heading.value) for heading in (*app.header, *app.subheader)}
    assert set(links) <= headings
    assert len(links) == len(LABORATORIES.get(page, links)) > 0


def test_a_laboratory_waits_for_the_browser_but_not_in_a_guided_lesson() -> None:
    app = opened("constraints")
    del app.session_state[WHOLE]
    for change, n_sections in (
        (lambda: None, 0),
        (lambda: app.query_params.update({"lesson": "sampling/1"}), 1),
        (lambda: app.query_params.pop("lesson"), 0),
        (lambda: setattr(app.session_state, "rest_unseen", {"is_painted": True}), 1),
    ):
        change()
        app.run()
        assert not app.exception
        assert len(app.header) == n_sections


def test_a_course_comes_before_the_laboratory_and_each_page_has_its_two_sentences() -> None:
    parts = [lesson.part for lesson in LESSONS]
    assert list(dict.fromkeys(parts)) == [*COURSE, LABORATORY, CLASS]
    of_course = [lesson for lesson in LESSONS if lesson.part in COURSE and not lesson.is_home]
    sentences = [said for lesson in of_course for said in (lesson.claim, lesson.remember)]
    assert all(said.endswith(".") and len(said) < MAX_LETTERS for said in sentences)
    assert len(set(sentences)) == 2 * len(of_course)


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("snowball#the-thread", "teacher_forcing"),
        ("sampling?source=flat#do-the-draws-follow-the-distribution", "engines"),
        ("prefill_decode#padding", "roofline"),
        ("prefill_decode#streaming", "prefill_decode"),
        ("kv_cache#padding", "kv_cache"),  # another page's section of that name stays there
    ],
)
def test_a_scene_of_a_section_that_moved_opens_where_it_stands(link: str, page: str) -> None:
    (scene,) = parse_lesson("old", SCENE.format(link)).scenes
    assert (scene.page, scene.heading) == (page, link.partition("#")[2])
    assert page_of_section(page, scene.heading) == page


@pytest.mark.browser
@pytest.mark.parametrize(
    ("link", "goes_to"),
    [
        ("prefill_decode?prompt=A+bird#cost-per-token", "roofline"),
        nightly(("sampling?draw_from=alone%3Atop_k", "engines")),
    ],
)
def test_a_link_to_what_moved_goes_on(
    page: Page, url: str, witness: Witness, link: str, goes_to: str
) -> None:
    visit(page, f"{url}/{link}")
    query, _, section = link.partition("?")[2].partition("#")
    page.wait_for_url(lambda at: f"/{goes_to}?" in at and query in at)  # the page adds its own
    if section:
        expect(page.locator(f"[id='{section}']")).to_be_in_viewport()
    forget_first_requests(witness)


@pytest.mark.browser
def test_the_sentence_to_remember_waits_for_the_answer(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("constraints")
    remember = page.locator(".st-key-summary .remember")
    expect(remember).to_be_attached()
    expect(remember).to_be_hidden()
    by_key(page, "constraint_said_asked").get_by_role("radio").first.click()
    play = by_key(page, "constraint_play").get_by_role("button")
    expect(play).to_be_enabled()
    expect(remember).to_be_hidden()  # nothing has answered yet
    play.click()
    expect(remember).to_be_visible(timeout=WRITTEN_MS)


@pytest.mark.browser
@pytest.mark.parametrize(("page_name", "part"), [("claims", "#claim-c27")])
def test_a_link_to_a_part_of_the_page_goes_there_and_stays(
    page: Page, url: str, witness: Witness, page_name: str, part: str
) -> None:
    visit(page, f"{url}/{page_name}")
    expect(page.locator(part)).not_to_be_in_viewport()
    page.locator(f"a[href='{part}']").first.click()
    expect(page.locator(part)).to_be_in_viewport()
    page.wait_for_timeout(STAYS)
    expect(page.locator(part)).to_be_in_viewport()
    forget_first_requests(witness)
