"""A lesson in another language: its texts, in the structure of the English file or not at all."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame.words import ENGLISH, Language, languages, speaking, told
from pages.lessons.tour import scenes
from pages.lessons.tour.in_file import lesson_in_file
from pages.lessons.tour.scenes import (
    FOLDER,
    LessonError,
    Scene,
    lesson_names,
    misnamed,
    parse_translation,
    read_lesson,
)
from tests.frame.driving import captions, open_lesson, press, words

ENGLISH_FILE = """\
# A lesson

About it.

## The cache

Two sentences. About it.

Here: Press *Step*.

Page: /kv_cache?prompt=A+bird

Cover: figure

Task: Press Step until the cache holds 5 tokens.

Question: Why?

Choices: yes | no | perhaps

Right: no

Answer: Because.

## The number

Words.

Page: /

Task: Drag it until temperature is below 0.4.

Question: How many?

Reply: a number

Right: 1.5

Answer: Count.

Remember: Never.
"""
GERMAN = """\
# Eine Stunde

Darüber.

## Der Cache

Zwei Sätze. Darüber.

Here: Drücke *Step*.

Task: Drücke, bis im Cache 5 Token liegen.

Question: Warum?

Choices: ja | nein | vielleicht

Right: nein

Answer: Darum.

## Die Zahl

Worte.

Task: Zieh sie unter 0,4.

Question: Wie viele?

Right: 1.5

Answer: Zähle.

Remember: Nie.
"""
DE = Language("de")
# what each language says for itself; all else of a scene is the English one's
TEXTS = {
    *("title", "words", "words_alone", "question", "answer"),
    *("task", "choices", "right", "remember", "note"),
}
FILES = sorted(FOLDER.glob("*.*.md"))


def translated(own: str) -> tuple[Scene, ...]:
    return parse_translation("mine", ENGLISH_FILE, own, DE).scenes


def structure(scene: Scene) -> Scene:
    """A scene without its texts: the same in all languages."""
    choices = tuple(str(i) for i in range(len(scene.choices)))
    right = str(scene.choices.index(scene.right)) if scene.choices else scene.right
    has = {name: str(bool(getattr(scene, name))) for name in TEXTS - {"choices", "right"}}
    same: dict[str, Any] = {"choices": choices, "right": right, "is_done": scene.is_done and len}
    return replace(scene, **has | same)


def test_the_texts_are_its_own_and_the_structure_is_the_english() -> None:
    cache, number = translated(GERMAN)
    assert (cache.title, cache.words_alone) == ("Der Cache", "Zwei Sätze. Darüber.")
    assert cache.words == "Zwei Sätze. Darüber. Drücke *Step*."
    assert (cache.page, cache.query, cache.cover) == (
        "kv_cache",
        (("prompt", "A bird"),),
        ("figure",),
    )
    assert cache.choices[1] == cache.right == "nein"
    assert cache.task == "Drücke, bis im Cache 5 Token liegen."
    assert number.reply == "a number"
    holds = [scene.is_done for scene in (cache, number)]
    assert all(holds)
    assert holds[0] is not None
    assert not holds[0]([])


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("Question: Warum?", "Page: /snowball\n\nQuestion: Warum?", 13, "“Page:” is read from"),
        ("Right: nein", "Right: nein\n\nCover: figures", 19, "“Cover:” is read from"),
        ("Right: nein", "Right: nein\n\nLight: figure", 19, "“Light:” is read from"),
        ("Right: 1.5", "Reply: a word\n\nRight: 1.5", 29, "“Reply:” is read from"),
        ("Right: nein", "Right: nein\n\nClass: sampler", 19, "“Class:” is read from"),
        (GERMAN[GERMAN.index("\n## Die") :], "", 5, "has 1 scenes, and mine.md has 2"),
        ("Remember: Nie.", "Remember: Nie.\n\n## Mehr\n\nWorte.", 35, "has 3 scenes"),
        ("Choices: ja | nein | vielleicht", "Choices: ja | nein", 15, "give 3 choices"),
        ("Right: nein", "Right: ja", 17, "choice 2 is right"),
        ("ja | nein", "nein | ja", 17, "choice 2 is right"),
        ("Right: nein", "Right: niemals", 17, "one of the choices"),
        ("Choices: ja | nein | vielleicht\n\n", "", 5, "no “Choices: …”"),
        ("Right: 1.5", "Right: 1,5", 29, "what is right is 1.5"),
        ("Right: 1.5", "Right: 2", 29, "what is right is 1.5"),
        ("Right: 1.5\n\n", "", 21, "no “Right: …”"),
        ("bis im Cache 5", "bis im Cache 6", 11, "the numbers of “Press Step until"),
        ("bis im Cache 5", "bis im Cache fünf", 11, "the numbers of"),
        ("unter 0,4", "unter 0,5", 25, "the numbers of"),
        ("Task: Zieh sie unter 0,4.\n\n", "", 21, "no “Task: …”"),
        ("Answer: Darum.", "Answer: Darum.\n\nRemember: So.", 21, "has no “Remember:” in mine.md"),
        ("Here: Drücke *Step*.\n\n", "", 5, "no “Here: …”"),
        ("Remember: Nie.", "Remember:", 33, "no “Remember: …”"),
        ("Darüber.\n\n## Der", "## Der", 1, "say below the title"),
        ("# Eine Stunde", "Eine Stunde", 1, "begin with the title"),
        ("Answer: Darum.", "Answer: " + "Wort " * 100, 19, "more than 400"),
        ("Worte.", "Wort " * 150, 21, "more than 600"),
    ],
)
def test_a_file_that_describes_another_lesson_is_refused_with_its_line(
    old: str, new: str, line: int, why: str
) -> None:
    assert old in GERMAN
    with pytest.raises(LessonError, match=rf"^mine\.de\.md, line {line}: .*{why}") as refused:
        translated(GERMAN.replace(old, new))
    assert str(refused.value).endswith(".")
    assert told(refused.value) == str(refused.value)


def test_a_task_where_the_english_has_none_is_refused() -> None:
    english = ENGLISH_FILE.replace("Task: Drag it until temperature is below 0.4.\n\n", "")
    with pytest.raises(LessonError, match=r"line 25: this scene has no “Task:” in mine\.md"):
        parse_translation("mine", english, GERMAN, DE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one lesson, in English and German."""
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    (tmp_path / "mine.md").write_text(ENGLISH_FILE, "utf-8")
    (tmp_path / "mine.de.md").write_text(GERMAN, "utf-8")
    return tmp_path


def test_a_reader_gets_their_language_and_else_english(folder: Path) -> None:
    assert lesson_names() == ["mine"]
    assert read_lesson("mine").language is ENGLISH
    with speaking(DE):
        assert (read_lesson("mine").title, read_lesson("mine").language) == ("Eine Stunde", DE)
    with speaking(Language("fr")):
        assert read_lesson("mine").language is ENGLISH
    with pytest.raises(LessonError, match="There is no lesson"):
        read_lesson("mine.de")
    (folder / "mine.zh-Hans.md").write_text(GERMAN, "utf-8")
    (folder / "mine.v2.md").write_text(ENGLISH_FILE, "utf-8")  # no language: a lesson
    assert lesson_names() == ["mine", "mine.v2"]
    (lost,) = misnamed()
    assert lost.startswith("mine.zh-Hans.md ")
    assert "zh_Hans" in lost


def test_a_lesson_without_english_is_one_file_in_its_language(folder: Path) -> None:
    (folder / "unsere.ar.md").write_text(ENGLISH_FILE, "utf-8")
    assert lesson_names() == ["mine", "unsere.ar"]
    with speaking(DE):
        assert read_lesson("unsere.ar").language == Language("ar")


def test_a_faulty_translation_shows_english_and_the_list_says_why(folder: Path) -> None:
    (folder / "mine.de.md").write_text(GERMAN.replace("| vielleicht", ""), "utf-8")
    with speaking(DE):
        lesson = read_lesson("mine")
        assert (lesson.title, lesson.language) == ("A lesson", ENGLISH)
        assert "line 15" in lesson.fault
    app = open_lesson("pages/tour.py", lang="de")
    assert [("mine.de.md" in one.value, "15" in one.value) for one in app.warning] == [(True, True)]
    assert app.header[0].value == "1. A lesson"


def test_links_keep_a_language_that_was_chosen(folder: Path) -> None:
    assert folder.is_dir()
    app = open_lesson("pages/kv_cache.py", prompt="A bird", lesson="mine", scene="1", lang="de")
    links = " ".join(one.proto.body for one in app.get("html"))
    assert "scene=2&amp;lang=de" in links
    assert "Zwei Sätze." in words(app)
    app.button_group(key="tour_reply_mine_1").set_value("ja").run()
    assert "said=1.1" in " ".join(one.proto.body for one in app.get("html")), "by its place"
    for _ in range(2):  # its task
        press(app, "kv_step")
    assert "**nein**" in words(app)


def test_a_number_is_read_as_the_reader_s_language_writes_it(folder: Path) -> None:
    text = ENGLISH_FILE.replace("Page: /\n", "Page: /kv_cache?prompt=A+bird\n")
    (folder / "mine.md").write_text(text, "utf-8")

    def reply(app: AppTest, typed: str) -> str:
        app.text_input(key="tour_reply_mine_2").set_value(typed)
        [say] = [one for one in app.button if "tour_reply_mine_2_form" in one.proto.form_id]
        say.click().run()
        return f"{words(app)} {captions(app)}"

    app = open_lesson("pages/kv_cache.py", prompt="A bird", lesson="mine", scene="2", lang="de")
    for none in ("viele", "1,2.3,4"):
        told = reply(app, none)
        assert "12" in told
        assert "0,5" in told, "an example, as German writes it"
        assert "check_circle: Richtig" not in told
    assert app.text_input(key="tour_reply_mine_2").value == "1,2.3,4", "it stays, to be mended"
    assert "**1,5**" in reply(app, "1,5")
    assert "said=2.1.5" in " ".join(one.proto.body for one in app.get("html"))


def test_the_one_file_has_each_language_that_the_folder_has(folder: Path) -> None:
    held = lesson_in_file("mine")
    assert held is not None
    assert [texts["tag"] for texts in held["texts"]] == ["en", "de"]
    for english, own in zip(*(texts["scenes"] for texts in held["texts"]), strict=True):
        assert english.keys() == own.keys()
    assert held["texts"][1]["scenes"][0]["words"] == "Zwei Sätze. Darüber."
    (folder / "mine.de.md").write_text("# Nichts", "utf-8")
    held = lesson_in_file("mine")
    assert held is not None
    assert [texts["tag"] for texts in held["texts"]] == ["en"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_translation_that_is_shipped_is_the_english_lesson(path: Path) -> None:
    name, _, tag = path.stem.rpartition(".")
    spoken = languages()[tag.replace("_", "-")]
    with speaking(spoken):
        own = read_lesson(name)
    english = read_lesson(name)
    assert (own.fault, own.language) == ("", spoken)
    for one, other in zip(english.scenes, own.scenes, strict=True):
        assert structure(one) == structure(other)
        prompt = re.findall(r"[*](The [^*]+?) …[*]", one.words)
        assert all(text in other.words for text in prompt), "prompts are English"
    assert misnamed() == []
