"""One round of speculative decoding as a record to be drawn. Knows rounds and labels, no clock."""

import numpy as np

from model.batch import Batch
from model.draw import best_ids
from model.kv_cache import bytes_held
from model.records import FloatArray
from model.speculative.decoding import RoundOutcome, Speculation, accept_prob, overlap, residual
from model.speculative.drafting import one_hot
from model.speculative.records import CacheMark, Drawn, Proposal, Round, RoundBar, Verdict
from model.tokenizing import label

N_BARS = 6  # likeliest tokens of a position


def describe_round(text: Speculation, outcome: RoundOutcome) -> Round:
    """Writes down a round that has just run: every proposal, its verdict, the token drawn."""
    ids, draft_ids = text.ids[: outcome.n_text], outcome.draft.ids
    proposals, drawn, bars = [], None, []
    for place, row in enumerate(outcome.rows):
        target_probs = text.probs_of(row, [*ids, *draft_ids[:place]])
        draft_probs = _draft_probs(outcome, place, len(target_probs))
        left = residual(target_probs, draft_probs)
        proposed_id = drawn_id = None
        if place < len(draft_ids):
            proposed_id = draft_ids[place]
            proposals.append(_proposal(text, outcome, place, target_probs, draft_probs))
        if place == outcome.n_accepted and outcome.source is not None:
            drawn_id = outcome.token_ids[-1]
            pointer = text.pointer(outcome.n_text + place, "draw")
            drawn = Drawn(_label(text, drawn_id), outcome.source, float(left[drawn_id]), pointer)
        bars.append(_bars(text, (target_probs, draft_probs, left), proposed_id, drawn_id))
    return Round(
        n_text=outcome.n_text,
        proposals=tuple(proposals),
        drawn=drawn,
        bars=tuple(bars),
        caches=tuple(map(_cache, text.batches, outcome.reads)),
        is_greedy=text.settings.is_greedy,
        n_steps=outcome.draft.n_steps,
        draft_seconds=outcome.draft.seconds,
        target_seconds=outcome.target_seconds,
    )


def _bars(
    text: Speculation,
    views: tuple[FloatArray, FloatArray, FloatArray],
    proposed_id: int | None,
    drawn_id: int | None,
) -> tuple[RoundBar, ...]:
    """Returns the likeliest tokens of a position, those that are named among them, and the rest."""
    either = np.maximum(*views[:2])
    named = [token_id for token_id in (proposed_id, drawn_id) if token_id is not None]
    best = [token_id for token_id in best_ids(either, N_BARS).tolist() if either[token_id] > 0]
    shown = list(dict.fromkeys([*named, *best]))[:N_BARS]
    shown.sort(key=lambda token_id: (-either[token_id], token_id))
    bars = [
        RoundBar(
            _label(text, token_id),
            tuple(float(probs[token_id]) for probs in views),
            is_proposed=token_id == proposed_id,
            is_drawn=token_id == drawn_id,
        )
        for token_id in shown
    ]
    rest = tuple(max(0.0, float(probs.sum() - probs[shown].sum())) for probs in views)
    return (*bars, RoundBar("all other tokens", rest)) if sum(rest) > 0 else tuple(bars)


def _draft_probs(outcome: RoundOutcome, place: int, width: int) -> FloatArray:
    """Returns what a proposal was drawn from; nothing at all where the draft was not asked."""
    if place >= len(outcome.draft.ids):
        return np.zeros(width)
    probs = outcome.draft.probs[place]
    return one_hot(outcome.draft.ids[place], width) if probs is None else probs


def _proposal(
    text: Speculation,
    outcome: RoundOutcome,
    place: int,
    target_probs: FloatArray,
    draft_probs: FloatArray,
) -> Proposal:
    token_id = outcome.draft.ids[place]
    target_prob, draft_prob = float(target_probs[token_id]), float(draft_probs[token_id])
    verdict: Verdict = "not tested"
    if place < outcome.n_tested:
        verdict = "accepted" if place < outcome.n_accepted else "rejected"
    return Proposal(
        label=_label(text, token_id),
        draft_prob=draft_prob,
        target_prob=target_prob,
        accept_prob=accept_prob(target_prob, draft_prob),
        pointer=text.pointer(outcome.n_text + place, "accept"),
        verdict=verdict,
        overlap=overlap(target_probs, draft_probs),
    )


def _cache(batch: Batch, n_tokens: tuple[int, int, int]) -> CacheMark:
    shape = batch.lm.cache_shape
    return CacheMark(batch.lm.name, *n_tokens, shape.bytes_per_token, bytes_held(batch.cache))


def _label(text: Speculation, token_id: int) -> str:
    return label(text.target.lm.tokenizer, token_id)
