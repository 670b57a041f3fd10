"""What people write on their phones: in one line, and told apart as eyes do."""

from __future__ import annotations

import unicodedata

MAX_MARKS = 2  # on top of one letter
# letters of other scripts, and digits, that are drawn as a Latin letter is
_SAME = str.maketrans(
    "асеорхуіјѕһкмтвнԁԛԝ" + "αινορτυχκμβγ" + "ıɡɑ" + "01l|",
    "aceopxyijshkmtbhdqw" + "aivoptyxkmby" + "iga" + "oiii",
)


def in_line(text: str) -> str:
    """Returns a text in one line, without what is invisible, turns it round or piles marks up."""
    kept: list[str] = []
    for letter in unicodedata.normalize("NFC", text):
        kind = unicodedata.category(letter)
        is_piled = kind == "Mn" and all(unicodedata.combining(mark) for mark in kept[-MAX_MARKS:])
        if letter.isspace() or not (kind.startswith("C") or is_piled):
            kept.append(letter)
    return " ".join("".join(kept).split())


def as_seen(name: str) -> str:
    """Returns what all names that look like this one have in common, such as "ada" of "АDА".

    Not all pairs are known: those that a class would try, and letters of full width.
    """
    return unicodedata.normalize("NFKC", name).casefold().translate(_SAME)
