"""Worksheets and solutions: every scene's question once, no answer on a worksheet, own numbers."""

import re
from pathlib import Path

import pytest
from markupsafe import escape

from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from pages.frame.contents import COURSE
from pages.frame.words import Language, speaking
from pages.lessons.tour import scenes
from pages.lessons.tour.paper import (
    FIRST,
    chapters,
    lesson_solutions,
    lesson_worksheet,
    marked,
    numbers,
    part_of,
    solutions,
    worksheet,
)
from pages.lessons.tour.scenes import Scene, lesson_names, read_lesson
from tests.frame.driving import open_lesson
from viz.format import percent

HOSTILE = """# <script>alert(1)</script>

About.

## <img src=x onerror=alert(2)>

Words.

Page: /?prompt=<b>A+bird</b>

Question: Is *it* <i>safe</i>?

Choices: <u>yes</u> | no

Right: no

Answer: `**<script>**`
"""


def all_scenes() -> list[Scene]:
    return [scene for name in lesson_names() for scene in read_lesson(name).scenes]


def test_every_question_stands_on_one_worksheet_and_its_answer_on_none(
    storyteller: LanguageModel,
) -> None:
    parts = chapters()
    assert set(parts) <= set(COURSE)
    assert len(parts) >= 4
    sheets = {part: worksheet(part) for part in parts}
    solved = {part: solutions(part, storyteller) for part in parts}
    for scene in all_scenes():
        if part_of(scene) not in COURSE:  # the laboratory's
            continue
        question = str(marked(scene.question))
        assert [part for part, sheet in sheets.items() if question in sheet] == [part_of(scene)]
        assert question in solved[part_of(scene)]
        for choice in scene.choices:  # its box and its words stand on one line
            assert f'<span class="choice">☐ {escape(choice)}</span>' in sheets[part_of(scene)]
        for secret in (scene.answer, scene.remember, scene.note):
            assert not secret or str(marked(secret)) not in "".join(sheets.values())
    for part, sheet in sheets.items():
        assert sheet.count("<li>") == solved[part].count("<li>") > 0
        assert '<html lang="en" dir="ltr">' in sheet
        starts = [int(n) for n in re.findall(r'<ol start="(\d+)"', sheet)]
        assert starts == sorted(set(starts)), "one numbering through the part"


def test_a_lesson_s_sheet_has_its_questions_in_order_and_bars_to_draw_on(
    storyteller: LanguageModel,
) -> None:
    scenes = read_lesson(FIRST).scenes
    sheet, solved = lesson_worksheet(FIRST), lesson_solutions(FIRST, storyteller)
    for page in (sheet, solved):
        places = [page.index(str(marked(scene.question))) for scene in scenes]
        assert places == sorted(places)
        assert "<h2>" not in page, "a lesson goes from page to page"
    n_bars = sum("draw bar" in scene.light for scene in scenes)
    assert sheet.count('class="bar"') == n_bars > 0
    assert not any(str(marked(scene.answer)) in sheet for scene in scenes)
    assert "font/woff2" in sheet, "it bears the face that it is read in"
    end = open_lesson("pages/tour.py", done=FIRST)
    keys = {one.proto.id.rpartition("-")[2] for one in end.get("download_button")}
    assert {"paper_worksheet", "paper_solutions"} <= keys


def test_the_numbers_are_this_model_s(storyteller: LanguageModel) -> None:
    (scene,) = [one for one in read_lesson("how-a-model-writes").scenes if one.right == "5"]
    told = str(numbers(scene, storyteller))
    text = Generation(storyteller, dict(scene.query)["prompt"])
    probs = text.stages_for(Settings())[-1].best_probs
    assert f"after {text.n_prompt} tokens" in told
    assert [f"” {percent(prob)}" in told for prob in probs[:6]] == [True] * 5 + [False]
    n_kept = len(text.stages_for(Settings(top_p=0.5))[-1].order)
    assert str(n_kept) == scene.right, "what the lesson says is what the model does"


def test_a_sheet_is_in_the_reader_s_language_and_names_that_of_an_english_lesson() -> None:
    with speaking(Language("de")):
        sheet = worksheet(COURSE[0])
        question = str(marked(read_lesson(FIRST).scenes[2].question))
    assert '<html lang="de" dir="ltr">' in sheet
    assert question in sheet
    english = sheet[: sheet.index(question)].rpartition("<li")[2]
    assert english.startswith(">")
    with speaking(Language("ar")):
        sheet = worksheet(COURSE[1])
    assert '<html lang="ar" dir="rtl">' in sheet
    assert '<li lang="en" dir="ltr">' in sheet


def test_a_school_s_own_lesson_is_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, storyteller: LanguageModel
) -> None:
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    (tmp_path / "own.md").write_text(HOSTILE, "utf-8")
    (tmp_path / "faulty.md").write_text("no lesson", "utf-8")
    assert chapters() == (COURSE[0],)
    for page in (worksheet(COURSE[0]), solutions(COURSE[0], storyteller)):
        assert not re.search(r"<(script|img|u)\b", page)
        assert "&lt;i&gt;safe&lt;/i&gt;" in page
        assert "<i>it</i>" in page


def test_the_list_of_the_lessons_offers_both() -> None:
    app = open_lesson("pages/tour.py")
    assert tuple(app.selectbox(key="paper_part").options) == chapters()
    keys = {one.proto.id.rpartition("-")[2] for one in app.get("download_button")}
    assert {"paper_worksheet", "paper_solutions"} <= keys
