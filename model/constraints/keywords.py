"""The keywords of a JSON schema: which are carried out, and what they hold.

All others are refused by their names. This module writes no pattern.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from model.sentences import cut

Schema: TypeAlias = Mapping[str, Any]
UNSATISFIABLE = "No text satisfies this constraint: allow at least one."
_OF_TYPE = {
    "string": {"minLength", "maxLength", "pattern", "format"},
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties", "minProperties", "maxProperties"},
}
_TYPES = ("null", "boolean", "integer", "number", *_OF_TYPE)
_ALONE = ("$ref", "anyOf", "oneOf", "enum", "const")  # stand beside no keyword but a type
_ANNOTATIONS = {"title", "description", "default", "examples", "$schema", "$comment"}
_ANNOTATIONS |= {"$defs", "definitions"}


def unsupported(name: str, beside: str = "") -> ValueError:
    """Returns the error that refuses a keyword by its name."""
    where = f" beside “{beside}”" if beside else ""
    return ValueError(f"“{cut(name)}” is not supported{where}: use “enum” or leave it out.")


def keywords_of(schema: Any) -> set[str]:
    """Returns the keywords of a schema, once all are sure to be carried out."""
    if not isinstance(schema, dict):
        raise ValueError('A schema is a JSON object: write one, such as {"type": "integer"}.')
    keys = set(schema) - _ANNOTATIONS
    for key in sorted(keys - {"type", *_ALONE}.union(*_OF_TYPE.values())):
        raise unsupported(key)
    main = next((key for key in _ALONE if key in keys), None)
    beside = keys - {main} - ({"type"} if main in ("enum", "const") else set())
    if main is not None and beside:
        raise unsupported(min(beside), main)
    return keys


def named_types(schema: Schema) -> list[str] | None:
    """Returns the types that a schema names; None if it names none."""
    if "type" not in schema:
        return None
    given = schema["type"]
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names:
        raise ValueError("“type” is no name: use one such as “string”, or a list of them.")
    for name in names:
        if name not in _TYPES:
            raise ValueError(f"“{cut(str(name))}” is no type: use one of {', '.join(_TYPES)}.")
    return list(dict.fromkeys(names))


def written_types(schema: Schema) -> list[str]:
    """Returns the types that are written: those named, or the one that the keywords are for."""
    if (names := named_types(schema)) is not None:
        return names
    names = [name for name, keywords in _OF_TYPE.items() if keywords & set(schema)]
    if len(names) != 1:
        raise ValueError("Any value at all may be nested without end: name a “type”.")
    return names


def as_numbers(names: set[str]) -> set[str]:
    """Counts integers among the numbers: the value 1.0 is both."""
    return {"number" if name == "integer" else name for name in names}


def satisfying_types(schema: Schema) -> set[str]:
    """Returns the types of the values that may satisfy a schema: all if it names none."""
    values = constants_of(schema)
    if values is not None:
        return as_numbers({type_of(value) for value in values})
    return as_numbers(set(named_types(schema) or _TYPES))


def list_of(schema: Schema, name: str) -> list[Any]:
    """Returns the list under a keyword; an empty one where the schema has none."""
    given = schema.get(name, [])
    if not isinstance(given, list):
        raise ValueError(f"“{name}” is no list: write one.")
    return given


def parts_of(schema: Schema) -> list[Any]:
    """Returns the alternatives of an anyOf or oneOf."""
    return list_of(schema, "anyOf" if "anyOf" in schema else "oneOf")


def required_by(schema: Schema) -> list[str]:
    """Returns the names of required properties, once all are sure to be defined."""
    properties, names = schema.get("properties", {}), list_of(schema, "required")
    if not isinstance(properties, dict):
        raise ValueError("“properties” is no object: write one.")
    for name in names:
        if not isinstance(name, str) or name not in properties:
            raise ValueError(
                f"“{cut(str(name))}” is required but not defined: add it to “properties”."
            )
    return list(dict.fromkeys(names))


def bounds_of(schema: Schema, name: str) -> tuple[int, int | None]:
    """Returns the least and the largest number of something; None for no limit."""
    return _count(schema, f"min{name}") or 0, _count(schema, f"max{name}")


def _count(schema: Schema, keyword: str) -> int | None:
    if keyword not in schema:
        return None
    given = schema[keyword]
    if type_of(given) != "integer" or given < 0:
        raise ValueError(f"“{keyword}” is no whole number from 0: correct it.")
    return int(given)


def check_order(low: int, high: int | None) -> None:
    """Refuses limits between which no number lies."""
    if high is not None and low > high:
        raise ValueError(UNSATISFIABLE)


def type_of(value: Any) -> str:
    """Returns the type of a JSON value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if value == value // 1 else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "null"


def constants_of(schema: Schema) -> list[Any] | None:
    """Returns the values that an enum or const allows, of the types named; None without either."""
    if "enum" not in schema and "const" not in schema:
        return None
    types = named_types(schema) or _TYPES
    values = list_of(schema, "enum") if "enum" in schema else [schema["const"]]
    return [
        value
        for value in values
        if type_of(value) in types or (type_of(value) == "integer" and "number" in types)
    ]


def values_of(schema: Schema) -> list[Any]:
    """Returns the values that an enum or const allows, once there is one."""
    values = constants_of(schema)
    if not values:
        raise ValueError(UNSATISFIABLE)
    return values
