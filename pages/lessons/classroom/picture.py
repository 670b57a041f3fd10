"""The picture of a scene on the projector: its text, the draw bar behind it, or an idea in cells.

It gives no answer away: before a class is asked for the next token, the bar's words are covered.
"""

from model.classroom.records import Picture
from model.language_model import LanguageModel
from model.sampling import Settings
from model.sentences import Numeral, Sentence
from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.classroom.script import Item, prompt_of
from pages.lessons.classroom.text import DRAWING, ClassText
from pages.lessons.tour.scenes import Scene
from viz.format import percent

_LABEL = "{name}\n{share}"  # has no word to translate
PAGES_OF_A_BAR = ("", "sampling")  # that show the distribution of the prompt in their link


def picture_of(lm: LanguageModel, item: Item) -> Picture:
    """Draws what a question of the script is about.

    Args:
        lm: The room's model.
        item: The question.
    """
    scene, prompt = item.scene, prompt_of(item.scene)
    if scene.page in PAGES_OF_A_BAR and prompt:
        if scene.light and not {"bars", "draw bar"} & {*scene.light, *scene.cover}:
            return Picture(prompt)
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


def idea_of(scene: Scene) -> tuple[str, ...]:
    """Returns the rows of cells that stand for a scene's page."""
    idea = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
    return tuple(idea.rstrip("/").split("/"))
