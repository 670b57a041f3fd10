"""Cuts a scene's words before their last sentence, which alone a phone shows at first."""

import re

_BETWEEN = re.compile(r"(?<=[.!?؟]) (?=[^\W\d_a-zß-ÿ]|[*¿¡„«“])|(?<=[。！？])(?=.)")


def cut_last(text: str) -> tuple[str, str]:
    """Returns all but the last sentence of a text in Markdown, and that one."""
    # nothing that is emphasized is cut
    places = [one.end() for one in _BETWEEN.finditer(text) if text[: one.end()].count("*") % 2 == 0]
    place = places[-1] if places else 0
    return text[:place].rstrip(), text[place:]
