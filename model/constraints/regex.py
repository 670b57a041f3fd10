"""A regular expression as Python's `re` reads it, written out for an automaton.

An automaton matches whole texts and has no memory: anchors at the ends of the expression are
resolved here, and what needs memory (look-around, references back, possessive repeats) is refused
by name. Inside a JSON string each character is spelled as JSON writes it: itself, or the shortest
escape where it may not stand for itself.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from re import _parser  # type: ignore[attr-defined]  # no stubs name it
from typing import Any, TypeAlias

from model.sentences import reason

# the parser of `re` itself: a second one would read some expressions otherwise
_SRE: Any = _parser
_Item: TypeAlias = tuple[Any, Any]  # an operation and its argument
_Spell: TypeAlias = Callable[[Sequence[_Item]], str]  # of a set of characters

MAX_BRANCHES = 64  # alternatives that an expression with anchors inside groups may have
_SPACES = r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}"
_CLASSES = {
    "CATEGORY_DIGIT": (r"\d", r"\p{Nd}"),
    "CATEGORY_SPACE": (r"\s", rf"{_SPACES}\x{{3000}}"),
    "CATEGORY_WORD": (r"\w", r"\p{L}\p{N}_"),
}
_BEGINNINGS = {"AT_BEGINNING", "AT_BEGINNING_STRING"}
_ENDS = {"AT_END", "AT_END_STRING"}
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT"}  # greedy or not, they match the same texts
_NO_MEMORY = (
    "The pattern cannot be used: an automaton has no memory, so write it without look-ahead, "
    "look-behind, references back and possessive repeats."
)
MISPLACED = (
    r"The pattern cannot be used: ^ and $ belong at its ends, and \b nowhere, so leave them out."
)
_SHORT_ESCAPES = {8: "b", 9: "t", 10: "n", 12: "f", 13: "r", 0x22: '"', 0x5C: r"\\"}


def whole_text(pattern: str) -> str:
    """Returns an expression for the texts that match the pattern from end to end."""
    return _joined(_sequence(branch, _as_text) for branch, _, _ in _branches(pattern))


def part_of_string(pattern: str) -> str:
    """Returns one for the insides of JSON strings in which the pattern matches somewhere."""
    return _joined(
        ("" if at_start else f"{ANY_IN_JSON}*")
        + _sequence(branch, _as_json)
        + ("" if at_end else f"{ANY_IN_JSON}*")
        for branch, at_start, at_end in _branches(pattern)
    )


def literal(text: str) -> str:
    """Returns an expression that matches this text alone."""
    return re.sub(r"[\\.+*?()|\[\]{}^$#&~-]", r"\\\g<0>", text)


def _branches(pattern: str) -> Iterator[tuple[list[_Item], bool, bool]]:
    """Yields the alternatives of a pattern without anchors, and whether each had one at its ends.

    Raises:
        ValueError: one sentence with the remedy.
    """
    try:
        parsed = _SRE.parse(pattern)
    except (re.error, OverflowError) as error:
        raise ValueError(f"The pattern cannot be used ({reason(error)}): correct it.") from None
    if parsed.state.flags & ~re.UNICODE:
        raise ValueError("The pattern has flags such as (?i): write [aA] for both cases instead.")
    for branch in _without_groups(parsed):
        n_before, n_after = _count(branch, _BEGINNINGS), _count(branch[::-1], _ENDS)
        body = branch[n_before : max(n_before, len(branch) - n_after)]
        yield body, n_before > 0, n_after > 0


def _count(items: Sequence[_Item], anchors: set[str]) -> int:
    """Counts the anchors at the beginning of a sequence."""
    is_anchor = (str(op) == "AT" and str(given) in anchors for op, given in items)
    return next((index for index, found in enumerate(is_anchor) if not found), len(items))


def _without_groups(sequence: Sequence[_Item]) -> list[list[_Item]]:
    """Multiplies out the groups that hold an anchor, so that anchors stand in sequences alone."""
    branches: list[list[_Item]] = [[]]
    for op, given in sequence:
        parts: list[list[_Item]] = [[(op, given)]]
        if str(op) != "AT" and any(map(_has_anchor, _inside(op, given))):
            if str(op) in _REPEATS:
                raise ValueError(MISPLACED)
            parts = [part for inner in _inside(op, given) for part in _without_groups(inner)]
        branches = [[*before, *part] for before in branches for part in parts]
        if len(branches) > MAX_BRANCHES:
            raise ValueError(MISPLACED)
    return branches


def _inside(op: Any, given: Any) -> list[Sequence[_Item]]:
    """Lists the sequences inside an operation."""
    if str(op) == "BRANCH":
        return list(given[1])
    if str(op) == "SUBPATTERN":
        if given[1] or given[2]:
            raise ValueError("The pattern has flags such as (?i): write [aA] for both cases.")
        return [given[3]]
    return [given[2]] if str(op) in _REPEATS else []


def _has_anchor(sequence: Sequence[_Item]) -> bool:
    return any(str(op) == "AT" or any(map(_has_anchor, _inside(op, of))) for op, of in sequence)


def _sequence(items: Sequence[_Item], spell: _Spell) -> str:
    return "".join(_expression(op, given, spell) for op, given in items)


def _expression(op: Any, given: Any, spell: _Spell) -> str:
    """Writes one operation of the parser."""
    match str(op):
        case "LITERAL":
            return spell([(op, given)])
        case "NOT_LITERAL":
            return spell([(_SRE.NEGATE, None), (_SRE.LITERAL, given)])
        case "ANY":
            return spell([(_SRE.NEGATE, None), (_SRE.LITERAL, 10)])
        case "IN":
            return spell(given)
        case "BRANCH" | "SUBPATTERN":
            return f"(?:{_joined(_sequence(one, spell) for one in _inside(op, given))})"
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, inner = given
            return f"(?:{_sequence(inner, spell)}){times(low, _limit(high))}"
        case "AT":
            raise ValueError(MISPLACED)
    raise ValueError(_NO_MEMORY)


def _limit(high: Any) -> int | None:
    return None if high is _SRE.MAXREPEAT else int(high)


def times(low: int, high: int | None) -> str:
    """Writes how often what stands before may be repeated."""
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
    return short or f"{{{low},{'' if high is None else high}}}"


def _joined(parts: Iterator[str]) -> str:
    return "|".join(dict.fromkeys(parts))


# Sets of characters


def _as_text(items: Sequence[_Item]) -> str:
    """Writes a set of characters that stand for themselves."""
    if len(items) == 1 and str(items[0][0]) == "LITERAL":
        return literal(chr(_scalar(items[0][1])))
    return f"[{_body(items)}]"


def _as_json(items: Sequence[_Item]) -> str:
    """Writes a set of characters as they are spelled inside a JSON string."""
    if len(items) == 1 and str(items[0][0]) == "LITERAL":
        return literal(json.dumps(chr(_scalar(items[0][1])), ensure_ascii=False)[1:-1])
    raw = r'[^"\\\x00-\x1f]'
    spellings = [raw if items == _ANY else f"[[{_body(items)}]&&{raw}]"]
    if short := "".join(s for code, s in _SHORT_ESCAPES.items() if _is_in(items, code)):
        spellings.append(rf"\\[{short}]")
    for digit in "01":
        codes = (int(f"{digit}{last}", 16) for last in "0123456789abcdef")
        others = (code for code in codes if code not in _SHORT_ESCAPES and _is_in(items, code))
        if last := "".join(f"{code % 16:x}" for code in others):
            spellings.append(rf"\\u00{digit}[{last}]")
    return f"(?:{'|'.join(spellings)})"


def _body(items: Sequence[_Item]) -> str:
    """Writes what stands between the brackets of a class."""
    return "".join(_member(str(op), given) for op, given in items)


def _member(op: str, given: Any) -> str:
    if op == "NEGATE":
        return "^"
    if op == "LITERAL":
        return _code(_scalar(given))
    if op == "RANGE":
        low, high = given
        # surrogates are no characters: a range may span them but not end in them
        low = 0xE000 if 0xD800 <= low <= 0xDFFF else low
        high = 0xD7FF if 0xD800 <= high <= 0xDFFF else high
        return f"{_code(low)}-{_code(high)}" if low <= high else ""
    name = str(given)
    body = _CLASSES[name.replace("_NOT", "")][1]
    return f"[^{body}]" if "_NOT" in name else body


def _code(code: int) -> str:
    return chr(code) if chr(code).isascii() and chr(code).isalnum() else f"\\x{{{code:x}}}"


def _is_in(items: Sequence[_Item], code: int) -> bool:
    """Tells whether a character is in a set."""
    is_negated = str(items[0][0]) == "NEGATE"
    return is_negated != any(_holds(str(op), given, code) for op, given in items)


def _holds(op: str, given: Any, code: int) -> bool:
    if op == "CATEGORY":
        name = str(given)
        is_of = re.match(_CLASSES[name.replace("_NOT", "")][0], chr(code)) is not None
        return is_of != ("_NOT" in name)
    if op == "RANGE":
        return bool(given[0] <= code <= given[1])
    return op == "LITERAL" and bool(given == code)


def _scalar(code: int) -> int:
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("The pattern names half a character (a lone surrogate): leave it out.")
    return code


_ANY: list[_Item] = [(_SRE.RANGE, (0, 0x10FFFF))]
ANY_IN_JSON = _as_json(_ANY)
