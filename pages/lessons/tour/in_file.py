"""A guided lesson as the one file holds it: the same scenes, small pictures for other pages.

It is there in every language in which the folder has it; the file's script takes its reader's.
"""

from typing import Any
from urllib.parse import urlencode

from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.frame.words import ENGLISH, Language, languages, speaking
from pages.lessons.tour.scene_fields import PARTS
from pages.lessons.tour.scenes import GuidedLesson, LessonError, Scene, read_lesson

N_CHECKED = 4  # questions that are asked again at the end


def lesson_in_file(name: str) -> dict[str, Any] | None:
    """Returns a lesson for the script that shows it; None if the folder has none of that name."""
    try:
        found = [_in_language(name, spoken) for spoken in languages().values()]
    except LessonError:
        return None
    english, *others = found
    asked = [i for i, scene in enumerate(english.scenes) if scene.choices and scene.right]
    step = max(1, len(asked) // N_CHECKED)
    return {
        "parts": PARTS,
        "scenes": [_structure(scene) for scene in english.scenes],
        "checked": asked[::step][:N_CHECKED],  # places of scenes
        # the English one first: it stands for a language that has none
        "texts": [_texts(english), *(_texts(own) for own in others if own.language != ENGLISH)],
    }


def _in_language(name: str, spoken: Language) -> GuidedLesson:
    with speaking(spoken):
        return read_lesson(name)


def _structure(scene: Scene) -> dict[str, Any]:
    """Returns what a scene has in every language."""
    if scene.page:
        picture = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
        return {"reply": scene.reply, "rows": picture.rstrip("/").split("/")}
    home = {"query": urlencode(scene.query), "light": scene.light, "cover": scene.cover}
    return {"reply": scene.reply} | home


def _texts(lesson: GuidedLesson) -> dict[str, Any]:
    """Returns what is read of a lesson in its language."""
    spoken = lesson.language
    return {
        "tag": spoken.tag,
        "direction": spoken.direction,
        "title": lesson.title,
        "scenes": [_text(scene) for scene in lesson.scenes],
    }


def _text(scene: Scene) -> dict[str, Any]:
    names = ("title", "question", "answer", "choices", "right", "remember")
    told = {name: getattr(scene, name) for name in names}
    # another page's buttons and figures are not in the file
    words = scene.words_alone if scene.page else scene.words
    return told | {"words": words, "task": "" if scene.page else scene.task}
