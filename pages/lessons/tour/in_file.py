"""A guided lesson as the one file holds it: the same scenes, small pictures for other pages."""

import re
from typing import Any
from urllib.parse import urlencode

from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.tour.scenes import PARTS, LessonError, Scene, read_lesson

# of another page's scene, what speaks of its buttons and figures: they are not in the file
_ELSEWHERE = re.compile(r"(?<=[.!?…]) (?:Here\b|[^.!?…]*\b[Pp]ress\b).*", re.DOTALL)
N_CHECKED = 4  # questions that are asked again at the end


def lesson_in_file(name: str) -> dict[str, Any] | None:
    """Returns a lesson for the script that shows it; None if the folder has none of that name."""
    try:
        lesson = read_lesson(name)
    except LessonError:
        return None
    asked = [i for i, scene in enumerate(lesson.scenes) if scene.choices and scene.right]
    step = max(1, len(asked) // N_CHECKED)
    return {
        "title": lesson.title,
        "about": lesson.about,
        "parts": PARTS,
        "scenes": [_scene(scene) for scene in lesson.scenes],
        "checked": asked[::step][:N_CHECKED],  # places of scenes
    }


def _scene(scene: Scene) -> dict[str, Any]:
    names = ("title", "words", "question", "answer", "choices", "reply", "right", "remember")
    told = {name: getattr(scene, name) for name in names}
    if not scene.page:
        home = {"query": urlencode(scene.query), "light": scene.light, "cover": scene.cover}
        return told | home | {"task": scene.task}
    picture = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
    words = _ELSEWHERE.sub("", scene.words)
    return told | {"words": words, "rows": picture.rstrip("/").split("/")}
