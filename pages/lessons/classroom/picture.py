"""The picture of a scene on the projector: its text, the draw bar behind it, or an idea in cells.

It gives no answer away: before a class is asked for the next token, the bar's words are covered,
and what the question is not about is seen once the answer is. What was asked is seen then: the
story as greedy decoding writes it, the bar at another temperature, the text after a wrong word.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from model.classroom.records import DrawBar, Picture, SceneShown, Spoken, WordsAndRoles
from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.sentences import Numeral, Sentence
from model.tokenizing import encode, encode_bare, labels_of
from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.classroom.script import Item, prompt_of
from pages.lessons.classroom.text import DRAWING, N_SEGMENTS, ClassText
from pages.lessons.snowball.settings import MISTAKES
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import Scene
from viz.format import percent

_LABEL = "{name}\n{share}"  # has no word to translate
PAGES_OF_A_BAR = ("", "sampling")  # that show the distribution of the prompt in their link
N_WRITTEN = 64  # tokens of the story that repeats itself
MOST_SEGMENTS = 9  # that have room beside each other
N_AFTER = 13  # tokens after a wrong word
RAW = Settings()


def scene_of(lm: LanguageModel, item: Item, spoken: Spoken | None) -> SceneShown:
    """Returns the scene of a question as a class sees it, without what it says of its page."""
    scene = item.scene
    words = plain(scene.title), plain(scene.words_alone)
    picture = picture_of(lm, item)
    return SceneShown(*words, scene.address, picture, spoken=spoken, premise=item.premise)


def picture_of(lm: LanguageModel, item: Item) -> Picture:
    """Draws the scene of a question of the script, as it stands until the answer is known.

    Two things wait for that: the cells of an idea show how it comes out, and a number is read off a
    bar only if the scene sets what shapes the bar.

    Args:
        lm: The room's model.
        item: The question.
    """
    scene, prompt = item.scene, prompt_of(item.scene)
    if scene.page == "snowball":
        text, word, _seed = _mistake_of(scene)
        return Picture(lines=(((text, ""), (word, "error"), ("\N{NO-BREAK SPACE}…", "")),))
    if not _has_bar(scene):
        return Picture()
    if _is_about_text(scene):
        return Picture(lines=(((f"{prompt}\N{NO-BREAK SPACE}…", ""),),))
    if _is_number(item) and "use" not in dict(scene.query):
        return Picture()
    bar = _bar_of(lm, item)
    return Picture(bars=(bar,) if bar else ())


def answered(lm: LanguageModel, item: Item) -> Picture:
    """Draws what a question asked for, once that may be seen."""
    scene, prompt = item.scene, prompt_of(item.scene)
    try:
        if scene.page == "snowball":
            return _after_a_mistake(lm, scene)
        if not _has_bar(scene):
            return Picture(rows=idea_of(scene))
        if _is_about_text(scene) and _is_number(item):
            return Picture(lines=(_pieces(lm, prompt),))
        if _is_about_text(scene):
            return Picture(lines=(_greedy(lm, prompt),))
    except ValueError:  # this model cannot read the lesson's prompt
        return picture_of(lm, item)
    bar = _bar_of(lm, item)
    if bar is None or scene.at_reveal is None:
        return Picture(bars=(bar,) if bar else ())
    name, number = scene.at_reveal
    if name == "top-p":
        return Picture(bars=(replace(bar, cut=number),))
    hot, cold = (Sentence("Temperature {n}", n=Numeral(f"{n:g}")) for n in (1, number))
    other = _bar_of(lm, item, Settings(temperature=number))
    return Picture(bars=(replace(bar, name=hot), *([replace(other, name=cold)] if other else ())))


def _has_bar(scene: Scene) -> bool:
    return scene.page in PAGES_OF_A_BAR and prompt_of(scene) != ""


def _is_about_text(scene: Scene) -> bool:
    """Tells whether a scene speaks of the text alone, not of the bar behind it."""
    return bool(scene.light) and not {"bars", "draw bar"} & {*scene.light, *scene.cover}


def _is_number(item: Item) -> bool:
    return item.kind == "own" and not item.scene.choices


def _bar_of(lm: LanguageModel, item: Item, settings: Settings | None = None) -> DrawBar | None:
    """Draws the bar of a scene's prompt; a number that is read off it has its segments."""
    scene = item.scene
    # a link with the control "use" begins with the raw distribution
    settings = settings or (RAW if "use" in dict(scene.query) else DRAWING)
    is_counted = _is_number(item) and scene.right.isdecimal()
    n_segments = max(N_SEGMENTS, int(scene.right) + 2) if is_counted else N_SEGMENTS
    try:
        bar = ClassText(lm, prompt_of(scene)).segments(settings, min(n_segments, MOST_SEGMENTS))
    except ValueError:  # this model cannot read the lesson's prompt
        return None
    if item.kind == "next":
        return replace(bar, options=("",) * len(bar.options))
    pairs = zip(bar.options, bar.shares, strict=True)
    names = [Sentence(_LABEL, name=one, share=Numeral(percent(p))) for one, p in pairs]
    return replace(bar, options=tuple(names))


def _pieces(lm: LanguageModel, prompt: str) -> WordsAndRoles:
    """Returns the tokens of a text."""
    ids = encode(lm, prompt)
    labels = labels_of(lm, ids[1:] if ids[0] == lm.bos_id else ids)
    return tuple((_read(one), "piece") for one in labels)


def _greedy(lm: LanguageModel, prompt: str) -> WordsAndRoles:
    """Writes on with the likeliest token each time; what comes again is marked wherever it is."""
    text = Generation(lm, prompt)
    while len(text.steps) < N_WRITTEN and not text.finished:
        text.step(Settings(temperature=0))
    words = text.text.split()
    again, n = repeated(words)
    parts: list[tuple[str, str]] = []
    for i, word in enumerate(words):
        role = "again" if any(start <= i < start + n for start in again) else ""
        if parts and parts[-1][1] == role and i not in again:
            parts[-1] = f"{parts[-1][0]} {word}", role
        else:
            parts += [(" ", ""), (word, role)] if parts else [(word, role)]
    return (*parts, ("\N{NO-BREAK SPACE}…", ""))


def repeated(words: Sequence[str]) -> tuple[list[int], int]:
    """Returns where the longest phrase begins that is there twice or more, and its words."""
    for n in range(len(words) // 2, 1, -1):
        places: dict[tuple[str, ...], list[int]] = {}
        for i in range(len(words) - n + 1):
            starts = places.setdefault(tuple(words[i : i + n]), [])
            if not starts or i >= starts[-1] + n:
                starts.append(i)
        most = max(places.values(), key=len)
        if len(most) > 1:
            return most, n
    return [], 0


def _mistake_of(scene: Scene) -> tuple[str, str, int]:
    first = next(iter(MISTAKES))
    return MISTAKES.get(dict(scene.query).get("mistake", first), MISTAKES[first])


def _after_a_mistake(lm: LanguageModel, scene: Scene) -> Picture:
    """Writes a text on with its wrong word, and below it as the model writes it by itself."""
    prompt, word, seed = _mistake_of(scene)
    own = Generation(lm, encode(lm, prompt), seed=seed)
    (wrong,) = encode_bare(lm, word)  # a model to which it is more has another picture
    forced = own.fork()  # by the same pointers
    forced.step(token_id=wrong)
    return Picture(lines=(_line(forced, prompt, "error"), _line(own, prompt, "generated")))


def _line(text: Generation, prompt: str, role: str) -> WordsAndRoles:
    """Writes a text on, and marks the first token after the prompt."""
    while len(text.steps) <= N_AFTER and not text.finished:
        text.step(Settings(temperature=0.7))
    first, *rest = (_read(step.text) for step in text.steps)
    return (prompt, ""), (first, role), ("".join(rest).rstrip() + "\N{NO-BREAK SPACE}…", "")


def _read(label: str) -> str:
    """Returns a token's label as it stands in a text."""
    return re.sub("[␣⏎]", " ", label)


def idea_of(scene: Scene) -> tuple[str, ...]:
    """Returns the rows of cells that stand for a scene's page."""
    idea = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
    return tuple(idea.rstrip("/").split("/"))
