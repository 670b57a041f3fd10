"""The pictures on the lessons' cards: what they draw is the model's, and each lesson has one."""

import json
import re

import pytest

from benchmarks.lesson_cards import record_cards
from model.language_model import LanguageModel
from pages.lessons.tour.cards import RECORDED, card_picture
from pages.lessons.tour.scenes import lesson_names, read_lesson

KNOWN = json.loads(RECORDED.read_text("utf-8"))


def test_the_cards_draw_what_the_model_gives(storyteller: LanguageModel) -> None:
    found = json.loads(json.dumps(record_cards(storyteller)))
    for name in ("whole", "cut"):
        assert found[name] == pytest.approx(KNOWN[name], abs=1e-3)
    for name in ("words", "tree", "race"):
        assert found[name] == KNOWN[name]
    assert found["cut"] != pytest.approx(KNOWN["whole"], abs=1e-3), "what is cut looks cut"


def test_each_lesson_of_the_course_has_a_picture_of_its_own() -> None:
    pages = [read_lesson(name).scenes[0].page for name in lesson_names()]
    pictures = [card_picture(page) for page in pages]
    assert all(pictures)
    assert len(set(pictures)) == len(pages)
    assert card_picture("glossary") == "", "a school's own lesson may have none"


def test_the_thick_path_wins_and_greedy_s_is_dropped() -> None:
    ends = {look: [one for one in KNOWN["tree"] if one["look"] == look][-1]["to"]
            for look in ("best", "greedy")}  # fmt: skip
    assert ends["best"][1] == 0
    assert ends["greedy"][1] > ends["best"][1]


def test_each_picture_names_its_parts() -> None:
    for name in lesson_names():
        picture = card_picture(read_lesson(name).scenes[0].page)
        assert re.search(r"<small[^>]*>[^<]*\w", picture), name
