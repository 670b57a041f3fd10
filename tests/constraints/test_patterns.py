"""A constraint as it is typed: the pattern that it comes down to, and what cannot be used."""

from __future__ import annotations

import json
import re

import pytest
from outlines_core import Index, Vocabulary  # type: ignore[import-untyped]  # ships no types

from model.constraints import patterns
from model.constraints.decoding import Constraint
from model.constraints.patterns import Kind, check_size, explain, pattern_of
from model.loading import LanguageModel
from tests.tiny_models import tiny


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return tiny("llama")


@pytest.mark.parametrize(
    ("kind", "source", "words"),
    [
        ("pattern", "[0-9", "pattern cannot be used .unterminated"),
        ("pattern", "(a", r"missing \)"),
        ("pattern", r"(a)\1", "without look-ahead"),
        ("pattern", "(?=a)b", "without look-ahead"),
        ("pattern", r"\ba\b", "leave out"),
        ("pattern", r"[^\x00-\x{10ffff}]", "No text"),
        ("pattern", r"[^\s\S]", "No text"),
        ("pattern", "a$b", "No text"),
        ("pattern", "a" * 5000, "shorten it"),
        ("choices", " \n ", "empty"),
        ("choices", "", "empty"),
        ("schema", "{nope", "not JSON"),
        ("schema", "[" * 3000, "not JSON"),
        ("schema", "[]", "write one"),
        ("schema", '{"type": "source"}', "schema cannot be used"),
        ("schema", "{}", "shorten it"),
        ("schema", '{"enum": []}', "No text"),
        ("schema", '{"type": "integer", "minimum": 5, "maximum": 1}', "maximum.*leave it out"),
        ("schema", '{"allOf": [{"type": "integer"}]}', "allOf.*leave it out"),
        ("schema", '{"type": "string", "pattern": "a+", "maxLength": 2}', "cannot be combined"),
        ("schema", '{"type": "string", "anyOf": [{"type": "null"}]}', "type.*leave it out"),
        ("schema", '{"type": "array", "items": {"multipleOf": 2}}', "multipleOf.*leave it out"),
        ("schema", '{"properties": {"a": {"type": "null"}}, "required": ["b"]}', "b.*not defined"),
        ("schema", '{"properties": {"a": {"not": {}}}, "required": ["a"]}', "not.*leave it out"),
    ],
)
def test_what_cannot_be_read_or_satisfied_gets_one_sentence(
    lm: LanguageModel, kind: Kind, source: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        Constraint(lm, kind, source)
    assert re.fullmatch(r".+[.]", str(caught.value))  # one line


@pytest.mark.parametrize(
    ("source", "expected"),
    [("^abc$", "abc"), (r"a\$", r"a\$"), (r"a\\$", r"a\\"), ("abc", "abc"), ("a|b", "a|b")],
)
def test_anchors_around_a_pattern_say_nothing_new(source: str, expected: str) -> None:
    assert pattern_of("pattern", source) == expected


def test_choices_are_taken_letter_by_letter_each_once() -> None:
    pattern = pattern_of("choices", " a+b\n\n(c)\n a+b\n")
    assert pattern == r" a\+b|\(c\)"


def test_a_schema_with_remarks_and_definitions_is_held_to() -> None:
    schema = {
        "title": "A thing",
        "$defs": {"digit": {"enum": [1, 2]}},
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/digit", "description": "one of two"},
            "b": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2},
        },
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    pattern = pattern_of("schema", json.dumps(schema))
    assert re.fullmatch(pattern, '{"a": 2, "b": [true, false]}')
    assert not re.fullmatch(pattern, '{"a": 3, "b": [true]}')
    assert not re.fullmatch(pattern, '{"a": 1, "b": []}')


def test_a_short_pattern_with_a_huge_automaton_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    check_size("[ab]{20}", 4096)
    with pytest.raises(ValueError, match="fewer repetitions"):
        check_size("[ab]{500}", 200_000)
    monkeypatch.setattr(patterns, "TRIAL_SECONDS", 0.2)
    with pytest.raises(ValueError, match="fewer repetitions"):
        check_size("((a{60}){60}){60}", 10)


def test_a_letter_that_no_token_writes_is_named() -> None:
    letters = Vocabulary(9, {b"a": [0]})
    with pytest.raises(ValueError, match="no transitions") as caught:
        Index("ab", letters)
    assert explain("ab", str(caught.value)) == 'No token of this model writes "b": leave it out.'
