"""A lesson opened by its link: it begins so, offers the same again, and names what it cannot do."""

from collections.abc import Callable
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from pages.frame import first_paint
from pages.lessons.classroom import phone
from pages.lessons.diffusion.state import DiffusionLesson
from pages.lessons.speculative.state import SpeculativeLesson
from tests.driving.harness import by_key, wait_idle
from tests.frame.driving import kept, offered, opened

LINKS = {
    "speculative": "prompt=The+dog+<b>ran</b>+%26+ran&draft=scribbler_plain&temperature=1.1"
    "&top_p=0.7&seed=7&guesses=6&whole=1",
    "diffusion": "beginning=The+cat&ending=&passes=4&positions=12&temperature=0.6"
    "&order=left+to+right&blocks=8&seed=9",
    "beam_search": "prompt=The+little+dog&beams=2&tokens=5&ends=text&penalty=0.5&searched=1"
    "&exact_tokens=4",
    "futures": "prompt=A+bird&tokens=2&mass=0.8&passes=2&beams=4&temperature=0.7&top_k=40"
    "&top_p=0.9&min_p=0.01&selected=300,301&top=300&drops=20",
    "constraints": "kind=pattern&prompt=At+the+zoo+the+children+saw"
    "&constraint=+an+elephant|+a+pillow&temperature=0.4",
    "causal_mask": "text=The+old+fox+hid+a+silver+spoon+under+the+bridge.&mask=off&layer=2&head=1"
    "&position=3&instead=+cat",
    "kv_cache": "model=scribbler&prompt=A+bird&seed=5&top_k=4&order=vllm&temperature=1.2"
    "&min_p=0.05&context=1000",
    "prefill_decode": "shape=typed&layers=4&prompt=A+bird",
    "roofline": "shape=typed&layers=4&price=2.5",
    "serving": "prompts=A+bird+|+3%0AThe+cat+|+5&arrivals=together&rate=7&slots=2&axis=passes"
    "&chunk=16&blocks=5",
    "sampling": "source=typed&typed=a:+1%0Ab:+2&unit=logits&top_k=3&use=top_k,eta&eta=0.01"
    "&temperature=0.9&loop_prompt=La+la&bar_temperature=0.5&bar_top_p=0.3",
    "engines": "source=flat&use=top_p,min_p&draw_from=order:vllm&aim_prompt=The+fox",
    "snowball": "prompt=A+bird&temperature=0.3&seed=4&place=3&word=moon",
    "teacher_forcing": "prompt=A+bird&seed=4&place=3&rank=5&after=9",
}


def opened_by_link(page: str) -> tuple[AppTest, dict[str, str]]:
    link = dict(parse_qsl(LINKS[page], keep_blank_values=True))
    return opened(page, **link), link


@pytest.mark.parametrize("page", LINKS)
def test_a_lesson_opened_by_its_link_offers_the_same_link(page: str) -> None:
    app, link = opened_by_link(page)
    assert not app.warning
    assert not app.error
    assert offered(app) == link


@pytest.mark.parametrize(
    ("page", "taken", "left_out", "why"),
    [
        ("kv_cache", {"prompt": "A bird"}, {"model": "unmasker"}, "unmasker is a masked model"),
        ("kv_cache", {"prompt": "A bird"}, {"model": "openai-community/gpt2"}, "not on this"),
        ("diffusion", {"seed": "3"}, {"model": "storyteller"}, "storyteller is a causal model"),
        ("sampling", {"bar_top_p": "0.5"}, {"bar_temperature": "1e-320"}, "0 for greedy, or"),
        ("causal_mask", {"head": "2", "mask": "off"}, {"layer": "60"}, "no such layer"),
    ],
)
def test_what_cannot_be_had_is_named_and_the_rest_is_followed(
    page: str, taken: dict[str, str], left_out: dict[str, str], why: str
) -> None:
    app = opened(page, **taken, **left_out)
    assert [why in warning.value for warning in app.warning] == [True]
    link = offered(app)
    assert taken.items() <= link.items()
    assert not left_out.items() & link.items()


def test_a_lesson_runs_as_its_link_says() -> None:
    page = kept(opened_by_link("diffusion")[0], "diffusion_lesson", DiffusionLesson).page
    assert (page.length, len(page.plan), page.seed, page.order) == (12, 4, 9, "left to right")
    lesson = kept(opened_by_link("speculative")[0], "spec_lesson", SpeculativeLesson)
    assert lesson.pair.draft_name == "scribbler_plain"
    assert len(lesson.stepper.steps.rounds[0].proposals) == 6


def test_what_was_not_followed_is_said_as_text_until_the_reader_goes_on() -> None:
    app = opened("speculative", seed="![a](http://b.c/d)")
    assert r"“!\[a\]" in app.warning[0].value
    app.number_input(key="spec_seed").set_value(8).run()
    app.run()
    assert not app.warning


def test_the_snowball_link_chooses_the_token_to_force() -> None:
    app = opened("snowball", prompt="A bird", word="moon")
    app.selectbox(key="snowball_token").select_index(2).run()
    link = offered(app)
    assert "word" not in link
    assert opened("snowball", **link).selectbox(key="snowball_token").value == int(link["token"])


@pytest.mark.browser
def test_a_link_is_copied_and_stands_in_the_address(
    turn_to: Callable[[str], Page], url: str
) -> None:
    page = turn_to("kv_cache")
    by_key(page, "kv_setup").locator("summary").click()
    asked = {"prompt": "The dog ran & <b>ran</b>", "context": "1000"}
    for name, text in asked.items():
        field = by_key(page, f"kv_{name}").locator("input")
        field.fill(text)
        field.press("Enter")
        wait_idle(page)  # what stands above the button changes its height
    by_key(page, "kv_link").get_by_role("button").click()
    link = f"{url}/kv_cache?{urlencode(asked)}"
    expect(page.get_by_test_id("stDialog").locator("code")).to_have_text(link)
    expect(page).to_have_url(link)
    page.keyboard.press("Escape")


def test_pages_have_their_style_below_a_base_path_and_at_unknown_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_paint.st.config, "get_option", lambda _name: "/demo/")
    base = first_paint.base_path()
    paths = {route.path for route in (*first_paint.routes(base), *phone.routes(base))}
    assert {"/demo/", "/demo/kv_cache", "/demo/room/{code}", "/demo/room/{code}/state"} < paths
    for address, is_late in (("http://a/demo/kv_cache", False), ("http://a/no_page", True)):
        context = SimpleNamespace(url=address)
        streamlit = SimpleNamespace(context=context, session_state={})
        monkeypatch.setattr(first_paint, "st", streamlit)
        assert first_paint.late_style() == (first_paint.STYLE if is_late else "")
