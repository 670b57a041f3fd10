"""The sampler's cases: ours, transformers' own processors, and engines that are wrong."""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from conformance.make import CASES, cases
from conformance.ours import answer
from conformance.run import faults
from conformance.run import main as run_all
from model.records import FloatArray
from model.settings import ORDERS
from tests.architecture.sources import ROOT, read
from tests.core.test_sampling_oracle import PROCESSORS, plainly, theirs

WRITTEN: list[dict[str, Any]] = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def logits_of(case: dict[str, Any]) -> FloatArray:
    return np.array([-np.inf if logit is None else logit for logit in case["logits"]])


def probs_of(scores: FloatArray) -> FloatArray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def by_others(case: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The answer of code that is not ours, and how many stages transformers itself computed."""
    scores, n_theirs = logits_of(case), 0
    for name in case["order"]:
        value, ids = case["settings"][name], case["ids"]
        if name == "temperature" and value == 0:
            scores = np.where(np.arange(len(scores)) == scores.argmax(), scores, -np.inf)
            break
        if name in PROCESSORS:
            scores = theirs(PROCESSORS[name][0](value), scores[None], [ids])[0]
            n_theirs += 1
        else:
            scores = plainly(name, value, scores, ids[case["n_prompt"] :])
    probs = probs_of(scores)
    order = sorted(range(len(probs)), key=lambda token_id: (-scores[token_id], token_id))
    ends = np.cumsum(probs[order])
    token = next(i for i, end in zip(order, ends, strict=True) if end > case["pointer"])
    kept = np.flatnonzero(scores > -np.inf).tolist()
    return {"kept": kept, "probs": probs.tolist(), "token": token}, n_theirs


def test_there_are_500_and_each_is_as_the_schema_says() -> None:
    assert [case["id"] for case in WRITTEN] == list(range(500))
    validator = Draft202012Validator(json.loads(read("conformance/case.schema.json")))
    assert not [error.message for case in WRITTEN for error in validator.iter_errors(case)]
    for case in WRITTEN:
        assert case["order"] == [name for name in ORDERS[case["engine"]] if name in case["order"]]
        assert case["settings"].keys() == set(case["order"])
        assert len(case["logits"]) == len(case["probs"]) > case["token"]
        assert max(case["ids"]) < len(case["logits"])
    active = [name for case in WRITTEN for name in case["order"]]
    schema_stages = json.loads(read("conformance/case.schema.json"))["$defs"]["stage"]["enum"]
    assert all(active.count(name) >= 30 for name in schema_stages)


def test_they_are_those_that_are_made() -> None:
    made = list(cases())
    assert len(made) == len(WRITTEN)
    for ours, written in zip(made, WRITTEN, strict=True):
        assert not faults(written, json.dumps(ours))
        assert {**ours, "probs": None} == {**written, "probs": None}


def test_transformers_gives_the_same_answers_in_the_order_of_each_case() -> None:
    found = [by_others(case) for case in WRITTEN]
    wrong = [
        (case["id"], fault)
        for case, (other, _) in zip(WRITTEN, found, strict=True)
        if (fault := faults(case, json.dumps(other)))
    ]
    assert not wrong
    assert sum(n_stages > 0 for _, n_stages in found) >= 450


WRONG: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "an order of its own": lambda case: case | {"order": case["order"][::-1]},
    "no penalty of the prompt": lambda case: case | {"ids": case["ids"][case["n_prompt"] :]},
    "penalties of the prompt, too": lambda case: case | {"n_prompt": 0},
    "a token less in the nucleus": lambda case: changed(case, "top_p", lambda value: value * 0.97),
    "one more of the best": lambda case: changed(case, "top_k", lambda value: value + 1),
    "a temperature that is not 0": lambda case: changed(
        case, "temperature", lambda value: value or 1.0
    ),
    "a pointer from the other end": lambda case: case | {"pointer": 1 - case["pointer"]},
    "a mask of the model that is lost": lambda case: (
        case | {"logits": [-9 if logit is None else logit for logit in case["logits"]]}
    ),
    "a temperature that is 0.01 % too high": lambda case: changed(
        case, "temperature", lambda value: value * 1.0001
    ),
}


def changed(case: dict[str, Any], name: str, by: Callable[[float], float]) -> dict[str, Any]:
    settings = case["settings"]
    return case | {
        "settings": settings | {name: by(settings[name])} if name in settings else settings
    }


@pytest.mark.parametrize("engine", WRONG)
def test_an_engine_that_is_wrong_fails(engine: str) -> None:
    failed = [c["id"] for c in WRITTEN if faults(c, json.dumps(answer(WRONG[engine](c))))]
    assert 5 <= len(failed) < 500


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "7",
        "{}",
        '{"kept":[0],"probs":"x","token":0}',
        '{"kept":[0],"probs":[],"token":0}',
    ],
)
def test_what_is_no_answer_is_a_fault_and_not_a_traceback(line: str) -> None:
    assert faults(WRITTEN[0], line)


def test_nan_is_no_probability() -> None:
    nothing = [*WRITTEN[0]["probs"][:-1], float("nan")]
    assert faults(WRITTEN[0], json.dumps({**WRITTEN[0], "probs": nothing})) == ["probs"]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ([sys.executable, "-m", "conformance.ours"], 0),
        ([sys.executable, "-c", "print('{}')"], "1 answers to 500 cases"),
        (["no-such-sampler"], "no-such-sampler cannot be started"),
        ([], "Name the command"),
    ],
)
def test_the_runner(command: list[str], code: int | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["run.py", *command])
    with pytest.raises(SystemExit) as ended:
        run_all()
    said = ended.value.code
    assert said == code if isinstance(code, int) else str(said).startswith(code)
