"""A lesson opened by its link: it begins so, offers the same again, and names what it cannot do."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pages.frame import first_paint
from pages.lessons.classroom import phone
from pages.lessons.diffusion.state import DiffusionLesson
from pages.lessons.speculative.state import SpeculativeLesson
from tests.frame.driving import kept, offered, opened, press

LINKS: dict[str, dict[str, str]] = {
    "speculative": {
        "prompt": "The dog <b>ran</b> & ran",
        "draft": "scribbler_plain",
        "temperature": "1.1",
        "top_p": "0.7",
        "seed": "7",
        "guesses": "6",
        "whole": "1",
    },
    "diffusion": {
        "beginning": "The cat",
        "ending": "",
        "passes": "4",
        "positions": "12",
        "temperature": "0.5",
        "order": "left to right",
        "blocks": "8",
        "seed": "9",
    },
    "beam_search": {
        "prompt": "The little dog",
        "beams": "2",
        "tokens": "5",
        "ends": "text",
        "penalty": "0.5",
        "searched": "1",
        "exact_tokens": "4",
    },
    "constraints": {
        "kind": "pattern",
        "prompt": "At the zoo the children saw",
        "constraint": " an elephant| a pillow",
        "temperature": "0.4",
    },
    "causal_mask": {
        "text": "The old fox hid a silver spoon under the bridge.",
        "mask": "off",
        "layer": "2",
        "head": "1",
        "position": "3",
        "instead": " cat",
    },
    "kv_cache": {
        "prompt": "A bird",
        "seed": "5",
        "top_k": "4",
        "order": "vllm",
        "temperature": "1.2",
        "min_p": "0.05",
        "context": "1000",
    },
    "prefill_decode": {"shape": "typed", "layers": "4", "prompt": "A bird", "price": "2.5"},
    "serving": {
        "prompts": "A bird | 3\nThe cat | 5",
        "arrivals": "together",
        "rate": "7",
        "slots": "2",
        "axis": "passes",
        "chunk": "16",
        "blocks": "5",
    },
    "sampling": {
        "source": "typed",
        "typed": "a: 1\nb: 2",
        "unit": "logits",
        "top_k": "3",
        "use": "top_k,eta",
        "eta": "0.01",
        "draw_from": "order:vllm",
        "temperature": "0.9",
    },
    "snowball": {
        "prompt": "A bird",
        "temperature": "0.3",
        "seed": "4",
        "place": "3",
        "word": "moon",
        "rank": "5",
    },
}


@pytest.mark.parametrize("page", LINKS)
def test_a_lesson_opened_by_its_link_offers_the_same_link(page: str) -> None:
    app = opened(page, **LINKS[page])
    assert not app.warning
    assert not app.error
    assert offered(app) == LINKS[page]


def test_the_speculative_lesson_steps_as_its_link_says() -> None:
    app, again = (opened("speculative", **LINKS["speculative"]) for _ in range(2))
    lesson, same = (kept(one, "spec_lesson", SpeculativeLesson) for one in (app, again))
    settings = lesson.stepper.steps.text.settings
    assert (settings.temperature, settings.top_p) == (1.1, 0.7)
    assert lesson.pair.draft_name == "scribbler_plain"
    assert len(lesson.stepper.steps.rounds[0].proposals) == 6
    for one in (app, again):
        press(one, "spec_step")
    assert same.stepper.steps.text.ids == lesson.stepper.steps.text.ids
    app.number_input(key="spec_seed").set_value(8).run()
    assert offered(app) == LINKS["speculative"] | {"seed": "8"}


def test_the_diffusion_lesson_fills_as_its_link_says() -> None:
    app = opened("diffusion", **LINKS["diffusion"])
    page = kept(app, "diffusion_lesson", DiffusionLesson).page
    assert (page.length, len(page.plan), page.seed, page.order) == (12, 4, 9, "left to right")
    known = opened("diffusion", beginning="", ending="")
    assert known.selectbox(key="diffusion_page").value == "Nothing"


def test_what_a_model_lacks_is_left_out_of_a_link_and_the_rest_is_followed() -> None:
    app = opened("causal_mask", layer="60", head="2", mask="off")
    assert "no such layer" in app.warning[0].value
    assert app.session_state["mask_head"] == 2
    assert app.session_state["mask_mask"] == "off"


def test_a_link_s_model_is_loaded_and_one_that_will_not_do_is_named() -> None:
    app = opened("kv_cache", model="scribbler", prompt="A bird", seed="3")
    assert not app.warning
    assert offered(app) == {"model": "scribbler", "prompt": "A bird", "seed": "3"}
    app = opened("kv_cache", model="unmasker", prompt="A bird")
    assert "unmasker is a masked model" in app.warning[0].value
    assert offered(app) == {"prompt": "A bird"}
    app = opened("kv_cache", model="openai-community/gpt2", prompt="A bird")
    assert "openai-community/gpt2 is not on this machine" in app.warning[0].value
    assert offered(app) == {"prompt": "A bird"}
    app = opened("diffusion", model="storyteller", seed="3")
    assert "storyteller is a causal model" in app.warning[0].value
    assert "model" not in offered(app)
    assert offered(app)["seed"] == "3"


def test_what_a_link_says_is_no_markdown_and_goes_once_the_reader_goes_on() -> None:
    app = opened("speculative", seed="![a](http://b.c/d)")
    assert "![a](" not in app.warning[0].value
    assert r"\[a\]" in app.warning[0].value
    app.number_input(key="spec_seed").set_value(8).run()
    app.run()
    assert not app.warning


def test_the_snowball_link_chooses_the_token_to_force() -> None:
    app = opened("snowball", **LINKS["snowball"])
    assert app.number_input(key="snowball_place").value == 3
    assert app.text_input(key="snowball_word").value == "moon"
    app.selectbox(key="snowball_token").select_index(2).run()
    link = offered(app)
    assert "word" not in link
    again = opened("snowball", **link)
    assert again.selectbox(key="snowball_token").value == int(link["token"])


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
