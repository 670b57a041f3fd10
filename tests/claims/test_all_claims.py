"""Every claim by the experiment that its Run button runs, small: its verdict, and its numbers."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from model.claims import advanced, cache, errors
from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.claims.records import Finding
from model.loading import LanguageModel
from pages.frame.claims import CLAIMS, EMPIRICAL
from pages.frame.contents import LESSONS
from pages.lessons.claims.lesson import WHEN_TO_USE
from tests.claims.expected import HOLDS, SURE, UNSURE
from tests.nightly import by_night
from tests.tiny_models import tiny
from viz.claims.report import control_words, evidence_words, sentence

KINDS = {claim.id: claim.kind for claim in CLAIMS}
# of the usual numbers of prompts, runs and texts; what is judged by an interval needs more of them
SCALE, SCALE_OF_INTERVALS = 0.1, 0.6
# whose experiment runs by day against an adversary as well
BY_NIGHT = {"c24", "c31", "c32", "c33", "c34", "c40", "c42", "c43", "c44"}
BY_INTERVAL = {"c10", "c16", "c19", "c31", "c33", "c34", "c40", "c42"}


@pytest.fixture(autouse=True)
def _small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "N_STORY", 2 * errors.N_OPENING)
    monkeypatch.setattr(errors, "N_FORKS", 160)
    monkeypatch.setattr(cache, "LONG", 40)
    monkeypatch.setattr(cache, "RACE_LENGTH", 16)
    monkeypatch.setattr(advanced, "LENGTH", 16)
    monkeypatch.setattr(advanced, "N_DRAWS", 200)


@pytest.fixture(scope="module")
def context(storyteller: LanguageModel) -> ExperimentContext:
    return ExperimentContext(storyteller, n_tokens=8, scale=SCALE)


def words(finding: Finding) -> str:
    return " ".join(
        [sentence(finding), control_words(finding), *map(evidence_words, finding.evidence)]
    )


CHECKS = SURE | UNSURE


@pytest.mark.parametrize("claim_id", by_night(CHECKS, CHECKS.keys() - BY_NIGHT))
def test_the_claim(context: ExperimentContext, claim_id: str) -> None:
    if claim_id in BY_INTERVAL:
        context = replace(context, scale=SCALE_OF_INTERVALS)
    finding = EXPERIMENTS[claim_id.upper()](context)
    assert "{" not in words(finding)
    if claim_id in SURE:
        assert finding.outcome == HOLDS, finding.evidence
    assert finding.control or KINDS[claim_id.upper()] != "learned", "held against nothing"
    quantities = {name: quantity.value for name, quantity in finding.quantities.items()}
    assert CHECKS[claim_id](SimpleNamespace(**quantities)), quantities


def test_every_empirical_claim_has_an_experiment_and_a_check_and_every_claim_a_page() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert sorted(ids) == [f"C{n:02}" for n in range(1, len(ids) + 1)]
    checked = {claim_id.upper() for claim_id in CHECKS}
    assert set(EXPERIMENTS) == {claim.id for claim in EMPIRICAL} == checked
    assert {f"pages/{claim.page}.py" for claim in CLAIMS} <= {lesson.path for lesson in LESSONS}
    named = set(re.findall(r"C\d\d", WHEN_TO_USE))
    assert len(named) > 10
    assert named <= set(ids)


@pytest.mark.parametrize(
    ("architecture", "said"),
    [
        ("mamba", "a state of fixed size that sums up the text, and no keys and values"),
        ("openai_gpt", "nothing, and reads the whole text for every token"),
        ("deepseek", "one latent for keys and values together"),
        ("qwen3_next", "keys and values in 1 layers, and states of fixed size in the others"),
        ("gemma3", "some layers see the last 6 alone"),
        ("llama", "keeps keys and values."),
    ],
)
def test_what_a_model_keeps_is_called_by_its_name(architecture: str, said: str) -> None:
    context = ExperimentContext(tiny(architecture), n_tokens=8)
    finding = EXPERIMENTS["C06"](context)
    assert said in sentence(finding)
    keeps_columns = architecture not in ("mamba", "openai_gpt")
    assert (finding.outcome == "holds here") == keeps_columns, finding.evidence
    assert (EXPERIMENTS["C26"](context).outcome == "holds here") == keeps_columns


@pytest.mark.parametrize("claim_id", ["C22", "C25", "C37", "C44"])
def test_a_model_with_a_state_gets_an_answer(claim_id: str) -> None:
    finding = EXPERIMENTS[claim_id](ExperimentContext(tiny("mamba"), n_tokens=8, scale=0.2))
    assert "failed" not in words(finding)
    assert finding.evidence
