"""One architecture, twelve tokens: ours against transformers' `generate`, and against fresh passes.

A random model is saved, loaded by name as any other is, and written with. What is compared: the
ids of `generate` with and without a cache, the logits of a pass over the whole text after every
token, after a rewind, on a fork, and of padded rows. What is refused is refused in one sentence.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer, GenerationConfig, PreTrainedModel

from benchmarks.small_shapes import small_config, small_model
from model.batch import Batch
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.passes import Logits
from model.sampling import Settings
from model.weights.locate import SHIPPED

PROMPT = [5, 80, 7, 9, 400, 33]
N_TOKENS = 12
ROUNDING = 1e-3  # of the spread of the logits; in float32 a right pass is off by a hundredth of it
GREEDY = Settings(temperature=0)


@dataclass(frozen=True)
class ArchitectureOutcome:
    """What became of one architecture."""

    model_type: str
    state: str  # a key of `architectures.TITLES`
    said: str  # the sentence of a refusal, what differs, why it was not built
    notes: tuple[str, ...] = ()  # what is told to readers of a model that is equal


def try_architecture(model_type: str) -> ArchitectureOutcome:
    """Builds the smallest model of a type, loads it, and compares all that it writes."""
    try:
        model = small_model(small_config(model_type))
    except Exception as error:  # of as many kinds as there are configs
        return ArchitectureOutcome(model_type, "not built", f"{type(error).__name__}: {error}")
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(SHIPPED["storyteller"]).save_pretrained(folder)
        try:
            lm = replace(load_model(folder, "cpu"), end_ids=frozenset(), name=model_type)
            text = Generation(lm, PROMPT)
        except ValueError as error:
            said = str(error).replace(Path(folder).name, model_type)
            return ArchitectureOutcome(model_type, "refused", said)
        told = lm.weights.caveat or text.notice
        notes = [told.replace(Path(folder).name, model_type)] if told else []
        found = dict.fromkeys([*_try(_texts, lm, text), *_try(_rows, lm, notes)])
    found.pop("", None)
    is_theirs = all(part.startswith("generate") for part in found)
    apart = "said" if lm.weights.caveat else "differs"
    state = ("generate differs" if is_theirs else apart) if found else "equal"
    return ArchitectureOutcome(model_type, state, "; ".join(found), tuple(notes))


def _try(compare: Callable[..., list[str]], *given: object) -> list[str]:
    """Returns what a comparison finds; what fails in it is found too."""
    try:
        return compare(*given)
    except ValueError as error:
        return [str(error)]


def _texts(lm: LanguageModel, text: Generation) -> list[str]:
    """Writes, goes back and branches; returns what differs from transformers."""
    found = [_gap("the prompt", lm, text)]
    for _ in range(N_TOKENS):
        text.step(GREEDY)
        found.append(_gap("a token", lm, text))
    whole = text.ids[:]
    for use_cache in (True, False):
        found.append(_against_generate(lm, whole, use_cache=use_cache))
    fork = text.fork()
    for n_back in (5, 3):
        text.rewind(n_back)
        found.append(_gap("a rewind", lm, text))
    for _ in range(8):
        text.step(GREEDY)
    found.append(_gap("tokens after it", lm, text))
    if text.ids != whole:
        found.append("another text after a rewind")
    text.step(token_id=11)
    fork.step(token_id=12)
    found += [_gap("a fork", lm, fork), _gap("the text forked from", lm, text)]
    return found


def _rows(lm: LanguageModel, notes: list[str]) -> list[str]:
    """Reads and continues rows of different lengths; returns what differs from each row alone."""
    rows = [PROMPT, PROMPT[2:5], PROMPT[1:]]
    try:
        batch = Batch(lm, rows)
    except ValueError as error:
        notes.append(str(error))
        batch = Batch(lm, [row[:3] for row in rows])
    found = _rows_alone("padded rows", lm, batch)
    for ids in ([8, 9, 10], [3, 2, 4]):
        batch.append(ids)
    found += _rows_alone("padded rows that grew", lm, batch)
    batch.reorder([2, 0])
    batch.append([7, 7])
    return found + _rows_alone("rows that were reordered", lm, batch)


def _rows_alone(what: str, lm: LanguageModel, batch: Batch) -> list[str]:
    pairs = zip(batch.ids, batch.logits, strict=True)
    return [_apart(what, logits, fresh(lm.model, ids)) for ids, logits in pairs]


def _gap(what: str, lm: LanguageModel, text: Generation) -> str:
    return _apart(what, text.logits, fresh(lm.model, text.ids))


def _apart(what: str, ours: Logits, truth: Logits) -> str:
    """Says how far logits are from the truth, as a part of their spread, if it is too far."""
    gap = float(np.abs(ours - truth).max() / np.ptp(truth))
    return "" if gap < ROUNDING else f"{what}: logits off by {gap:.0e}"


@torch.inference_mode()
def fresh(model: PreTrainedModel, ids: Sequence[int]) -> Logits:
    """Returns the logits after a text, read in one pass with nothing kept: the truth."""
    call: Any = model
    logits: Logits = call(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1].numpy()
    return logits


def _against_generate(lm: LanguageModel, ids: list[int], *, use_cache: bool) -> str:
    """Says where `generate` writes another text, if it does."""
    make: Callable[..., GenerationConfig] = GenerationConfig
    how = make(
        max_new_tokens=N_TOKENS,
        do_sample=False,
        use_cache=use_cache,
        pad_token_id=1,
        eos_token_id=None,
    )
    prompt = torch.tensor([PROMPT])
    model: Any = lm.model
    model.generation_config = make()  # a default of its class may force an end
    name = f"generate {'with' if use_cache else 'without'} a cache"
    try:
        theirs = model.generate(
            prompt, attention_mask=torch.ones_like(prompt), generation_config=how
        )[0].tolist()
    except Exception as error:  # of as many kinds as there are models
        return f"{name} fails ({type(error).__name__}: {str(error)[:80]})"
    n_same = next((i for i, (a, b) in enumerate(zip(ids, theirs, strict=True)) if a != b), len(ids))
    return "" if theirs == ids else f"{name} writes another token {n_same - len(PROMPT) + 1}"
