"""The last scene of a class: what to remember, each sentence beside what this class answered."""

from collections.abc import Sequence

from model.classroom.records import Picture, Remembered, SceneShown, Tally, WordsAndRoles
from pages.frame.words import _, speaking
from pages.lessons.classroom.picture import idea_of
from pages.lessons.classroom.script import Item, items_of, speech_of
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import GuidedLesson
from viz.classroom.bars import in_short

RECORD = "./tour#record"  # where a class goes on: each browser's own record


def end_of(
    lesson: GuidedLesson | None, tallies: Sequence[Tally], story: WordsAndRoles = ()
) -> SceneShown:
    """Returns what to remember of the scenes that a class was asked about.

    The first sentence that was asked about comes first, and then that about whose question most
    were wrong; of equal ones, the latest.

    Args:
        lesson: The script; without one there is nothing to remember but the story.
        tallies: What was asked and answered; if nothing was the script's, all scenes count.
        story: What the class and the model wrote.
    """
    picture = Picture(lines=(story,) if story else ())
    if lesson is None:
        return SceneShown("", "", RECORD, picture, is_end=True)
    own = [item for item in items_of(lesson) if item.kind == "own" and item.scene.remember]
    last = {tally.question.words: tally for tally in tallies}  # after the discussion
    asked = [item for item in own if item.question in last]
    first, *others = [_remembered(item, last.get(item.question)) for item in asked or own]
    others.reverse()
    others.sort(key=lambda one: one[0])
    with speaking(lesson.language):
        title = _("{lesson}: what to remember", lesson=plain(lesson.title))
    return SceneShown(
        title,
        "",
        RECORD,
        picture,
        spoken=speech_of(lesson.language),
        is_end=True,
        remembered=tuple(one for _share, one in (first, *others)),
    )


def _remembered(item: Item, tally: Tally | None) -> tuple[float, Remembered]:
    """Returns the share of a class that was right, 1 where nobody answered, and the sentence."""
    share, bar = in_short(tally, plain(item.scene.right)) if tally else (1.0, None)
    words = plain(item.scene.remember)
    return share, Remembered(words, item.question, bar, idea_of(item.scene))
