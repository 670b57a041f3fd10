"""No term before its explanation: in the course's sentences, its pages' words, and the lessons."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import pytest
from streamlit.testing.v1.element_tree import Block, Element

from pages.frame.assets import source
from pages.frame.contents import COURSE, LABORATORY, LESSONS, Lesson
from pages.frame.terms import ALIASES, AMBIGUOUS, BY_NAME, TERMS, Term
from pages.lessons.tour.scenes import GuidedLesson, lesson_names, parse_lesson, read_lesson
from tests.frame.driving import opened

FIRST = "how-a-model-writes"  # whoever takes another lesson has taken this one
# entries whose names are everyday words: a lesson may use them as such
EVERYDAY = AMBIGUOUS | {"distribution", "token", "vocabulary"}
ISSUE = (  # that a pupil of 16 did not understand
    *("nat", "entropy", "logit", "perplexity", "prefill", "decode", "KV cache", "top-k", "top-p"),
    *("seed", "pointer", "MBU", "MFU", "KL divergence", "end token", "surprise"),
)
# what no page explains, because nobody needs it before the laboratory
ENGINEERS = ("argmax", "logits", "log p", "nats", "softmax", "dtype", "hub id", "T =")
N_WORDS = 20  # that every page says
FOLDED = ("expander", "popover")  # what a page keeps there is for its laboratory
SPOKEN = re.compile(r"<style.*?</style>|<[^>]+>|transformers [\d.]+|`[^`]*`", re.DOTALL)
# what the first page says to a newcomer beside the text and the bars
OF_HOME = ("beat_words", "beats", "draw_bar", "flight", "others", "picture_text", "pieces", "rows")
# of a page that is a component
SCRIPTS = {"guess": [f"lessons/guess/{name}.js" for name in ("ask", "board", "result")]}
# a question within a paragraph: it is to stand in a line of its own, the loudest of a page
BURIED = re.compile(r"^(?!\*\*[^*\n]+\*\*$).*\?\*\*.*$", re.MULTILINE)
STRINGS = re.compile(r'"([^"\n]* [^"\n]*)"|`([^`]* [^`]*)`')
OF_COURSE = [one for one in LESSONS if one.part in COURSE and not one.is_home]
SPELLINGS = {
    **{name: name for name in BY_NAME if name not in EVERYDAY},
    **ALIASES,
}
PLACES = {lesson.path: place for place, lesson in enumerate(LESSONS)}


def used(text: str) -> set[str]:
    """Returns the terms that a text uses, however they are spelled."""
    return {
        name
        for spelling, name in SPELLINGS.items()
        if re.search(rf"(?<![\w-]){re.escape(spelling)}(?:s|ies)?(?![\w-])", text, re.IGNORECASE)
    }


def explained(text: str) -> set[str]:
    """Returns the terms that a text explains: they stand in bold where it does."""
    return {name for bold in re.findall(r"\*\*(.+?)\*\*", text, re.DOTALL) for name in used(bold)}


def unexplained(lesson: GuidedLesson, known: Sequence[str] = ()) -> Iterator[tuple[int, str]]:
    """Gives each scene and term that stands there before it was explained."""
    so_far = set(known)
    for number, scene in enumerate(lesson.scenes, start=1):
        so_far |= explained(scene.words)
        asked = (scene.title, scene.words, scene.task, scene.question, *scene.choices)
        yield from ((number, name) for name in sorted(used(" ".join(asked)) - so_far))
        so_far |= explained(scene.answer)
        told = f"{scene.answer} {scene.remember}"
        yield from ((number, name) for name in sorted(used(told) - so_far))


def all_explained(lesson: GuidedLesson) -> set[str]:
    return {name for scene in lesson.scenes for name in explained(f"{scene.words} {scene.answer}")}


def test_every_term_of_the_list_has_its_page_in_the_app() -> None:
    assert set(ISSUE) <= set(BY_NAME)
    assert set(ALIASES.values()) <= set(BY_NAME)
    assert EVERYDAY - set(BY_NAME) == set(), "an entry that is gone needs no exception"
    assert all(term.page in PLACES for term in TERMS)


def test_what_a_page_claims_uses_no_term_that_a_later_page_explains() -> None:
    def is_later(term: Term, path: str) -> bool:
        return PLACES[term.page] > PLACES[path]

    of_course = [lesson for lesson in LESSONS if lesson.part in COURSE]
    assert [
        (lesson.path, name)
        for lesson in of_course
        for name in used(f"{lesson.claim} {lesson.remember}")
        if is_later(BY_NAME[name], lesson.path)
    ] == []
    engineers = {"MBU", "MFU", "roofline", "FLOPs", "arithmetic intensity"}
    said = [used(f"{lesson.title} {lesson.claim} {lesson.remember}") for lesson in of_course]
    assert not engineers & set().union(*said), f"those wait in the {LABORATORY}"


def shown(block: Block) -> Iterator[Element | Block]:
    """Gives what stands on a page, without what is folded away."""
    for child in block.children.values():
        yield child
        if isinstance(child, Block) and child.type not in FOLDED:
            yield from shown(child)


def is_before_laboratory(one: Element | Block) -> bool:
    """Tells whether it is not yet the page's end, with its sentence and its links."""
    return "summary" not in getattr(one.proto, "id", "")


def own_words(block: Block) -> str:
    """Returns what is read on a page: headings, text, captions and the names of controls."""
    fields = ("body", "label", "placeholder")
    before = takewhile(is_before_laboratory, shown(block))
    texts = (getattr(one.proto, field, "") for one in before for field in fields)
    return SPOKEN.sub(" ", "\n".join(text for text in texts if isinstance(text, str)))


def written_in(path: str) -> str:
    """Returns what a script says, without its comments."""
    code = re.sub(r"^\s*(//|/?\*).*$", "", source(path), flags=re.M)
    return " ".join(map("".join, STRINGS.findall(code)))


def early(text: str, path: str) -> list[str]:
    """Returns the terms of a text that only a later page explains, or none."""
    later = [name for name in used(text) if PLACES[BY_NAME[name].page] > PLACES[path]]
    return sorted(later) + [word for word in ENGINEERS if re.search(rf"\b{word}(?!\w)", text)]


@pytest.mark.parametrize("lesson", OF_COURSE, ids=lambda lesson: lesson.stem)
def test_a_page_of_the_course_uses_no_word_that_was_not_explained(lesson: Lesson) -> None:
    text = own_words(opened(lesson.stem).main)
    text += " ".join(map(written_in, SCRIPTS.get(lesson.stem, ())))
    assert len(text.split()) > N_WORDS, "the page was read"
    assert early(text, lesson.path) == []
    assert BURIED.findall(text) == []


@pytest.mark.parametrize("script", OF_HOME)
def test_the_first_page_uses_no_word_that_a_later_page_explains(script: str) -> None:
    text = written_in(f"home/live/figures/{script}.js")
    slider = "temperature"  # it stands beside, with its range
    assert set(early(text, "pages/generate.py")) <= {slider}


def test_the_check_of_pages_finds_what_it_is_for() -> None:
    assert early("A KV cache of logits, at T = 1.", "pages/guess.py") == [
        "KV cache",
        "logits",
        "T =",
    ]
    assert early("A KV cache after prefill", "pages/prefill_decode.py") == []
    assert BURIED.findall("**Which is first?**\nTwo models. **Which is first?** Press.") == [
        "Two models. **Which is first?** Press."
    ]


@pytest.mark.parametrize("name", lesson_names())
def test_a_guided_lesson_explains_a_term_before_it_uses_it(name: str) -> None:
    known = () if name == FIRST else tuple(all_explained(read_lesson(FIRST)))
    assert list(unexplained(read_lesson(name), known)) == []


SCENE = "# T\n\n## {title}\n\n{words}\n\nPage: /\n\nQuestion: {question}\n\nAnswer: {answer}"


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"words": "The entropy is 2 nats."}, ["entropy", "nat"]),
        ({"words": "The **entropy** is its width.", "answer": "So the Entropy grew."}, []),
        ({"question": "How many logits?", "answer": "A **logit** is a score."}, ["logit"]),
        ({"title": "Top-p and top-k", "words": "**Top-p** cuts."}, ["top-k"]),
        ({"answer": "It ends at <|endoftext|>."}, ["end token"]),
        ({"words": "Its log p is low. MBU falls."}, ["MBU", "surprise"]),
        ({"words": "The KV of it, by KL."}, ["KL divergence", "KV cache"]),
        ({"words": "Prefill, then decoding and a seedling."}, ["prefill"]),
    ],
)
def test_the_check_finds_what_it_is_for(told: dict[str, str], found: list[str]) -> None:
    usual = {"title": "T", "words": "Words.", "question": "Why?", "answer": "So."}
    lesson = parse_lesson("own", SCENE.format(**usual | told))
    assert [name for _, name in unexplained(lesson)] == found
