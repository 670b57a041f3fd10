"""What a reader said to the questions of a lesson: in the address, so that a reload keeps it.

It comes from an address, so anybody may have written it. Knows nothing of Streamlit.
"""

from collections.abc import Mapping

from pages.lessons.tour.scenes import MAX_SCENES, Scene

MAX_CHARACTERS = 40  # of one reply
TOLERANCE = 1e-9
_BETWEEN, _AFTER_NUMBER = "~", "."


def read_said(text: str) -> dict[int, str]:
    """Returns the replies by the number of their scene; what cannot be one is left out."""
    said: dict[int, str] = {}
    for part in text[: MAX_SCENES * (MAX_CHARACTERS + 4)].split(_BETWEEN):
        number, dot, reply = part.partition(_AFTER_NUMBER)
        is_number = number.isascii() and number.isdigit() and len(number) < 4
        if is_number and dot and reply and 1 <= int(number) <= MAX_SCENES:
            said[int(number)] = reply[:MAX_CHARACTERS]
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
        is_choice = said.isascii() and said.isdigit() and 1 <= int(said) <= len(scene.choices)
        return scene.choices[int(said) - 1] if is_choice else ""
    if scene.reply == "a word":
        return said
    try:
        number = float(said)
    except ValueError:
        return ""
    return f"{number:g}{' %' if scene.reply == 'a share' else ''}" if number == number else ""


def is_right(scene: Scene, reply: str) -> bool | None:
    """Tells whether what was said is right; None where nothing is."""
    if not scene.right:
        return None
    if scene.choices or scene.reply == "a word":
        return reply.casefold() == scene.right.casefold()
    return abs(float(reply.rstrip(" %")) - float(scene.right)) <= TOLERANCE
