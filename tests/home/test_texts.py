"""The texts that a tab has read: found by their ids, and equal to a text that was read afresh."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from model.generation import Generation
from model.language_model import LanguageModel
from model.local import LocalText
from model.records import NO_MEMORY
from pages.home import texts as texts_module
from pages.home.controls import Controls
from pages.home.tab import Tab
from pages.home.text_request import TextRequest
from pages.home.texts import MAX_TEXTS, Texts
from tests.nightly import by_night
from tests.tiny_models import tiny

CONTROLS = Controls(temperature=1.0, use=("temperature",))
KINDS = ("llama", "gpt2", "mamba", "gemma2", "phi")  # with a cache that can be cropped, or cannot


def asked(ids: list[int], n_prompt: int = 1, number: int = 0) -> TextRequest:
    return TextRequest(number, ids, min(n_prompt, len(ids)), NO_MEMORY, CONTROLS, 3)


@pytest.mark.parametrize("kind", by_night(KINDS))
def test_whatever_is_asked_the_logits_are_those_of_a_fresh_text(kind: str) -> None:
    lm, choose = tiny(kind), random.Random(1)
    texts, base = Texts(lm), list(range(5, 29))
    for _ in range(40):
        kept = choose.randrange(1, len(base))
        other = [choose.randrange(5, 40) for _ in range(choose.randrange(4))]
        ask = asked([*base[:kept], *other], choose.randrange(1, 9), choose.randrange(MAX_TEXTS + 2))
        n_tokens = choose.randrange(3)
        reading = texts.step(ask, n_tokens=n_tokens)
        fresh = Generation(lm, ask.ids, 3, n_prompt=ask.n_prompt)
        while len(fresh.steps) < n_tokens and fresh.finished is None:
            fresh.step(CONTROLS.settings())
        assert reading.generation.ids == fresh.ids
        assert np.abs(reading.generation.logits - fresh.logits).max() < 1e-4
        assert reading.generation.finished == fresh.finished
        assert reading.n_kept + reading.n_read == reading.generation.cache_tokens
        if fresh.finished is None:
            assert reading.next_id == fresh.step(CONTROLS.settings()).token_id


def test_of_two_texts_the_nearer_is_forked_and_the_other_stays(storyteller: LanguageModel) -> None:
    texts = Texts(storyteller)
    texts.read(asked([0, 10, 11, 12, 13]))
    texts.read(asked([0, 10, 20, 21], number=1))
    reading = texts.read(asked([0, 10, 20, 22, 23], number=2))
    assert (reading.n_kept, reading.n_read) == (3, 2)
    for number, ids in ((0, [0, 10, 11, 12, 13]), (1, [0, 10, 20, 21])):
        assert texts.read(asked(ids, number=number)).n_read == 0
    # the text's own cache is cropped, though another begins as well
    assert texts.read(asked([0, 10], number=0)).n_read == 1
    assert texts.read(asked([0, 10, 11, 12, 13], number=0)).n_read == 3


def test_the_longest_idle_text_goes_first(storyteller: LanguageModel) -> None:
    texts = Texts(storyteller)
    for number in range(MAX_TEXTS + 1):
        texts.read(asked([30 + number, 5, 6], number=number))
    assert len(texts.generations) == MAX_TEXTS
    assert texts.read(asked([31, 5, 6], number=1)).n_read == 0
    assert texts.read(asked([30, 5, 6])).n_read == 3


def test_an_end_is_read_no_further_and_a_text_that_comes_back_ended_is_ended() -> None:
    lm = tiny("llama")
    end = min(lm.end_ids)
    texts = Texts(lm)
    reading = texts.step(asked([5, 6, 7]), token_id=end)
    assert (reading.generation.finished, reading.next_id) == ("eos", None)
    again = Texts(lm).read(asked([5, 6, 7, end]))
    assert again.generation.finished == "eos"
    assert again.generation.cache_tokens == 3
    assert np.abs(again.generation.logits - reading.generation.logits).max() < 1e-4
    assert texts.read(asked([5, 6, 7])).next_id is not None
    # an end token that the prompt holds ends nothing
    assert texts.read(asked([5, end], n_prompt=2)).generation.finished is None


def test_a_long_request_gives_back_what_it_has(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts_module, "MAX_STEP_SECONDS", 0.0)
    reading = Texts(storyteller).step(asked([0, 10, 11]), n_tokens=20)
    assert len(reading.steps) == 1


def test_beside_others_a_long_request_ends_soon(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts_module, "MAX_SHARED_SECONDS", 0.0)
    monkeypatch.setattr(texts_module, "TURNS", SimpleNamespace(has_company=False))
    assert len(Texts(storyteller).step(asked([0, 10, 11]), n_tokens=3).steps) == 3
    texts_module.TURNS.has_company = True
    assert len(Texts(storyteller).step(asked([0, 10, 11]), n_tokens=3).steps) == 1


def test_a_look_back_disturbs_nothing(storyteller: LanguageModel) -> None:
    texts, ids = Texts(storyteller), [0, 10, 11, 12]
    drawn_from = texts.read(asked(ids)).generation.distribution.logits
    longer = texts.step(asked(ids), n_tokens=3).generation.ids
    seen = texts.logits_at(asked(longer), len(ids))
    assert np.abs(seen.logits - drawn_from).max() < 1e-4
    assert texts.read(asked(longer)).n_read == 0


FORGED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "next"}, "kind"),
    ({"kind": None}, "kind"),
    ({"kind": ["step"]}, "kind"),
    ({"ids": None}, "ids"),
    ({"ids": []}, "ids"),
    ({"ids": [0, 4096]}, "ids"),
    ({"ids": [0, -1]}, "ids"),
    ({"ids": [0, True]}, "ids"),
    ({"ids": [0, 1.5]}, "ids"),
    ({"ids": [0, "1"]}, "ids"),
    ({"ids": [0, -(10**400)]}, "ids"),
    ({"ids": [0] * 10**6}, "ids"),
    ({"n_prompt": 0}, "n_prompt"),
    ({"n_prompt": 9}, "n_prompt"),
    ({"n_prompt": True}, "n_prompt"),
    ({"number": -1}, "number"),
    ({"number": 10**400}, "number"),
    ({"seed": 2**31}, "seed"),
    ({"seed": 0.5}, "seed"),
    ({"memory": None}, "memory"),
    ({"memory": {"target": "3", "mu": 0}}, "memory"),
    ({"memory": {"target": 3, "mu": float("nan")}}, "memory"),
    ({"memory": {"target": 3, "mu": 1e300}}, "memory"),
    ({"controls": []}, "controls"),
    ({"controls": {"temperature": "hot"}}, "controls"),
    ({"token_id": 4096}, "token_id"),
    ({"token_id": -(10**400)}, "token_id"),
    ({"token_id": 1.0}, "token_id"),
    ({"count": 0}, "count"),
    ({"count": 10**6}, "count"),
    ({"next_seed": None}, "next_seed"),
    ({"kind": "logitsAt", "position": 99}, "position"),
    ({"kind": "logitsAt", "position": 0}, "position"),
    ({"kind": "weigh", "text": 7}, "text"),
    ({"kind": "weigh", "text": "x" * 10**6}, "text"),
    ({"kind": "weigh", "text": "\ud800"}, "text"),
    ({"kind": "tokenise", "text": None}, "text"),
    ({"kind": "tokenise", "text": "x" * 10**7}, "text"),
    ({"kind": "file", "format": "exe", "link": ""}, "format"),
    ({"kind": "file", "format": ["csv"], "link": ""}, "format"),
    ({"kind": "file", "format": "csv", "link": "x" * 10**7}, "link"),
]


@pytest.mark.parametrize(("fields", "named"), FORGED, ids=lambda value: str(value)[:40])
def test_what_is_forged_gets_one_sentence_and_costs_at_most_one_pass(
    storyteller: LanguageModel,
    fields: dict[str, Any],
    named: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tab, n_passes = Tab(storyteller), 0
    read = LocalText.read

    def counted(*args: Any) -> Any:
        nonlocal n_passes
        n_passes += 1
        return read(*args)

    monkeypatch.setattr(LocalText, "read", counted)
    usual = {
        "kind": "step",
        "number": 0,
        "ids": [0, 10, 11],
        "n_prompt": 1,
        "memory": {"target": 0, "mu": 0},
        "controls": Controls().to_page(),
        "seed": 0,
        "token_id": None,
        "count": 1,
        "next_seed": 0,
    }
    with pytest.raises(ValueError, match=r"\.$") as caught:
        tab.answer(usual | fields)
    refusal = str(caught.value)
    assert named
    assert len(refusal) < 300
    assert "\n" not in refusal
    assert n_passes <= 1
    assert tab.answer(usual)[0]["rows"]["id"], "the next one is answered"
