"""Constraints: what may follow, what is thrown away, which ways escape a dead end, bad input."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest
from outlines_core import Index, Vocabulary  # type: ignore[import-untyped]  # ships no types

from model.constraints import patterns
from model.constraints.decoding import ConstrainedBeamSearch, ConstrainedGeneration, Constraint
from model.constraints.experiments import compare_methods
from model.constraints.patterns import Form, check_size, explain, pattern_of
from model.generation import Generation
from model.job import Job, finish
from model.loading import LanguageModel
from model.masks import log_softmax
from model.sampling import Settings
from model.tokenizing import encode
from pages.lessons.constraints.state import EXAMPLES, FIRST, begin
from tests.constraints.automaton import Automaton
from tests.jobs import run_until
from tests.tiny_models import tiny
from viz.constraints.mask_chart import DEAD_END_MASS

ARGMAX = Settings(temperature=0)
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"a": {"type": "boolean"}, "b": {"enum": ["x", "y"]}},
        "required": ["a", "b"],
    }
)


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return tiny("llama")


def text_of(lm: LanguageModel, ids: list[int]) -> str:
    return str(lm.tokenizer.decode(ids, skip_special_tokens=True))


def write(lm: LanguageModel, constraint: Constraint, seed: int, temperature: float) -> str:
    generation = ConstrainedGeneration(Generation(lm, "the", seed=seed), constraint)
    while not generation.is_done:
        generation.step(Settings(temperature=temperature))
    assert generation.is_complete
    return text_of(lm, generation.text.ids[generation.text.n_prompt :])


def test_allowed_tokens_are_the_beginnings_of_the_choices(lm: LanguageModel) -> None:
    constraint = Constraint(lm, "choices", " the\n cat")
    allowed = {text_of(lm, [int(i)]) for i in constraint.allowed(constraint.start)}
    assert allowed == {" ", " t", " th", " the"}
    (space,) = encode(lm, " ")[-1:]
    after = constraint.after(constraint.start, space)
    assert {text_of(lm, [int(i)]) for i in constraint.allowed(after)} == {"t", "c"}


@pytest.mark.parametrize(
    ("kind", "source", "pattern"),
    [
        ("choices", "a+b\n(c)\nd e", r"a\+b|\(c\)|d e"),
        ("pattern", r"[ab]{2,4}c", r"[ab]{2,4}c"),
        ("schema", SCHEMA, r'\{ ?"a" ?: ?(true|false) ?, ?"b" ?: ?"[xy]" ?\}'),
    ],
)
def test_whatever_is_written_satisfies_the_constraint(
    lm: LanguageModel, kind: Form, source: str, pattern: str
) -> None:
    constraint = Constraint(lm, kind, source)
    for seed, temperature in enumerate((0.0, *[1.0] * 4, *[3.0] * 4)):
        assert re.fullmatch(pattern, write(lm, constraint, seed, temperature))


def test_the_mask_keeps_the_probabilities_of_what_is_allowed_in_proportion(
    lm: LanguageModel,
) -> None:
    constraint = Constraint(lm, "choices", "ab\ncd\nxy")
    generation = ConstrainedGeneration(Generation(lm, "the"), constraint)
    probs = np.exp(log_softmax(generation.text.logits))
    seen = generation.look(Settings())
    assert seen.mass == pytest.approx(float(probs[constraint.allowed(constraint.start)].sum()))
    assert seen.n_allowed == 3
    assert sum(token.masked_prob for token in seen.tokens) == pytest.approx(1)
    for token in seen.tokens:
        expected = token.prob / seen.mass if token.is_allowed else 0.0
        assert token.masked_prob == pytest.approx(expected)


def test_a_step_says_what_was_wanted_and_what_was_thrown_away(lm: LanguageModel) -> None:
    generation = ConstrainedGeneration(Generation(lm, "the"), Constraint(lm, "choices", "ab\ncd"))
    step = generation.step(ARGMAX)
    assert step.prob <= step.mass < 1
    assert step.wanted_prob > step.prob
    assert step.label in ("a", "c")
    second = generation.step(ARGMAX)
    assert second.prob == pytest.approx(second.mass)  # nothing but the other letter
    assert generation.is_done
    assert generation.result().logprob == pytest.approx(np.log(step.prob) + np.log(second.prob))


def test_a_complete_text_may_go_on_where_the_pattern_allows_it(lm: LanguageModel) -> None:
    constraint = Constraint(lm, "pattern", "a+")
    (a,) = encode(lm, "a")[-1:]
    state = constraint.after(constraint.start, a)
    assert (constraint.is_complete(state), constraint.is_over(state)) == (True, False)
    assert set(constraint.allowed(state)) >= {a, min(lm.end_ids)}


def test_enough_beams_find_the_best_choice_of_all(lm: LanguageModel) -> None:
    choices = ["abc", "abd", "xyz", "the cat"]
    start, constraint = Generation(lm, "the"), Constraint(lm, "choices", "\n".join(choices))
    search = ConstrainedBeamSearch(start, constraint, 8, 12)
    best = search.run()[0]
    assert search.result().is_complete
    # every way to spell every choice, scored by the model alone
    scores: dict[tuple[int, ...], float] = {}

    def spell(text: Generation, state: int, ids: tuple[int, ...]) -> None:
        if constraint.is_over(state):
            scores[ids] = text.logprob
            return
        for token_id in constraint.allowed(state).tolist():
            twin = text.fork()
            twin.step(token_id=token_id)
            spell(twin, constraint.after(state, token_id), (*ids, token_id))

    spell(start, constraint.start, ())
    assert {text_of(lm, list(ids)) for ids in scores} == set(choices)
    assert best.total == pytest.approx(max(scores.values()), abs=1e-3)
    assert best.token_ids == max(scores, key=lambda ids: scores[ids])


# Ways out of a dead end


def test_c18_some_cold_texts_and_every_search_escape_the_dead_end_of_argmax(
    storyteller: LanguageModel,
) -> None:
    generation = begin(storyteller, EXAMPLES[FIRST]).steps.generation
    found = finish(compare_methods(generation.text, generation.constraint, 10))
    argmax, *sampled, beams = found
    while not generation.is_done:
        generation.step(ARGMAX)
    masses = [step.mass for step in generation.steps]
    assert masses[0] > DEAD_END_MASS > min(masses), "the first token looks harmless"
    assert max(method.escape_rate for method in sampled[:3]) > 0.1
    assert max(method.logprob for method in sampled[:3]) > argmax.logprob + 1
    assert sampled[0].agreement > 0.6, "with two answers chance alone would agree in half"
    assert beams.escape_rate == 1
    assert beams.logprob > argmax.logprob + 2
    assert beams.most_common != argmax.most_common


def test_methods_are_compared_as_far_as_they_have_texts(lm: LanguageModel) -> None:
    start, constraint = Generation(lm, "the"), Constraint(lm, "choices", "ab\ncd")
    job = Job(compare_methods(start, constraint, n_texts=2))
    run_until(job, 2)
    job.stop()
    assert [method.n_texts for method in job.result] == [1, job.progress.n_done - 1]
    found = finish(compare_methods(start, constraint, n_texts=2))
    assert [method.n_texts for method in found] == [1, 2, 2, 2, 2, 2, 1]


# What is typed, as a pattern


@pytest.mark.parametrize(
    ("source", "expected"),
    [("^abc$", "abc"), (r"a\$", r"a\$"), (r"a\\$", r"a\\"), ("abc", "abc"), ("a+", "(?:a)+")],
)
def test_anchors_around_a_pattern_say_nothing_new(source: str, expected: str) -> None:
    assert pattern_of("pattern", source) == expected
    assert pattern_of("choices", " a+b\n\n(c)\n a+b\n") == r" a\+b|\(c\)"  # each once


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
    automaton = Automaton(pattern_of("schema", json.dumps(schema)))
    assert automaton.admits('{"a": 2, "b": [true, false]}')
    assert not automaton.admits('{"a": 3, "b": [true]}')
    assert not automaton.admits('{"a": 1, "b": []}')


@pytest.mark.parametrize("source", ["a\nab\nabc", "abc\nab\na"])
def test_a_choice_that_begins_another_leaves_both(lm: LanguageModel, source: str) -> None:
    """The compiler's own preference is the first that matches: it would drop the longer ones."""
    constraint = Constraint(lm, "choices", source)
    assert set(all_texts(lm, constraint, constraint.start)) == {"a", "ab", "abc"}


def test_a_constraint_that_nothing_satisfies_yet_is_complete_without_a_token(
    lm: LanguageModel,
) -> None:
    constraint = Constraint(lm, "pattern", "(ab)?")
    assert set(all_texts(lm, constraint, constraint.start)) == {"", "ab"}
    assert constraint.is_complete(constraint.start)


def all_texts(lm: LanguageModel, constraint: Constraint, state: int) -> Iterator[str]:
    """Every text that the mask admits, token by token."""
    if constraint.is_complete(state):
        yield ""
    for token_id in sorted(set(constraint.allowed(state).tolist()) - lm.end_ids):
        rest = all_texts(lm, constraint, constraint.after(state, token_id))
        yield from (text_of(lm, [token_id]) + more for more in rest)


def test_a_short_pattern_with_a_huge_automaton_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    check_size("[ab]{20}", 4096)
    with pytest.raises(ValueError, match="fewer repetitions"):
        check_size("[ab]{500}", 200_000)
    monkeypatch.setattr(patterns, "TRIAL_SECONDS", 0.2)
    with pytest.raises(ValueError, match="fewer repetitions"):
        check_size("((a{60}){60}){60}", 10)


def test_a_letter_that_no_token_writes_is_named() -> None:
    with pytest.raises(ValueError, match="no transitions") as caught:
        Index("ab", Vocabulary(9, {b"a": [0]}))
    assert explain(str(caught.value)) == 'No token of this model writes "b": leave it out.'
