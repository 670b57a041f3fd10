"""A pattern's automaton admits what `re` matches, in a text and inside a JSON string."""

import json
import re
from itertools import product
from unicodedata import category

import numpy as np
import pytest

from model.constraints.patterns import Form, pattern_of
from model.constraints.regex import MISPLACED
from tests.constraints.automaton import Automaton

LETTERS = ["a", "b", "B", "1", " ", "\n", '"', "\\", "é", "٣", "\x1f", "🙂"]
TEXTS = ["".join(text) for n in range(4) for text in product(LETTERS[: 13 - 2 * n], repeat=n)]
PATTERNS = [
    *(
        "a|b",
        "^a|b$",
        "^(a|b)$",
        "(^a|b)1",
        "ab*",
        "a+?b",
        "(?:ab){2}",
        "a{1,2}",
        "",
        "^$",
        "^",
        "$",
    ),
    *(".", ".*", "[^a]", "[^a-z]", r"[\n\"]", r"\\", '"', r"\d", r"\D", r"\w", r"\W", r"\s", r"\S"),
    *(
        r"[\d\s]",
        r"[^\d\s]",
        r"[^\W\d]",
        r"[+-\]]",
        r"\x61",
        r"\u00e9",
        "é+",
        "🙂?",
        "[🙂é]",
        "(?P<x>a)b",
    ),
    *(
        r"\Aa\Z",
        "a$|b",
        "(a$|b$)",
        "^^a$$",
        r"[\x00-\x1f]",
        r"[\"-\\]",
        "(a|)b",
        "(?:a?){3}",
        "[^\\\\]",
    ),
]


def drawn(rng: np.random.Generator, depth: int = 3) -> str:
    """A small pattern at random."""
    kind = rng.integers(8) if depth else 0
    if kind < 3:
        atoms = ["a", "b", ".", r"\w", r"\s", '"', r"\\", "[^a]", r"[a\n1]", "é", r"\D", '[^"\\\\]']
        return str(rng.choice(atoms))
    inner = [drawn(rng, depth - 1) for _ in range(2)]
    if kind == 3:
        return f"(?:{inner[0]}|{inner[1]})"
    if kind == 4:
        return f"({inner[0]}){rng.choice(['*', '+', '?', '{2}', '{0,2}', '*?'])}"
    if kind == 5:
        return f"^{inner[0]}{inner[1]}"
    return inner[0] + inner[1] + ("$" if kind == 6 else "")


def random_patterns() -> list[str]:
    rng = np.random.default_rng(7)
    return [drawn(rng) for _ in range(150)]


def accepted(kind: Form, source: str) -> Automaton | None:
    """The automaton; None where nothing is written or an anchor stands in the middle."""
    try:
        return Automaton(pattern_of(kind, source))
    except ValueError as error:
        if str(error) != MISPLACED and source:
            raise
        return None


@pytest.mark.parametrize("patterns", [PATTERNS, random_patterns()])
def test_what_is_admitted_is_what_re_matches(patterns: list[str]) -> None:
    n_refused = 0
    for pattern in patterns:
        automaton = accepted("pattern", pattern)
        inside = accepted("schema", json.dumps({"type": "string", "pattern": pattern}))
        n_refused += automaton is None
        # in JSON Schema a $ is the very end; Python's matches before a last line end too
        whole, some = re.compile(pattern), re.compile(pattern.replace("$", r"\Z"))
        for text in TEXTS:
            if automaton is not None:
                assert automaton.admits(text) == bool(whole.fullmatch(text)), (pattern, text)
            if inside is not None:
                spelled = json.dumps(text, ensure_ascii=False)
                assert inside.admits(spelled) == bool(some.search(text)), (pattern, text)
    assert n_refused < len(patterns) / 3


@pytest.mark.parametrize("name", [r"\d", r"\w", r"\s", r"\W", "."])
def test_a_class_holds_the_characters_that_re_says(name: str) -> None:
    automaton, expected = Automaton(pattern_of("pattern", name)), re.compile(name)
    others = np.random.default_rng(1).integers(0x3000, 0x110000, 2000).tolist()
    for code in [*range(0x3001), *others]:
        if category(chr(code)) not in ("Cs", "Cn"):  # which another edition of Unicode may assign
            assert automaton.admits(chr(code)) == bool(expected.fullmatch(chr(code))), hex(code)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a*^b", "^"),
        ("(a$)*", "^"),
        (r"\ba", r"\b"),
        ("(?=a)b", "look-ahead"),
        (r"(a)\1", "references back"),
        ("a*+", "possessive"),
        ("(?i)a", "(?i)"),
        ("(?i:a)", "(?i)"),
        ("[", "unterminated"),
        (r"\ud800", "surrogate"),
        ("\ud800", "half"),
        ("(^|a)" * 9, "^"),
        ("(" * 900 + ")" * 900, "nested"),
    ],
)
def test_what_an_automaton_cannot_match_is_refused_by_name(pattern: str, name: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        pattern_of("pattern", pattern)
    assert name in str(caught.value)


def test_choices_are_these_texts_alone() -> None:
    choices = ["a+b", "a\tb", "c\u2028d", " ", "é^", "x-y#", "(", "\x0b"]
    automaton = Automaton(pattern_of("choices", "\r\n".join(choices)))
    written = [choice for choice in choices if choice.strip()]
    assert [choice for choice in choices if automaton.admits(choice)] == written
    assert list(automaton.texts(bytes(range(256)), 50)) == sorted(
        written, key=lambda text: (len(text.encode()), text.encode())
    )
