"""Ceilings over little memory and small matrices: what is measured is another's business here."""

from __future__ import annotations

import pytest

from model.prefill_decode import ceilings


@pytest.fixture(autouse=True)
def _small_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 20})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 64})
