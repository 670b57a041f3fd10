"""Worksheets and their solutions: one page to print for each part of the course.

Both are made from what the pages and the guided lessons say; the numbers of the solutions are those
that this very model gives. Knows nothing of Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from pages.frame.assets import faces, in_data, source
from pages.frame.contents import COURSE, LESSONS, Lesson
from pages.frame.words import Language, _, language, ngettext, numeral
from pages.lessons.tour.scene_fields import PAGES, SLIDERS
from pages.lessons.tour.scenes import (
    GuidedLesson,
    LessonError,
    Scene,
    lesson_names,
    read_lesson,
)
from viz.format import percent
from viz.palette import root_rule

if TYPE_CHECKING:
    from model.language_model import LanguageModel

FIRST = "how-a-model-writes"  # of the lessons
N_TOKENS = 5  # of a distribution
_PAGE = Markup("""<!doctype html>
<html lang="{lang}" dir="{dir}"><head><meta charset="utf-8"><title>{title}</title>
<style>{style}</style></head><body>
{name}<h1>{title}</h1><ol>{items}</ol></body></html>
""")
_NAME = Markup('<p>{} <span class="gap name"></span></p>\n')
_SPOKEN = Markup(' lang="{0.tag}" dir="{0.direction}"')
_BAR = Markup('<span class="bar"><i>0 %</i><i>25 %</i><i>50 %</i><i>75 %</i><i>100 %</i></span>')
_GAP, _LINE = Markup('<span class="gap"></span>'), Markup('<span class="line"></span>')


def chapters() -> tuple[str, ...]:
    """Returns the parts of the course about which a guided lesson asks something."""
    return tuple(part for part in COURSE if any(True for _ in _scenes_of(part)))


def worksheet(part: str) -> str:
    """Returns the questions of a part, with room for the answers."""
    title = _("{part}: worksheet", part=_(part))
    return _paper(_scenes_of(part), title, None, by_page=True)


def solutions(part: str, lm: LanguageModel) -> str:
    """Returns the same questions with their answers, and with the numbers of a model."""
    title = _("{part}: solutions, with the numbers of {model}", part=_(part), model=lm.name)
    return _paper(_scenes_of(part), title, lm, by_page=True)


def lesson_worksheet(name: str) -> str:
    """Returns the questions of a lesson in their order, with room for the answers."""
    lesson = read_lesson(name)
    return _paper(_of_lesson(lesson), _("{part}: worksheet", part=lesson.title), None)


def lesson_solutions(name: str, lm: LanguageModel) -> str:
    """Returns the same questions with their answers, and with the numbers of a model."""
    lesson = read_lesson(name)
    title = _("{part}: solutions, with the numbers of {model}", part=lesson.title, model=lm.name)
    return _paper(_of_lesson(lesson), title, lm)


def _of_lesson(lesson: GuidedLesson) -> Iterator[tuple[Scene, Language]]:
    yield from ((scene, lesson.language) for scene in lesson.scenes)


def _paper(
    scenes: Iterable[tuple[Scene, Language]],
    title: str,
    lm: LanguageModel | None,
    *,
    by_page: bool = False,
) -> str:
    items = Markup("")
    page = None
    for scene, written_in in scenes:
        if by_page and (of_scene := _page_of(scene)) is not page:
            page = of_scene
            items += Markup('</ol><h2>{}</h2><p>{}</p><ol start="{}">').format(
                _(page.title), _(page.claim), items.count("<li") + 1
            )
        own = "" if written_in == language() else _SPOKEN.format(written_in)
        item = _item(scene) if lm is None else _solved(scene, lm)
        items += Markup("<li{}>{}</li>\n").format(own, item)
    style = Markup(faces(in_data) + root_rule() + source("lessons/tour/paper.css"))
    name = _NAME.format(_("Name:")) if lm is None else ""
    spoken = {"lang": language().tag, "dir": language().direction}
    return str(_PAGE.format(style=style, title=title, name=name, items=items, **spoken))


def _scenes_of(part: str) -> Iterator[tuple[Scene, Language]]:
    """Returns the scenes of all lessons on pages of a part, page by page, each question once."""
    found: dict[str, tuple[Scene, Language]] = {}
    for name in sorted(lesson_names(), key=lambda name: (name != FIRST, name)):
        try:
            lesson = read_lesson(name)
        except LessonError:  # the list of the lessons says why
            continue
        for scene in lesson.scenes:
            if part_of(scene) == part:
                found.setdefault(scene.question, (scene, lesson.language))
    yield from sorted(found.values(), key=lambda one: LESSONS.index(_page_of(one[0])))


def part_of(scene: Scene) -> str:
    """Returns the part of the course to which a scene belongs; the sliders are for choosing."""
    if not scene.page and SLIDERS & {*scene.light}:
        return COURSE[1]
    return _page_of(scene).part


def _page_of(scene: Scene) -> Lesson:
    path = PAGES[scene.page]
    return next(lesson for lesson in LESSONS if lesson.path == path)


def _item(scene: Scene) -> Markup:
    if scene.choices:
        boxes = [Markup('<span class="choice">☐ {}</span>').format(one) for one in scene.choices]
        room = Markup("<br>") + Markup(" ").join(boxes)
    elif scene.asks:
        room = _GAP + (" %" if scene.reply == "a share" else "")
    else:
        room = _LINE
    remember = _("To remember:")
    asked = Markup('<b class="asked">{}</b>').format(marked(scene.question))
    bar = _BAR if "draw bar" in scene.light else ""  # to be divided by hand
    return Markup("{}{}<br>{} {}<br>{}{}").format(_begun(scene), bar, asked, room, remember, _LINE)


def _solved(scene: Scene, lm: LanguageModel) -> Markup:
    right = Markup(" <b>{}</b>.").format(scene.right) if scene.right else ""
    parts = [_begun(scene), marked(scene.question) + right, marked(scene.answer)]
    parts += [marked(scene.remember), numbers(scene, lm)]
    parts += [Markup("<i>{}</i>").format(marked(scene.note))] if scene.note else []
    return Markup("<br>").join(filter(None, parts))


def _begun(scene: Scene) -> Markup:
    """Returns the title of a scene, and the text that its page begins with."""
    prompt = dict(scene.query).get("prompt", "")
    text = Markup(' <i lang="en" dir="ltr">{} …</i>').format(prompt) if prompt else ""
    return Markup("<b>{}</b>{}").format(scene.title, text)


def numbers(scene: Scene, lm: LanguageModel) -> Markup:
    """Returns what the model gives for the text of a scene; nothing where it has none."""
    from model.generation import Generation  # torch: the list of the lessons needs none
    from model.sampling import Settings
    from model.tokenizing import labels_of

    prompt = dict(scene.query).get("prompt", "")
    try:
        text = Generation(lm, prompt) if prompt else None
    except ValueError:  # this model cannot read it
        text = None
    if text is None:
        return Markup("")
    best = text.stages_for(Settings())[-1]
    labels = labels_of(lm, best.order[:N_TOKENS].tolist())
    told = [
        f"{_('“{text}”', text=label.strip('␣'))} {numeral(percent(prob))}"
        for label, prob in zip(labels, best.best_probs.tolist(), strict=False)
    ]
    said = ngettext(
        "At temperature 1, after {n} token: {tokens}.",
        "At temperature 1, after {n} tokens: {tokens}.",
        text.n_prompt,
        tokens="; ".join(told),
    )
    return Markup("{}").format(said)


def marked(markdown: str) -> Markup:
    """Returns the few signs of Markdown that lessons use as HTML; all else is text."""
    text = str(escape(markdown))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return Markup(re.sub(r"\*(\S.*?)\*", r"<i>\1</i>", text).replace("`", ""))
