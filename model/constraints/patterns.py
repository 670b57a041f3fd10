"""A constraint becomes one regular expression, or a sentence that says what is wrong with it.

outlines-core translates a part of JSON Schema and ignores the rest: what it would ignore is refused
here, so that every text satisfies its schema. The automaton of a short pattern can still be huge,
so each is first built over single bytes in a process of its own, which can be ended.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from outlines_core import Index, Vocabulary, json_schema  # type: ignore[import-untyped]  # ships no types

from model.machine.child import Child, EndedError, answer
from model.sentences import cut, reason

Kind: TypeAlias = Literal["choices", "pattern", "schema"]
MAX_CHARACTERS = 4_000  # characters of a pattern
MAX_CELLS = 50_000_000  # states times tokens: what an automaton over the tokens may weigh
TRIAL_SECONDS = 5.0  # for the automaton over bytes
UNSATISFIABLE = "No text satisfies this constraint: allow at least one."
# the keyword by which outlines-core translates a schema, in its order, and what it reads beside it
_SUPPORTED: dict[str, set[str]] = {
    "properties": {"type", "required", "additionalProperties"},
    "anyOf": set(),
    "oneOf": set(),
    "prefixItems": {"type"},
    "enum": {"type"},
    "const": {"type"},
    "$ref": set(),
    "type": {"minLength", "maxLength", "pattern", "format"}
    | {"items", "minItems", "maxItems", "additionalProperties"}
    | {"minProperties", "maxProperties"},
}
_ANNOTATIONS = {"title", "description", "default", "examples", "$schema", "$id", "$comment"}
_ANNOTATIONS |= {"$defs", "definitions"}


def pattern_of(kind: Kind, source: str) -> str:
    """Writes any kind of constraint as a regular expression that the whole text has to match.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if not source.strip():
        raise ValueError("The constraint is empty: write what may follow.")
    if len(source) > MAX_CHARACTERS:
        raise ValueError(_too_long("constraint", source))
    if kind == "choices":
        choices = dict.fromkeys(line for line in source.splitlines() if line.strip())
        pattern = "|".join(re.escape(line).replace("\\ ", " ") for line in choices)
    else:
        pattern = _without_anchors(source) if kind == "pattern" else _of_schema(source)
    if len(pattern) > MAX_CHARACTERS:
        raise ValueError(_too_long("pattern of this constraint", pattern))
    return pattern


def _too_long(name: str, text: str) -> str:
    return f"The {name} has {len(text):,} characters, at most {MAX_CHARACTERS:,} fit: shorten it."


def _without_anchors(pattern: str) -> str:
    """Leaves out a ^ before and a $ after it: they say what holds anyway."""
    body = pattern.removesuffix("$")
    n_slashes = len(body) - len(body.rstrip("\\"))
    is_escaped = n_slashes % 2 == 1
    return (pattern if is_escaped else body).removeprefix("^")


def _of_schema(source: str) -> str:
    try:
        schema = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"This is not JSON ({error}): correct it.") from None
    if problem := next(_problems(schema), None):
        raise ValueError(problem)
    try:
        return str(json_schema.build_regex_from_schema(source))
    except (ValueError, TypeError) as error:
        raise ValueError(f"The schema cannot be used ({reason(error)}): change it.") from None


def _problems(schema: Any) -> Iterator[str]:
    """Finds what the translation would pass over, and what nothing satisfies."""
    if not isinstance(schema, dict):
        yield 'A schema is a JSON object: write one, such as {"type": "integer"}.'
        return
    keys = set(schema) - _ANNOTATIONS
    main_key = next((key for key in _SUPPORTED if key in keys), None)
    supported = {main_key} | (_SUPPORTED[main_key] if main_key else set())
    for key in sorted(keys - supported):
        yield f"“{cut(key)}” is not supported: use “enum” or “pattern”, or leave it out."
    if "pattern" in keys and keys & {"minLength", "maxLength"}:
        yield "“pattern” and a length cannot be combined: leave one of them out."
    if any(schema.get(key) == [] for key in ("enum", "anyOf", "oneOf")):
        yield UNSATISFIABLE
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict) and isinstance(required, list):
        for name in required:
            if name not in list(properties):
                yield f"“{cut(str(name))}” is required but not defined: add it to “properties”."
    for part in _parts(schema):
        yield from _problems(part)


def _parts(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Lists the schemas inside a schema."""
    for key in ("properties", "$defs", "definitions"):
        if isinstance(schema.get(key), dict):
            yield from schema[key].values()
    for key in ("anyOf", "oneOf", "prefixItems"):
        if isinstance(schema.get(key), list):
            yield from schema[key]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]


def check_size(pattern: str, n_tokens: int) -> None:
    """Tries how many states a pattern has, before an automaton over all tokens is built.

    Raises:
        ValueError: where that would take too long.
    """
    n_states = _n_states(pattern)
    if n_states is None or n_states * n_tokens > MAX_CELLS:
        raise ValueError("The automaton of this pattern is too large: allow fewer repetitions.")


@lru_cache(maxsize=256)
def _n_states(pattern: str) -> int | None:
    """Counts the states over single bytes; None where it takes too long, 0 where it is broken."""
    with Child("model.constraints.patterns", TRIAL_SECONDS) as child:
        try:
            return int(child.ask(pattern=pattern))
        except EndedError:
            return None
        except ValueError:
            return 0


def count_states(pattern: str) -> int:
    """Counts the states of a pattern's automaton over single bytes, in another process."""
    letters = Vocabulary(256, {bytes([byte]): [byte] for byte in range(256)})
    return len(Index(pattern, letters).get_transitions())


def explain(pattern: str, said: str) -> str:
    """Turns what the compiler says into one sentence with the remedy."""
    if "no transitions" in said:
        missing = re.search(r"characters: \[(.+)\]", said)
        return (
            f"No token of this model writes {cut(missing[1])}: leave it out."
            if missing
            else UNSATISFIABLE
        )
    if "anchored" in said or "word boundaries" in said:
        return r"The pattern cannot be used: it has to match the whole text, so leave out ^, $, \b."
    try:
        re.compile(pattern)
    except (re.error, RecursionError) as error:
        return f"The pattern cannot be used ({reason(error)}): correct it."
    return (
        "The pattern cannot be used: an automaton has no memory, so write it without look-ahead, "
        "look-behind and references back."
    )


if __name__ == "__main__":
    answer(count_states)
