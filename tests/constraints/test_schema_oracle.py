"""What the mask of a JSON schema admits is what `jsonschema` calls valid, and conversely."""

import json
from datetime import date, datetime, time
from itertools import product
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from model.constraints.keywords import UNSATISFIABLE
from model.constraints.patterns import pattern_of
from tests.constraints.automaton import Automaton

N_SCHEMAS = 300
LETTERS = b'"\\abn/ []{}:,0123-.eE+truefalsenull\xc3\xa9\n'
STRINGS = [
    "",
    "a",
    "b",
    "ab",
    "aab",
    "é",
    '"',
    "\\",
    "a\nb",
    "\0\x01",
    "\x7f",
    "🙂é",
    "a/b",
    "\u2028",
]
SCALARS: list[Any] = [None, True, False, 0, 1, -1, 10, 1.5, -0.25, 1e-300, *STRINGS]
ARRAYS = [[], [1], ["a"], [1, 1], [1, "a"], ["a", 1], [True, None], [1, 2, 3], [[]], [["a"]], [1.5]]
KEYS = ("a", "b", 'é"')
OBJECTS = [
    {key: value for key, value in zip(KEYS, values, strict=True) if value != "-"}
    for values in product([1, "a", "-"], [None, "b", "-"], [True, "-"])
]
POOL = [*SCALARS, *ARRAYS, *OBJECTS, [{"a": 1}], {"a": {"a": 1}}, {"x": 1}, {"": "a", "y": "a"}]


class Schemas:
    """Draws small schemas at random."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def pick(self, options: Any) -> Any:
        return options[self.rng.integers(len(options))]

    def some(self, **keywords: Any) -> dict[str, Any]:
        """Each keyword in half of the schemas."""
        return {name: value for name, value in keywords.items() if self.rng.random() < 0.5}

    def draw(self, depth: int = 2) -> dict[str, Any]:
        kinds = ["scalar", "string", "enum", "enum", "string", "types"]
        inner = ["array", "prefix", "object", "object", "map", "any", "one", "ref"]
        schema: dict[str, Any] = getattr(self, self.pick([*kinds, *inner * min(depth, 1)]))(depth)
        return schema

    def scalar(self, _: int) -> dict[str, Any]:
        return {"type": self.pick(["null", "boolean", "integer", "number"])}

    def types(self, _: int) -> dict[str, Any]:
        names = ["null", "boolean", "integer", "number", "string"]
        return {"type": self.rng.permutation(names)[: self.rng.integers(1, 4)].tolist()}

    def string(self, _: int) -> dict[str, Any]:
        patterns = [
            ".",
            "^a",
            "b$",
            "^a*$",
            '"',
            r"\\",
            r"[^ab]",
            r"^\w?$",
            r"a|^b$",
            r"\n",
            "^.{2}$",
        ]
        if self.rng.random() < 0.5:
            return {"type": "string", "pattern": self.pick(patterns)}
        lengths = self.some(minLength=self.pick([0, 1, 2]), maxLength=self.pick([0, 1, 2, 3.0]))
        return {"type": "string", **lengths}

    def enum(self, _: int) -> dict[str, Any]:
        values = [self.pick(POOL) for _ in range(4)]
        beside = self.some(type=self.pick([["string", "integer"], "number", "string", "array"]))
        return (
            {self.pick(["enum"]): values, **beside}
            if self.pick([1, 1, 0])
            else {"const": values[0]}
        )

    def array(self, depth: int) -> dict[str, Any]:
        limits = self.some(minItems=self.pick([0, 1, 2]), maxItems=self.pick([0, 1, 2, 3]))
        return {"type": "array", "items": self.draw(depth - 1), **limits}

    def prefix(self, depth: int) -> dict[str, Any]:
        first = [self.draw(depth - 1) for _ in range(self.pick([1, 2]))]
        limits = self.some(minItems=self.pick([0, 1, 2]), maxItems=self.pick([1, 2, 3]))
        return {
            "prefixItems": first,
            **limits,
            **self.some(items=self.pick([{"type": "integer"}, False])),
        }

    def object(self, depth: int) -> dict[str, Any]:
        names = [name for name in KEYS if self.rng.random() < 0.7] or ["a"]
        needed = [name for name in names if self.rng.random() < 0.5]
        properties = {name: self.draw(depth - 1) for name in names}
        limits = self.some(minProperties=len(needed), maxProperties=len(names))
        return {"type": "object", "properties": properties, "required": needed, **limits}

    def map(self, depth: int) -> dict[str, Any]:
        limits = self.some(minProperties=self.pick([0, 1]), maxProperties=self.pick([1, 2]))
        return {"type": "object", "additionalProperties": self.draw(depth - 1), **limits}

    def any(self, depth: int) -> dict[str, Any]:
        return {"anyOf": [self.draw(depth - 1) for _ in range(self.pick([1, 2, 3]))]}

    def one(self, depth: int) -> dict[str, Any]:
        return {"oneOf": [self.draw(depth - 1) for _ in range(self.pick([1, 2, 2]))]}

    def ref(self, depth: int) -> dict[str, Any]:
        inner = {"type": "array", "items": {"$ref": "#/$defs/x~1y"}, "maxItems": 2}
        return {"$defs": {"x/y": self.draw(0)}, **inner} if depth == 2 else self.draw(depth)


def closed(schema: Any) -> Any:
    """The schema with all that is never written refused: other keys, further items."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict) or "enum" in schema or "const" in schema:
        return schema
    properties = schema.get("properties")
    result = {key: closed(value) for key, value in schema.items()}
    if properties is not None:
        result["properties"] = {name: closed(part) for name, part in properties.items()}
        result = {"additionalProperties": False} | result
    if "prefixItems" in schema:
        result = {"type": "array", "items": False} | result
    if "$defs" in schema:
        result["$defs"] = {name: closed(part) for name, part in schema["$defs"].items()}
    return result


def test_what_is_admitted_is_valid_and_what_is_valid_is_admitted() -> None:
    schemas, n_tried, n_refused, n_texts, n_valid = Schemas(seed=53), 0, 0, 0, 0
    while n_tried < N_SCHEMAS:
        schema = schemas.draw()
        strict = Draft202012Validator(closed(schema))
        valid = [strict.is_valid(value) for value in POOL]
        try:
            automaton = Automaton(pattern_of("schema", json.dumps(schema)))
        except ValueError as error:
            n_refused += 1
            if str(error) == UNSATISFIABLE and "{" not in json.dumps(schema)[1:]:
                assert not any(valid), schema
            continue
        n_tried += 1
        written = [automaton.admits(json.dumps(value, ensure_ascii=False)) for value in POOL]
        differ = [value for value, one, two in zip(POOL, valid, written, strict=True) if one != two]
        assert not differ, schema
        validator = Draft202012Validator(schema)
        for text in {*automaton.texts(LETTERS, 30), *automaton.drawn(LETTERS, 30)}:
            assert validator.is_valid(json.loads(text)), (schema, text)
            n_texts += 1
        n_valid += sum(valid)
    assert n_refused < N_SCHEMAS / 2
    assert n_texts > 5_000
    assert n_valid > 1_000


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "oneOf"),
    ({"oneOf": [{"const": 1}, {"const": 1.0}]}, "oneOf"),
    ({"oneOf": [{"type": "number"}, {"enum": [3, "a"]}]}, "oneOf"),
    ({"oneOf": [{"properties": {"a": {"type": "null"}}}, {"type": "integer"}]}, "oneOf"),
    ({"type": "array", "items": {"type": "null"}, "minItems": 3, "maxItems": 1}, UNSATISFIABLE),
    ({"type": "string", "minLength": 2, "maxLength": 1}, UNSATISFIABLE),
    ({"type": "integer", "const": "a"}, UNSATISFIABLE),
    ({"type": "integer", "const": True}, UNSATISFIABLE),
    ({"type": "boolean", "enum": [0, 1]}, UNSATISFIABLE),
    ({"enum": []}, UNSATISFIABLE),
    ({"properties": {"a": {"type": "null"}}, "minProperties": 2}, UNSATISFIABLE),
    (
        {"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "minProperties": 1},
        "minProperties",
    ),
    ({"type": "object", "additionalProperties": {"type": "null"}, "minProperties": 2}, "minProp"),
    ({"properties": {}, "additionalProperties": {"type": "null"}}, "additionalProperties"),
    ({"type": "string", "format": "email"}, "email"),
    ({"type": "string", "format": "date", "maxLength": 3}, "maxLength"),
    ({"type": "string", "pattern": "a", "minLength": 3}, "minLength"),
    ({"anyOf": [{"type": "null"}], "type": "null"}, "type"),
    ({"enum": ["a"], "const": "a"}, "const"),
    ({"enum": ["abc"], "maxLength": 1}, "maxLength"),
    ({"properties": {"a": {"type": "null"}}, "required": ["b"]}, "“b”"),
    ({"required": ["a"]}, "“a”"),
    ({"type": "text"}, "text"),
    ({"type": []}, "type"),
    ({}, "type"),
    ({"type": "array"}, "items"),
    ({"type": "object"}, "properties"),
    ({"type": "array", "items": {"type": "null"}, "minItems": -1}, "minItems"),
    ({"type": "array", "items": {"type": "null"}, "minItems": True}, "minItems"),
    ({"type": "string", "maxLength": "3"}, "maxLength"),
    ({"type": "string", "maxLength": 1.5}, "maxLength"),
    ({"$ref": "#"}, "itself"),
    ({"$ref": "#/$defs/no"}, "#/$defs/no"),
    ({"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}, "#"),
    ({"$ref": "https://example.org/a"}, "example"),
    ({"properties": {"a": {"$id": "b", "type": "null"}}}, "$id"),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "null"}, "schema"),
    ({"const": "\ud800"}, "half"),
    ({"type": "string", "pattern": "(?<=a)b"}, "look-behind"),
]


@pytest.mark.parametrize(("schema", "name"), WRONG)
def test_what_is_not_carried_out_or_satisfied_by_nothing_is_refused_by_name(
    schema: dict[str, Any], name: str
) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        pattern_of("schema", json.dumps(schema))
    assert name in str(caught.value)


CARRIED_OUT = {"$ref", "additionalProperties", "anyOf", "const", "enum", "format", "items"}
CARRIED_OUT |= {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
CARRIED_OUT |= {"oneOf", "pattern", "prefixItems", "properties", "required", "type"}


@pytest.mark.parametrize("keyword", sorted({*Draft202012Validator.VALIDATORS} - CARRIED_OUT))
def test_every_other_keyword_is_refused_by_its_name(keyword: str) -> None:
    for schema in ({"type": "integer"}, {"enum": [1]}, {"type": "array", "items": {"enum": [1]}}):
        with pytest.raises(ValueError, match=keyword.replace("$", r"\$")):
            pattern_of("schema", json.dumps(schema | {keyword: 1}))


@pytest.mark.parametrize(
    "source", ["[1]", "true", "{", "NaN", '{"const": NaN}', '{"const": 1e999}']
)
def test_what_is_no_schema_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match=r"^(This|A schema|The schema).*\.$"):
        pattern_of("schema", source)


def test_parts_that_a_key_tells_apart_are_one_of_several() -> None:
    parts = [
        {"properties": {"kind": {"const": kind}, kind: {"type": "null"}}, "required": ["kind"]}
        for kind in ("circle", "square")
    ]
    automaton = Automaton(pattern_of("schema", json.dumps({"oneOf": parts})))
    assert automaton.admits('{"kind": "circle", "circle": null}')
    assert not automaton.admits('{"kind": "circle", "square": null}')


READ: dict[str, Any] = {
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "date-time": datetime.fromisoformat,
    "uuid": UUID,
}


@pytest.mark.parametrize("name", READ)
def test_a_format_admits_what_python_reads(name: str) -> None:
    automaton = Automaton(pattern_of("schema", json.dumps({"type": "string", "format": name})))
    rng, n_right = np.random.default_rng(3), 0
    for _ in range(3000):
        numbers = rng.choice(
            [0, 1, 2, 4, 12, 13, 23, 24, 28, 29, 30, 31, 59, 60, 100, 1900, 2000], 6
        )
        year, *others = numbers.tolist()
        day = "-".join([f"{year:04}", *(f"{n:02}" for n in others[:2])])
        clock = ":".join(f"{n:02}" for n in others[2:]) + str(
            rng.choice(["", "Z", "+01:30", ".5Z"])
        )
        uuid = str(UUID(bytes=rng.bytes(16)))[: rng.integers(35, 38)]
        text = {"date": day, "time": clock, "date-time": f"{day}T{clock}", "uuid": uuid}[name]
        if automaton.admits(f'"{text}"'):
            READ[name](text)  # raises where it is none
            n_right += 1
    assert n_right > 20
    assert automaton.admits('"2024-02-29"') == (name == "date")
    assert not automaton.admits('"2023-02-29"')
