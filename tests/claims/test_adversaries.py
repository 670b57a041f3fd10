"""Every empirical claim refuses the models, clocks and texts that lack what it says."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from model.claims import advanced, errors
from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.snowball import thread
from pages.frame.claims import EMPIRICAL
from tests.claims.adversaries import adversary
from tests.claims.expected import HOLDS, SCALES, TABLE, Patches
from tests.nightly import nightly

# Whose verdicts take many runs: by day the first of its adversaries is tried, by night all
BY_NIGHT = {f"C{n}" for n in (10, 17, 18, 24, 31, 32, 33, 34, 40, 42, 43, 44, 48)}


def cases() -> list[Any]:
    seen, found = set[str](), list[Any]()
    for number, row in enumerate(TABLE):
        name = f"{row[0]}-{row[1]}-{number}"
        is_late = row[0] in seen & BY_NIGHT or row[1] == "in turn"
        found.append(nightly(row, name) if is_late else pytest.param(*row, id=name))
        seen.add(row[0])
    return found


@pytest.fixture(autouse=True)
def _small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advanced, "LENGTH", 16)
    monkeypatch.setattr(errors, "N_STORY", 2 * errors.N_OPENING)
    monkeypatch.setattr(thread, "PART", 24)
    monkeypatch.setattr(thread, "LENGTH", 24 * (1 + thread.N_PARTS))


@pytest.mark.parametrize(("claim_id", "name", "patches", "verdict"), cases())
def test_an_adversary_gets_the_verdict_it_deserves(
    claim_id: str,
    name: str,
    patches: Patches,
    verdict: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for part, made in patches.items():
        monkeypatch.setattr(part if part.startswith("model.") else f"model.claims.{part}", made)
    load = partial(adversary, name)
    context = ExperimentContext(load("storyteller"), n_tokens=8, load=load)
    context.scale = SCALES.get(claim_id, 0.3)
    finding = EXPERIMENTS[claim_id](context)
    assert finding.outcome in verdict, finding.evidence


def test_every_empirical_claim_is_refused_to_two_at_least() -> None:
    refused = Counter(claim_id for claim_id, _, _, verdict in TABLE if verdict != HOLDS)
    assert set(refused) == {claim.id for claim in EMPIRICAL} == set(EXPERIMENTS)
    assert min(refused.values()) >= 2
