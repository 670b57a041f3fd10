"""The picture of a scene on the projector: its text, the draw bar behind it, or an idea in cells.

It gives no answer away: before a class is asked for the next token, the bar's words are covered,
and what the question is not about is seen once the answer is.
"""

from dataclasses import replace

from model.classroom.records import Picture
from model.language_model import LanguageModel
from model.sampling import Settings
from model.sentences import Numeral, Sentence
from model.tokenizing import encode, labels_of
from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.classroom.script import Item, prompt_of
from pages.lessons.classroom.text import DRAWING, ClassText
from pages.lessons.tour.scenes import Scene
from viz.format import percent

_LABEL = "{name}\n{share}"  # has no word to translate
PAGES_OF_A_BAR = ("", "sampling")  # that show the distribution of the prompt in their link


def picture_of(lm: LanguageModel, item: Item) -> Picture:
    """Draws the scene of a question of the script.

    Args:
        lm: The room's model.
        item: The question.
    """
    picture = _drawn(lm, item)
    return replace(picture, is_answer=not _is_asked_about(item, picture))


def _is_asked_about(item: Item, picture: Picture) -> bool:
    """Tells whether a question is about what its scene's picture shows; else it comes with Reveal.

    A text and its bar are asked about. Two things are not: the cells of an idea show how it comes
    out, and a number is read off a bar only if the scene sets what shapes the bar.
    """
    if picture.rows:
        return False
    is_number = item.kind == "own" and not item.scene.choices
    return not (picture.shares and is_number) or "use" in dict(item.scene.query)


def _drawn(lm: LanguageModel, item: Item) -> Picture:
    scene, prompt = item.scene, prompt_of(item.scene)
    if scene.page in PAGES_OF_A_BAR and prompt:
        if scene.light and not {"bars", "draw bar"} & {*scene.light, *scene.cover}:
            is_number = item.kind == "own" and not scene.choices
            return Picture(prompt, pieces=_pieces(lm, prompt) if is_number else ())
        # a link with the control "use" begins with the raw distribution
        settings = Settings() if "use" in dict(scene.query) else DRAWING
        try:
            names, shares = ClassText(lm, prompt).segments(settings)
        except ValueError:  # this model cannot read the lesson's prompt
            return Picture()
        if item.kind == "next":
            names = [""] * len(names)
        else:
            pairs = zip(names, shares, strict=True)
            names = [Sentence(_LABEL, name=one, share=Numeral(percent(p))) for one, p in pairs]
        return Picture(labels=tuple(names), shares=tuple(shares))
    return Picture(rows=idea_of(scene))


def _pieces(lm: LanguageModel, prompt: str) -> tuple[str, ...]:
    """Returns the tokens of a text; none if this model cannot read it."""
    try:
        ids = encode(lm, prompt)
    except ValueError:
        return ()
    labels = labels_of(lm, ids[1:] if ids[0] == lm.bos_id else ids)
    return tuple(one.replace("␣", " ") for one in labels)


def idea_of(scene: Scene) -> tuple[str, ...]:
    """Returns the rows of cells that stand for a scene's page."""
    idea = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
    return tuple(idea.rstrip("/").split("/"))
