"""A JSON schema as a regular expression for the JSON texts that satisfy it.

Each value is written in one way: keys in the schema's order and no others than it names, at most
one space between parts, characters as themselves or by the shortest escape, an integer without
fraction or exponent. A keyword that is not carried out is refused by its name, so that every text
that matches satisfies its schema (JSON Schema 2020-12).
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from model.constraints.keywords import (
    UNSATISFIABLE,
    Schema,
    as_numbers,
    bounds_of,
    check_order,
    constants_of,
    keywords_of,
    list_of,
    parts_of,
    required_by,
    satisfying_types,
    type_of,
    unsupported,
    values_of,
    written_types,
)
from model.constraints.regex import ANY_IN_JSON, literal, part_of_string, times
from model.sentences import cut

MAX_CHARACTERS = 4_000  # characters of a pattern

_INTEGER = "-?(?:0|[1-9][0-9]*)"
_SCALARS = {
    "null": "null",
    "boolean": "(?:true|false)",
    "integer": _INTEGER,
    "number": rf"{_INTEGER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
}
_DRAFTS = ("2020-12", "2019-09", "draft-07", "draft-06")

_YEAR = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_DATE = (
    f"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|"
    f"(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_HOUR = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME = rf"{_HOUR}:[0-5][0-9](?:\.[0-9]{{1,6}})?(?:Z|[+-]{_HOUR})"
_FORMATS = {  # RFC 3339 and RFC 9562
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
}


def pattern_of_schema(source: str) -> str:
    """Writes a schema as a pattern.

    Raises:
        ValueError: one sentence with the remedy.
    """
    try:
        root = json.loads(source, parse_constant=_refuse_constant)
        if isinstance(root, dict):
            draft = root.get("$schema", _DRAFTS[0])
            if not any(name in str(draft) for name in _DRAFTS):
                raise ValueError(f"“$schema” names {cut(str(draft))}: use draft 2020-12.")
            if isinstance(root.get("$id"), str):
                root = {key: value for key, value in root.items() if key != "$id"}
        return _Writer(root).value(root)
    except json.JSONDecodeError as error:
        raise ValueError(f"This is not JSON ({error}): correct it.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"This is not JSON ({name} is no number there): correct it.")


class _Writer:
    """Writes the parts of one schema."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._open: list[str] = []  # references that are being followed

    def value(self, schema: Any) -> str:
        """Writes the pattern of a value."""
        keys = keywords_of(schema)
        pattern: str
        if "$ref" in keys:
            (name, target) = self._target(schema)
            if name in self._open:
                raise ValueError(f"“{cut(name)}” refers to itself: write it out as deep as wanted.")
            self._open.append(name)
            pattern = self.value(target)
            self._open.pop()
        elif "anyOf" in keys or "oneOf" in keys:
            parts = parts_of(schema)
            pattern = _either([self.value(part) for part in parts])
            if "oneOf" in keys:
                self._check_apart(parts)
        elif "enum" in keys or "const" in keys:
            pattern = _either([_constant(value) for value in values_of(schema)])
        else:
            pattern = _either([self._typed(name, schema) for name in written_types(schema)])
        if len(pattern) > MAX_CHARACTERS:
            raise ValueError(
                f"The pattern of this schema has more than {MAX_CHARACTERS:,} characters: "
                "shorten it."
            )
        return pattern

    def _typed(self, name: str, schema: Schema) -> str:
        if name == "string":
            return f'"{_string(schema)}"'
        if name == "array":
            return self._array(schema)
        return self._object(schema) if name == "object" else _SCALARS[name]

    def _array(self, schema: Schema) -> str:
        low, high = bounds_of(schema, "Items")
        first = [self.value(part) for part in list_of(schema, "prefixItems")]
        items = schema.get("items", None if first else True)
        if items is True:
            raise ValueError("An array can hold anything: say what in “items”.")
        rest = self.value(items) if isinstance(items, dict) else None
        if not isinstance(items, dict | bool | None):
            self.value(items)  # refuses it
        if rest is None:
            high = len(first) if high is None else min(high, len(first))
        check_order(low, high)
        parts = ([*first] if first or rest is None else [rest])[:high]
        tail = ""
        if rest is not None and (high is None or high > len(parts)):
            more = None if high is None else high - len(parts)
            tail = f"(?: ?, ?{rest}){times(max(0, low - len(parts)), more)}"
        for index in reversed(range(len(parts))):
            tail = f"{' ?, ?' if index else ''}{parts[index]}{tail}"
            if index >= low:
                tail = f"(?:{tail})?"
        return rf"\[ ?{tail} ?\]"

    def _object(self, schema: Schema) -> str:
        low, high = bounds_of(schema, "Properties")
        properties, others = schema.get("properties"), schema.get("additionalProperties", True)
        required = required_by(schema)
        if properties is None and isinstance(others, dict):
            if low > 1:  # two equal names are one property
                raise unsupported("minProperties", "additionalProperties")
            check_order(low, high)
            pair = rf'"{ANY_IN_JSON}*" ?: ?{self.value(others)}'
            some = f"{pair}(?: ?, ?{pair}){times(0, None if high is None else max(0, high - 1))}"
            return rf"\{{ ?{'' if high == 0 else some if low else f'(?:{some})?'} ?\}}"
        if isinstance(others, dict):
            raise unsupported("additionalProperties", "properties")
        if not isinstance(others, bool):
            self.value(others)  # refuses it
        if properties is None and others:
            raise ValueError("An object can have any keys: name them in “properties”.")
        properties = properties or {}
        names = list(properties)
        check_order(max(low, len(required)), len(names) if high is None else min(high, len(names)))
        for limit, is_idle in (("min", low <= len(required)), ("max", (high or 0) >= len(names))):
            if f"{limit}Properties" in schema and not is_idle:
                raise unsupported(f"{limit}Properties", "properties")
        pairs = [f"{_constant(name)} ?: ?{self.value(properties[name])}" for name in names]
        return rf"\{{ ?{_listed(pairs, [name in required for name in names])} ?\}}"

    def _target(self, schema: Schema) -> tuple[str, Any]:
        """Finds the schema that a reference names."""
        name, target = str(schema["$ref"]), self.root
        path, *parts = unquote(name).split("/")
        for part in parts:
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, dict) else None
        if path != "#" or target is None:
            raise ValueError(f"“{cut(name)}” is not in the schema: define it in “$defs”.")
        return name, target

    # Parts of which exactly one may hold

    def _check_apart(self, parts: Sequence[Any]) -> None:
        pairs = ((a, b) for a in parts for b in parts if a is not b)
        if not all(self._are_apart(one, other) for one, other in pairs):
            raise ValueError("The parts of “oneOf” overlap, or may: use “anyOf” instead.")

    def _are_apart(self, one: Any, other: Any) -> bool:
        """Tells whether it is sure that no text written by one schema satisfies the other."""
        while "$ref" in one:
            one = self._target(one)[1]
        while "$ref" in other:
            other = self._target(other)[1]
        if "anyOf" in one or "oneOf" in one:
            return all(self._are_apart(part, other) for part in parts_of(one))
        if "anyOf" in other or "oneOf" in other:
            return all(self._are_apart(one, part) for part in parts_of(other))
        own, others = (constants_of(schema) for schema in (one, other))
        if own is not None and others is not None:
            return not any(value in others for value in own)
        written = {type_of(v) for v in own} if own is not None else set(written_types(one))
        if not as_numbers(written) & satisfying_types(other):
            return True
        return written == {"object"} and own is None and self._differ_in_a_key(one, other)

    def _differ_in_a_key(self, one: Schema, other: Schema) -> bool:
        listed, theirs = one.get("properties"), other.get("properties", {})
        if listed is None:
            return False
        lacks_one = not set(required_by(other)) <= set(listed)
        common = [name for name in required_by(one) if name in theirs]
        return lacks_one or any(self._are_apart(listed[name], theirs[name]) for name in common)


def _string(schema: Schema) -> str:
    """Writes the inside of a string."""
    low, high = bounds_of(schema, "Length")
    check_order(low, high)
    given = [key for key in ("pattern", "format", "minLength", "maxLength") if key in schema]
    if given[:1] in (["pattern"], ["format"]):
        main = given[0]
        if others := given[1:]:
            raise unsupported(others[0], main)
        text = schema[main]
        if main == "pattern" and isinstance(text, str):
            return f"(?:{part_of_string(text)})"
        if main == "format" and text in _FORMATS:
            return _FORMATS[text]
        raise unsupported(f"{main}: {text}")
    return f"{ANY_IN_JSON}{times(low, high)}"


def _constant(value: Any) -> str:
    """Writes one value, its parts with at most one space between them."""
    if isinstance(value, list):
        return rf"\[ ?{' ?, ?'.join(map(_constant, value))} ?\]"
    if isinstance(value, dict):
        pairs = (f"{_constant(key)} ?: ?{_constant(inner)}" for key, inner in value.items())
        return rf"\{{ ?{' ?, ?'.join(pairs)} ?\}}"
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("The schema holds half a character: leave it out.") from None
    except ValueError:
        raise ValueError(
            "The schema holds a number that is too large: use a smaller one."
        ) from None
    return literal(text)


def _either(patterns: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(patterns))
    if not distinct:
        raise ValueError(UNSATISFIABLE)
    return distinct[0] if len(distinct) == 1 else f"(?:{'|'.join(distinct)})"


def _listed(pairs: Sequence[str], is_required: Sequence[bool]) -> str:
    """Writes key-value pairs in their order, some of which may be left out."""

    def behind(index: int) -> Iterator[str]:
        for pair, is_needed in zip(pairs[index:], is_required[index:], strict=True):
            yield f" ?, ?{pair}" if is_needed else f"(?: ?, ?{pair})?"

    if True not in is_required:
        # any may be the first that is there
        firsts = [pair + "".join(behind(index + 1)) for index, pair in enumerate(pairs)]
        return f"(?:{'|'.join(firsts)})?"
    first = is_required.index(True)
    before = "".join(f"(?:{pair} ?, ?)?" for pair in pairs[:first])
    return before + pairs[first] + "".join(behind(first + 1))
