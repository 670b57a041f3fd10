"""Every claim by the experiment that its Run button runs, small: its verdict, and its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.loading import LanguageModel
from model.prefill_decode import ceilings
from pages.frame.claims import CLAIMS
from pages.lessons.claims.when_to_use import ROWS
from viz.claims.report import sentence

Check = Callable[[SimpleNamespace], bool]

# claims whose verdict is sure on the shipped model, on any machine
HOLDS: dict[str, Check] = {
    "c01": lambda q: q.gap < 1e-3,
    "c02": lambda q: q.same < q.back,
    "c04": lambda q: q.n == 4096,
    "c05": lambda q: q.n == 3,
    "c06": lambda q: q.prompt == 6,
    "c07": lambda q: q.n > 10,
    "c09": lambda q: q.sum == pytest.approx(q.log),
    "c10": lambda q: q.moved > 0.05,
    "c11": lambda q: q.vocab == 4096,
    "c12": lambda q: q.times >= 3,
    "c13": lambda q: q.cold < q.one < q.hot,
    "c14": lambda q: q.p != q.q and q.k == 10,
    "c15": lambda _: True,
    "c16": lambda q: q.n == 3,
    "c17": lambda q: q.different > 1,
    "c18": lambda q: q.mass < 1e-3,
    "c19": lambda q: q.before > q.after,
    "c20": lambda q: q.best >= q.beam > q.greedy,
    "c24": lambda q: max(q.logits, q.keys) < 1e-4,
    "c25": lambda q: abs(q.without - 2) < 0.1 and abs(q.cached - 1) < 0.05,
    "c26": lambda q: q.all == q.n * q.each,
    "c31": lambda q: q.same == q.n,
    "c33": lambda q: q.many > q.few,
    "c34": lambda q: q.once > q.slow,
    "c35": lambda q: q.late > 0,
    "c36": lambda q: q.more > q.half > 0,
    "c37": lambda q: q.moved < 1e-5 and q.off > q.on,
    "c38": lambda q: q.gap < 1e-4,
    "c39": lambda q: q.passes == 1,
    "c40": lambda q: q.first > q.late,
    "c41": lambda q: q.tokens > q.words,
    "c42": lambda q: q.one > q.eight > q.all,
    "c43": lambda q: q.greedy > q.people,
    "c44": lambda q: q.few < q.many,
}
# claims whose verdict is the machine's, or a matter of chance in so small a run
MEASURED: dict[str, Check] = {
    "c03": lambda q: q.passes == q.n + 1,
    "c08": lambda q: 0 < q.first < q.all,
    "c21": lambda q: q.beam >= q.greedy > q.sampled,
    "c22": lambda q: q.ratio == pytest.approx(q.one * q.n / q.whole),
    "c23": lambda q: q.ratio == pytest.approx(q.slow / q.fast),
    "c27": lambda q: q.step < 1 < q.read,
    "c28": lambda q: q.gain == pytest.approx(q.many / q.one),
    "c29": lambda q: q.ratio > 0 and 0 < q.saved < 1,
    "c30": lambda q: q.n == 3 and q.best in ("sad", "happy", "made of stone"),
    "c32": lambda q: q.one > q.other and q.tokens > 1,
    "c45": lambda q: q.passes == q.n + 1,
}
N_TOKENS = {"c12": 20}  # where a short text shows nothing


@pytest.fixture(autouse=True)
def _small_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 22})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 128})


@pytest.fixture(scope="module")
def context(storyteller: LanguageModel) -> ExperimentContext:
    return ExperimentContext(storyteller, n_tokens=12, n_runs=1, n_draws=500)


@pytest.mark.parametrize("claim_id", [*HOLDS, *MEASURED])
def test_the_claim(context: ExperimentContext, claim_id: str) -> None:
    if claim_id in N_TOKENS:
        context = ExperimentContext(context.lm, n_tokens=N_TOKENS[claim_id])
    finding = EXPERIMENTS[claim_id.upper()](context)
    assert "{" not in sentence(finding)
    if claim_id in HOLDS:
        assert finding.verdict == "holds"
    quantities = {name: quantity.value for name, quantity in finding.quantities.items()}
    assert (HOLDS | MEASURED)[claim_id](SimpleNamespace(**quantities)), quantities


def test_every_claim_has_an_experiment_and_a_check() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert sorted(ids) == [f"C{n:02}" for n in range(1, 46)]
    assert set(EXPERIMENTS) == set(ids) == {claim_id.upper() for claim_id in HOLDS | MEASURED}


def test_c45_the_table_names_claims() -> None:
    named = {claim_id for row in ROWS for cell in row for claim_id in re.findall(r"C\d\d", cell)}
    assert len(named) > 10
    assert named <= set(EXPERIMENTS)
