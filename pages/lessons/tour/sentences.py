"""Cuts a scene's words behind their first sentence, which alone a phone shows at first."""

import re

_BETWEEN = re.compile(r"(?<=[.!?؟]) (?=[^\W\d_a-zß-ÿ]|[*¿¡„«“])|(?<=[。！？])(?=.)")


def cut_first(text: str) -> tuple[str, str]:
    """Returns the first sentence of a text in Markdown, and all others."""
    # nothing that is emphasized is cut
    places = [one.end() for one in _BETWEEN.finditer(text) if text[: one.end()].count("*") % 2 == 0]
    place = places[0] if places else len(text)
    return text[:place].rstrip(), text[place:]
