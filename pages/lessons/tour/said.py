"""What a reader said to the questions of a lesson: in the address, so that a reload keeps it.

It comes from an address, so anybody may have written it. Knows nothing of Streamlit.
"""

import re
from collections.abc import Mapping

from pages.frame.values import number_of, whole_of
from pages.frame.words import _
from pages.lessons.tour.scene_file import MAX_SCENES
from pages.lessons.tour.scenes import Scene

MAX_CHARACTERS = 40  # of one reply
TOLERANCE = 1e-9
_BETWEEN, _AFTER_NUMBER = "~", "."


def read_said(text: str) -> dict[int, str]:
    """Returns the replies by the number of their scene; what cannot be one is left out."""
    said: dict[int, str] = {}
    for part in text[: MAX_SCENES * (MAX_CHARACTERS + 4)].split(_BETWEEN):
        number, dot, reply = part.partition(_AFTER_NUMBER)
        scene = whole_of(number, 1, MAX_SCENES)
        if scene is not None and dot and (kept := cleaned(reply)):
            said[scene] = kept
    return said


def write_said(said: Mapping[int, str]) -> str:
    """Returns the replies as an address says them."""
    return _BETWEEN.join(f"{number}{_AFTER_NUMBER}{said[number]}" for number in sorted(said))


def cleaned(reply: object) -> str:
    """Returns a reply as it is kept: short, in one line, without what stands between replies."""
    return " ".join(str(reply).replace(_BETWEEN, " ").split())[:MAX_CHARACTERS]


def reply_of(scene: Scene, said: str) -> str:
    """Returns in words what was said: a choice is kept by its number; empty where it is none."""
    if scene.choices:
        choice = whole_of(said, 1, len(scene.choices))
        return "" if choice is None else scene.choices[choice - 1]
    if scene.reply == "a word":
        return said
    number = number_of(said)
    unit = " %" if scene.reply == "a share" else ""
    return "" if number is None else f"{number:g}{unit}"


def is_right(scene: Scene, reply: str) -> bool | None:
    """Tells whether what was said is right; None where nothing is."""
    if not scene.right:
        return None
    if scene.choices or scene.reply == "a word":
        return reply.casefold() == scene.right.casefold()
    return abs(float(reply.rstrip(" %")) - float(scene.right)) <= TOLERANCE


def plain(markdown: str) -> str:
    """Returns the words of Markdown without its signs; slanted ones stand in quotes."""

    def quoted(found: re.Match[str]) -> str:
        return _("“{text}”", text=found[1])

    markdown = re.sub(r"(?<!\*)\*([^*\s][^*]*)\*(?!\*)", quoted, markdown)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", lambda found: found[1] or "", markdown)
