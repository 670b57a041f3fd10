"""What people read and write on their phones: words, in one line, and told apart as eyes do."""

import unicodedata

from model.sentences import Sentence

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


def as_word(label: str) -> str:
    """Returns a token's label as a person writes it: "the" of "␣the", "…ing" within a word."""
    if label in ("⏎", "⇥"):
        return Sentence("new line") if label == "⏎" else Sentence("tab")
    words = label.replace("␣", " ").replace("⏎", "new line").replace("⇥", "tab").strip()
    if not words:
        return Sentence("a space")
    return f"…{words}" if label[0].isalnum() and words == label else words
