"""A lesson's file: what it says is read as it stands, and each fault is named with its line."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.lessons.tour import scenes
from pages.lessons.tour.scene_file import MAX_SCENES
from pages.lessons.tour.scenes import LessonError, Scene, parse_lesson, read_lesson

SCENE = """\
## The draw

Two sentences. On one thing.

Page: /kv_cache?prompt=A+b%26c&seed=3#with-and-without-the-cache

Task: Press Step until the cache holds 12 tokens.

Question: Why?

Answer: Because.
"""
LESSON = f"# A lesson\n\nAbout it.\n\n{SCENE}"
sentences = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=40)


def test_a_scene_is_read_as_it_stands() -> None:
    lesson = parse_lesson("mine", LESSON)
    (scene,) = lesson.scenes
    assert (lesson.name, lesson.title, lesson.about) == ("mine", "A lesson", "About it.")
    assert (scene.title, scene.words) == ("The draw", "Two sentences. On one thing.")
    assert (scene.page, scene.heading) == ("kv_cache", "with-and-without-the-cache")
    assert scene.query == (("prompt", "A b&c"), ("seed", "3"))
    assert (scene.question, scene.answer) == ("Why?", "Because.")
    assert scene.task == "Press Step until the cache holds 12 tokens."
    assert scene.is_done is not None
    assert lesson.address(1) == "./kv_cache?prompt=A+b%26c&seed=3&lesson=mine&scene=1"


ASKING = """\
Light: figure

Cover: figure, figures

Choices: yes | no

Right: no

Remember: *Never* to be forgotten.
"""


def test_a_scene_may_ask_before_it_shows() -> None:
    (scene,) = parse_lesson("mine", LESSON + "\n" + ASKING).scenes
    assert scene.asks
    assert (scene.choices, scene.reply, scene.right) == (("yes", "no"), "", "no")
    assert (scene.light, scene.cover) == (("figure",), ("figure", "figures"))
    assert scene.remember == "*Never* to be forgotten."
    assert not parse_lesson("mine", LESSON).scenes[0].asks
    here = parse_lesson("mine", f"{LESSON}\nHere: Press *Step*.\n").scenes[0]
    assert (here.words_alone, here.words) == (scene.words, f"{scene.words} Press *Step*.")
    number = LESSON + "\nReply: a number\n\nRight: 1.5\n"
    assert parse_lesson("mine", number).scenes[0].reply == "a number"


@pytest.mark.parametrize(
    ("fields", "line", "why"),
    [
        ("Choices: yes", 17, "give 2 to 5 different choices"),
        ("Choices: yes | yes", 17, "give 2 to 5 different choices"),
        ("Choices: a | b | c | d | e | f", 17, "give 2 to 5 different choices"),
        ("Choices: a | b\n\nReply: a word", 19, "remove one of them"),
        ("Reply: a song", 17, "the reply is one of"),
        ("Choices: a | b\n\nRight: c", 19, "one of the choices"),
        ("Reply: a number\n\nRight: many", 19, "must be a number"),
        ("Right: a", 17, "waits for"),
        ("Cover: figure", 17, "waits for"),
        ("Light: draw bar", 17, "the page has no part “draw bar”"),
        ("Remember:", 17, "has no “Remember"),
        ("Class: a song", 17, "a class is asked for one of"),
    ],
)
def test_a_faulty_question_is_named_with_its_line(fields: str, line: int, why: str) -> None:
    with pytest.raises(LessonError, match=rf"^mine\.md, line {line}: .*{why}"):
        parse_lesson("mine", f"{LESSON}\n{fields}\n")


def test_a_scene_has_a_question_for_a_class_a_note_for_its_teacher_and_an_address() -> None:
    (scene,) = parse_lesson("mine", f"{LESSON}\nClass: next token\n\nNote: 5 minutes.\n").scenes
    assert (scene.of_class, scene.note) == ("next token", "5 minutes.")
    assert scene.address == "./kv_cache?prompt=A+b%26c&seed=3#with-and-without-the-cache"


def test_the_first_page_has_parts_of_its_own() -> None:
    at_home = LESSON.replace("/kv_cache", "/").replace("#with-and-without-the-cache", "")
    scene = parse_lesson("mine", f"{at_home}\nLight: text, draw bar\n").scenes[0]
    assert scene.light == ("text", "draw bar")
    with pytest.raises(LessonError, match="the page has no part “figure”"):
        parse_lesson("mine", f"{at_home}\nLight: figure\n")


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("/", ""),
        ("/generate?seed=1", ""),
        ("sampling", "sampling"),
        ("http://127.0.0.1:8501/sampling?seed=1", "sampling"),
        ("https://school.example/app/sampling/", "sampling"),
    ],
)
def test_a_page_may_be_a_copied_link(link: str, page: str) -> None:
    text = LESSON.replace(re.findall(r"Page: (.*)", LESSON)[0], link)
    assert parse_lesson("mine", text).scenes[0].page == page


@given(
    st.lists(
        st.tuples(sentences, sentences, sentences, sentences, st.booleans()),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_was_written_is_read(
    wanted: list[tuple[str, str, str, str, bool]], newline: str
) -> None:
    text = "# T\n\n"
    for title, words, question, answer, has_task in wanted:
        task = "Task: Go on until a token is forced.\n\n" * has_task
        text += (
            f"## {title}\n{words}\n\nPage: /\n\n{task}Question: {question}\n\nAnswer: {answer}\n"
        )
    found = parse_lesson("mine", text.replace("\n", newline)).scenes

    def told(scene: Scene) -> tuple[str, str, str, str, bool]:
        return scene.title, scene.words, scene.question, scene.answer, scene.is_done is not None

    assert [told(scene) for scene in found] == wanted


@given(st.text(st.sampled_from("# \n:?/|abPageTaskQuestionAnswerChoices&=%[\0é"), max_size=400))
def test_any_text_is_a_lesson_or_a_sentence_with_a_line(text: str) -> None:
    fault = ""
    try:
        assert parse_lesson("mine", text).scenes
    except LessonError as error:
        fault = str(error)
    if fault:
        found = re.fullmatch(r"mine\.md, line (\d+): [^\n]+\.", fault)
        assert found
        assert 1 <= int(found[1]) <= len(re.split(r"\r\n|\r|\n", text))
        assert len(fault) <= 300


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        (LESSON, "", 1, "begin with the title"),
        (LESSON, "\n\nSome words.", 3, "begin with the title"),
        (SCENE, "", 3, "has no scene"),
        ("## The draw", "##", 5, "give the scene a title"),
        ("## The draw", "# Another\n\n## The draw", 5, "a lesson has one title"),
        ("Two sentences. On one thing.", "", 5, "has no words"),
        ("Two sentences. On one thing.", "word " * 200, 5, "more than 600 characters"),
        (LESSON.splitlines()[0], "# " + "word " * 20, 1, "the title has more than 80 characters"),
        ("## The draw", "## " + "word " * 20, 5, "the title has more than 80 characters"),
        ("Answer: Because.", "Answer: " + "word " * 100, 15, "“Answer:” has more than 400"),
        ("Question: Why?", f"Question: Why?\n\nChoices: a | {'b' * 81}", 15, "a choice has more"),
        (re.findall(r"Page: .*", SCENE)[0], "", 5, "has no “Page: …”"),
        ("Question: Why?", "Question:", 13, "has no “Question: …”"),
        ("Answer: Because.", "", 5, "has no “Answer: …”"),
        ("Answer: Because.", "Answer: A.\n\nAnswer: B.", 17, "a second “Answer:”"),
        ("/kv_cache", "/cache", 9, "the app has no page “cache”"),
        ("/kv_cache", "http://[", 9, "this is no link"),
        ("seed=3", "scene=3", 9, "leave “scene” out"),
        ("holds 12 tokens", "is full", 11, "end the task with “until …”"),
        ("until the cache", "unless the cache", 11, "end the task with “until …”"),
        (SCENE, SCENE * (MAX_SCENES + 1), 5 + 12 * MAX_SCENES - 40, "stop at 40"),
    ],
)
def test_a_fault_is_named_with_its_line(old: str, new: str, line: int, why: str) -> None:
    assert old in LESSON
    with pytest.raises(LessonError, match=rf"^mine\.md, line {line}: .*{why}"):
        parse_lesson("mine", LESSON.replace(old, new))


@pytest.mark.parametrize("name", ["nothing", "", "../README", "/etc/passwd", "sampling.md"])
def test_only_a_lesson_of_the_folder_is_read(name: str) -> None:
    with pytest.raises(LessonError, match="There is no lesson"):
        read_lesson(name)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"# A lesson\n\nAbout \xff it", "line 3: save the file as UTF-8"),
        (b"#" * (scenes.MAX_BYTES + 1), "make it two lessons"),
        (b"\xef\xbb\xbf# A lesson", "line 1: the lesson has no scene"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, why: str
) -> None:
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    (tmp_path / "mine.md").write_bytes(data)
    with pytest.raises(LessonError, match=why):
        read_lesson("mine")
