"""Every claim by the experiment that its Run button runs, small: its verdict, and its numbers."""

import re
from collections.abc import Callable
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
from tests.nightly import by_night
from tests.tiny_models import tiny
from viz.claims.report import control_words, evidence_words, sentence

Check = Callable[[SimpleNamespace], bool]

# claims whose verdict is sure on the shipped model, on any machine, even in so small a run
HOLDS: dict[str, Check] = {
    "c01": lambda q: q.gap < 1e-3 < q.unread,
    "c06": lambda q: q.first == q.prompt * q.more,
    "c10": lambda q: q.same == 0,
    "c16": lambda q: q.n == 4,
    "c19": lambda q: q.before > q.after,
    "c20": lambda q: q.gain > 0,
    "c24": lambda q: max(q.logits, q.keys) < 1e-4,
    "c26": lambda q: q.grown == q.each,
    "c31": lambda q: q.tokens > q.rounds,
    "c33": lambda q: q.many > q.few,
    "c34": lambda q: q.once > q.slow,
    "c37": lambda q: q.moved < 1e-5 < q.leak,
    "c39": lambda q: q.written > 0,
    "c40": lambda q: q.first > q.late == 0 and q.same == q.all,
    "c41": lambda q: q.many > q.few,
    "c42": lambda q: q.alone > q.few > q.many and q.old > q.many,
    "c44": lambda q: q.good > 0,
    "c48": lambda q: q.n > 1,
    "c46": lambda q: q.n > 0 and q.warm < 0.5,
    "c47": lambda q: q.kept + q.read == q.all and q.gap < 1e-4,
    "c49": lambda q: q.maps == 6 and 0 < q.changed < q.steps and q.fall > 10,
}
# those whose verdict is the machine's or chance's in so small a run
OTHERS: dict[str, Check] = {
    "c03": lambda q: q.n == 16 and 0 < q.half < q.seconds,
    "c08": lambda q: 0 < q.first < q.all,
    "c12": lambda q: q.sampled <= q.prompts,
    "c15": lambda q: q.k == 10,
    "c17": lambda q: 0 < q.single < 1,
    "c18": lambda q: q.mass < 1e-3,
    "c21": lambda q: q.greedy > q.gain >= 0,
    "c22": lambda q: q.one < q.whole,
    "c23": lambda q: q.fast > 0,
    "c25": lambda q: abs(q.without - 2) < 0.1 and abs(q.cached - 1) < 0.05,
    "c27": lambda q: q.step < 1 < q.read,
    "c28": lambda q: q.n == 8,
    "c29": lambda q: 0 < q.saved < 1,
    "c30": lambda q: q.best in ("sad", "happy", "made of stone"),
    "c32": lambda q: q.taught > q.plain and q.best > q.worst,
    "c35": lambda q: q.same < 0.2,
    "c36": lambda q: q.writer == "scribbler" and 0 < q.true < q.spliced,
    "c38": lambda q: q.gap < 1e-4,
    "c43": lambda q: q.near > q.far and q.books > 20,
    "c45": lambda _: True,
}
KINDS = {claim.id: claim.kind for claim in CLAIMS}
# of the usual numbers of prompts, runs and texts; what is judged by an interval needs more of them
SCALE, SCALE_OF_INTERVALS = 0.1, 0.6
# whose experiment runs by day against an adversary as well
BY_NIGHT = {"c24", "c31", "c32", "c33", "c34", "c40", "c42", "c43", "c44"}
BY_INTERVAL = {"c10", "c16", "c19", "c31", "c33", "c34", "c40", "c42"}


@pytest.fixture(autouse=True)
def _small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "N_STORY", 2 * errors.N_OPENING)
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


CHECKS = HOLDS | OTHERS


@pytest.mark.parametrize("claim_id", by_night(CHECKS, CHECKS.keys() - BY_NIGHT))
def test_the_claim(context: ExperimentContext, claim_id: str) -> None:
    if claim_id in BY_INTERVAL:
        context = replace(context, scale=SCALE_OF_INTERVALS)
    finding = EXPERIMENTS[claim_id.upper()](context)
    assert "{" not in words(finding)
    if claim_id in HOLDS:
        assert finding.outcome == "holds here", finding.evidence
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
