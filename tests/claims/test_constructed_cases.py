"""For every empirical claim a case in which it does not hold: a model, or measurements made up.

A verdict that cannot fail says nothing. Where no small model breaks a claim, the function that the
experiment measures with is replaced by one that returns what would have to be seen then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import count
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest
import torch

from model.beam_search.records import DecodingCost
from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.kv_cache.records import FlopCheck, Race
from model.loading import LanguageModel, load_model
from model.prefill_decode.records import Ceilings, Request, Roofline, RoofPoint, Timed
from model.records import Flops
from model.snowball.instruction_position import FIRST, LATE, NEVER
from model.snowball.records import Exposure, Forks, LongTexts
from pages.frame.claims import CLAIMS
from tests.tiny_models import bare_model, save, tiny

SCALE = 0.5  # of the usual numbers of prompts and runs


def does(result: object) -> Callable[..., Generator[None, None, object]]:
    """Stands for some work that finds this."""

    def work(*_args: object, **_named: object) -> Generator[None, None, object]:
        yield
        return result

    return work


def gives(result: object) -> Callable[..., object]:
    return lambda *_args, **_named: result


def takes(*seconds: float) -> Callable[..., tuple[np.ndarray, ...]]:
    """Stands for the clock: each way takes so long, every time."""
    return lambda *_args, **_named: tuple(np.array([one, one * 1.01]) for one in seconds)


def other_texts_every_time() -> Callable[..., list[list[int]]]:
    """Texts that are alike within a run, never those of the run before, and no loops."""
    runs = count()

    def write(_self: object, rows: Sequence[object], *_args: object) -> list[list[int]]:
        first = 100 * next(runs)
        return [list(range(first, first + 20)) for _ in rows]

    return write


def one_text_then_another() -> Callable[..., Made]:
    """The same text for all seeds, and another one for all seeds the next time."""
    calls = count()
    return lambda *_args, **_named: Made(ids=[0 if next(calls) < 3 else 1])


def losses_that_grow(models: Sequence[LanguageModel], _n: int) -> dict[str, np.ndarray]:
    """Losses that are greater with more context, and after more training."""
    return {
        lm.name: np.array([[1.0, value], [1.01, value + 0.02]])
        for lm, value in zip(models, (9.0, 8.0), strict=False)
    }


def cost(logprob: float, distinct: float) -> DecodingCost:
    return DecodingCost("", 1, 1, 1.0, logprob, {2: distinct}, 0.0, "")


def slow_step(phase: Any, seconds: float = 1.0) -> RoofPoint:
    return RoofPoint(phase, "", 1, 1, 1, Timed((seconds, seconds * 1.01)), 1, 1, 0)


def rows(*values: float) -> np.ndarray:
    """Two rows of each value for each of 20 texts, a little apart."""
    return np.array([[value, value * 1.001] for value in values] * 10)


TEXTS = rows(-1.0, -1.0)
FORKS = Forks(3, 0.7, same=TEXTS < 0, kl=-TEXTS, original=rows(-9.0, -8.0), forced=TEXTS)
EXPOSURE = Exposure("", "", 1.0, *[rows(2.0, 2.1)] * 2, rows(1.0, 1.1), *[rows(1.0, 1.1)] * 4)
RACE = Race(
    1,
    tuple(Made(recomputed_seconds=1.0, cached_seconds=s) for s in (2.0, 2.1)),  # type: ignore[arg-type]  # its times
    None,
    tuple(
        FlopCheck(n_input, n_past, Flops(work, 0), Flops(work, 0))
        for n_input, n_past, work in ((4, 0, 9), (8, 0, 9), (1, 3, 4), (1, 7, 8))
    ),
)
SCORING = Made(
    choices=[Made(share=1.0, text="")],
    score_seconds=Made(median=2.0),
    written=Made(seconds=1.0, n_out=9),
)
ROOFLINE = Roofline(
    Made(),  # type: ignore[arg-type]  # no machine
    Ceilings(100.0, 100.0, 100.0, {"": 0.5}, 0.0, 1, 1),
    (slow_step("prefill"), slow_step("decode")),
)
EDIT = Made(largest_before=5.0, largest_unmasked_before=0.0, changes=np.ones(99), position=1)
LONG = LongTexts(
    ("", "", ""),
    (0, 0, 1, 1, 2),
    np.zeros((5, 256)),
    np.array([[1.0] * 160 + [value] * 96 for value in (0.0, 0.1, 0.0, 0.1, 1.0)]),
    (),
)
FEW = [Made(logprob=value, repeated=0.0, n_clashes=value) for value in (0.0, 0.1, 0.2)]
LOOPS = [Made(logprob=value, repeated=0.9, n_clashes=9.0) for value in (-9.0, -8.9, -8.8)]
FOLLOWED = {FIRST: np.zeros(40), LATE: np.zeros(40), NEVER: np.ones(40)}
HEEDED_NEVER = Made(followed=FOLLOWED, n_before=12, n_same=1, n_first=1)


class Growing:
    """An encoder-decoder that reads its input again for every token."""

    finished: str | None = None
    written_ids = (1, 2)

    def __init__(self, *_args: object) -> None:
        """Takes any text."""

    def step(self) -> None:
        self.finished = "eos"

    def look(self) -> Made:
        sizes = {"cross_bytes": (0, 8, 16), "own_bytes": (0, 8, 16)}
        return Made(drift=1.0, n_encoder_passes=3, source_labels=("a",), **sizes)


TIMES = "context.ExperimentContext.seconds"
ANSWER = "context.ExperimentContext.answer"

# what is replaced for each claim, by its name in model.claims; the model is llama where none of
# those below is named
CASES: dict[str, dict[str, object]] = {
    # a loop that reads something else than it wrote
    "C01": {"loop.prefill": gives((np.arange(290.0), 0.0))},
    # the time is that of the first token, however many follow
    "C03": {ANSWER: gives(Request(6, 1.0, (1e-9,) * 47))},
    "C06": {},
    "C08": {ANSWER: gives(Request(6, 1.0, (1e-9,) * 23))},
    "C10": {},
    "C12": {"context.ExperimentContext.write_many": other_texts_every_time()},
    "C15": {},
    "C16": {
        "context.ExperimentContext.write": one_text_then_another(),
        "choosing.chi_square": gives(Made(p_value=0.0)),
    },
    # so sure that every sample is right: a vote adds nothing
    "C17": {"choosing.first_word": gives("yes")},
    "C18": {"search.CHOICES": (("a", " b\n c"),)},
    "C19": {},
    "C20": {"search.LIMIT": 3},
    "C21": {"search.measure_costs": does((cost(-2, 0), cost(-1, 0.9), cost(-2, 0.5)))},
    "C22": {TIMES: takes(128, 0.5)},
    "C23": {TIMES: takes(2, 1)},
    "C24": {},
    "C25": {"cache.race": does(RACE)},
    "C26": {},
    "C27": {"phases.measure_roofline": does(ROOFLINE)},
    "C28": {"phases.measure_batches": does(Made(points=[slow_step("", 1.0), slow_step("", 9.0)]))},
    "C29": {TIMES: takes(1, 0.5, 0.1)},
    "C30": {"phases.score_and_write": does(SCORING)},
    "C31": {
        "advanced.check_greedy": does([Made(first_difference=0, n_tokens=9, n_rounds=9)] * 2),
        "advanced.compare_distribution": does(Made(chi_square=Made(p_value=0.0))),
    },
    "C32": {
        "advanced.compare_drafts": does([Made(acceptance=Made(rate=0.5))] * 2),
        "advanced.measure_speed": does(Made(extremes=(1.0, 2.0), speeds=[Made(measured=0.5)])),
    },
    # one position at a time, and what comes is a loop that the judge finds unlikely
    "C33": {"advanced._fill": lambda _context, n, *_: FEW if n == 2 else LOOPS},
    "C34": {"advanced._fill": lambda _context, n, *_, **__: FEW if n == 1 else LOOPS},
    "C35": {"errors.fork_many": does(FORKS)},
    "C36": {"errors.measure_exposure": does(EXPOSURE)},
    "C37": {"training.edit_token": gives(EDIT)},
    "C38": {
        "training.losses_by_steps": does(
            Made(gap=5.0, loop_seconds=1.0, pass_seconds=2.0, losses=[1])
        )
    },
    "C39": {"advanced.Infilling": Growing},
    "C40": {"errors.place_instruction": does(HEEDED_NEVER)},
    # rare words take fewer tokens than common ones
    "C41": {"loop.RARE": ("the", "he", "the"), "loop.COMMON": ("xyz", "qux", "zyx")},
    "C42": {"training._losses": losses_that_grow},
    "C43": {"errors.generate_long": does(LONG)},
    # a state cannot go back, and each way back costs what it likes
    "C44": {"errors.compare_rewinds": does([Made(n_passes=9, n_discarded=1, surprise=1.0)] * 2)},
    "C45": {
        ANSWER: gives(Request(6, 1.0, (1e-9,) * 47)),
        "phases.score_and_write": does(SCORING),
    },
}
# a state in the place of keys and values; all tokens as likely, whatever was read
MODELS = dict.fromkeys(("C06", "C24", "C26", "C44"), "mamba")
MODELS |= dict.fromkeys(("C10", "C15", "C18", "C19", "C20"), "uniform")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModel]:
    uniform = bare_model("llama")
    torch.nn.init.zeros_(uniform.lm_head.weight)
    folder = save(tmp_path_factory.mktemp("uniform"), uniform)
    long = save(tmp_path_factory.mktemp("llama"), bare_model("llama", max_position_embeddings=512))
    return {
        "llama": load_model(str(long), "cpu"),
        "mamba": tiny("mamba"),
        "uniform": load_model(str(folder), "cpu"),
    }


@pytest.mark.parametrize("claim_id", CASES)
def test_a_claim_can_fail(
    claim_id: str, models: dict[str, LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, made in CASES[claim_id].items():
        monkeypatch.setattr(f"model.claims.{name}", made)
    lm = models[MODELS.get(claim_id, "llama")]
    context = ExperimentContext(lm, scale=SCALE, load=lambda _name: lm)
    finding = EXPERIMENTS[claim_id](context)
    assert finding.outcome == "does not hold here", [part.outcome for part in finding.evidence]


def test_every_empirical_claim_has_such_a_case() -> None:
    assert set(CASES) == {claim.id for claim in CLAIMS if claim.kind != "definition"}
