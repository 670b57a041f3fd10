"""One round of speculative decoding as a record to be drawn. Knows rounds and labels, no clock."""

from __future__ import annotations

import numpy as np

from model.draw import best_ids
from model.kv_cache import bytes_held
from model.records import FloatArray
from model.speculative.decoding import Outcome, Speculation, accept_prob, overlap, residual
from model.speculative.drafting import one_hot
from model.speculative.records import Bar, CacheMark, Drawn, Proposal, Round, Verdict
from model.tokenizing import label

N_BARS = 6  # likeliest tokens of a position


def describe_round(text: Speculation, outcome: Outcome, number: int) -> Round:
    """Writes down a round that has just run: every proposal, its verdict, the token drawn."""
    ids = text.ids[: outcome.n_text]
    proposals, bars, rest = [], [], []
    for place, row in enumerate(outcome.rows):
        before = [*ids, *outcome.draft.ids[:place]]
        target_probs = text.probs_of(row, before)
        draft_probs = _draft_probs(outcome, place, target_probs)
        if place < len(outcome.draft.ids):
            proposals.append(_proposal(text, outcome, place, target_probs, draft_probs))
        drawn = (
            outcome.token_ids[-1]
            if outcome.source is not None and place == outcome.n_accepted
            else None
        )
        shown, other = _bars(text, outcome, place, drawn, target_probs, draft_probs)
        bars.append(shown)
        rest.append(other)
    return Round(
        number=number,
        n_text=outcome.n_text,
        proposals=tuple(proposals),
        drawn=_drawn(text, outcome),
        bars=tuple(bars),
        rest=tuple(rest),
        caches=_caches(text, outcome),
        is_greedy=text.settings.is_greedy,
        n_steps=outcome.draft.n_steps,
        draft_seconds=outcome.draft.seconds,
        target_seconds=outcome.target_seconds,
        seconds=outcome.seconds,
    )


def _draft_probs(outcome: Outcome, place: int, like: FloatArray) -> FloatArray:
    """Returns what a proposal was drawn from; nothing at all where the draft was not asked."""
    if place >= len(outcome.draft.ids):
        return np.zeros_like(like)
    probs = outcome.draft.probs[place]
    return one_hot(outcome.draft.ids[place], len(like)) if probs is None else probs


def _proposal(
    text: Speculation,
    outcome: Outcome,
    place: int,
    target_probs: FloatArray,
    draft_probs: FloatArray,
) -> Proposal:
    token_id, position = outcome.draft.ids[place], outcome.n_text + place
    target_prob, draft_prob = float(target_probs[token_id]), float(draft_probs[token_id])
    return Proposal(
        position=position,
        token_id=token_id,
        label=_label(text, token_id),
        draft_prob=draft_prob,
        target_prob=target_prob,
        accept_prob=accept_prob(target_prob, draft_prob),
        coin=text.coin(position, "accept"),
        verdict=_verdict(place, outcome.n_accepted),
        overlap=overlap(target_probs, draft_probs),
    )


def _verdict(place: int, n_accepted: int) -> Verdict:
    if place < n_accepted:
        return "accepted"
    return "rejected" if place == n_accepted else "not tested"


def _drawn(text: Speculation, outcome: Outcome) -> Drawn | None:
    if outcome.source is None:
        return None
    place, token_id = outcome.n_accepted, outcome.token_ids[-1]
    position = outcome.n_text + place
    before = [*text.ids[: outcome.n_text], *outcome.draft.ids[:place]]
    probs = text.probs_of(outcome.rows[place], before)
    if outcome.source == "residual":
        probs = residual(probs, _draft_probs(outcome, place, probs))
    return Drawn(
        position=position,
        token_id=token_id,
        label=_label(text, token_id),
        source=outcome.source,
        prob=float(probs[token_id]),
        coin=text.coin(position, "draw"),
    )


def _bars(
    text: Speculation,
    outcome: Outcome,
    place: int,
    drawn: int | None,
    target_probs: FloatArray,
    draft_probs: FloatArray,
) -> tuple[tuple[Bar, ...], tuple[float, float, float]]:
    """Returns the likeliest tokens of a position, and what all the others sum up to."""
    left = residual(target_probs, draft_probs)
    proposed = outcome.draft.ids[place] if place < len(outcome.draft.ids) else None
    named = {one for one in (proposed, drawn) if one is not None}
    found = best_ids(np.maximum(target_probs, draft_probs), N_BARS).tolist()
    either = target_probs + draft_probs
    chosen = [*named, *(one for one in found if one not in named and either[one] > 0)][:N_BARS]
    chosen.sort(key=lambda one: (-max(target_probs[one], draft_probs[one]), one))
    shown = tuple(
        Bar(
            label=_label(text, one),
            target_prob=float(target_probs[one]),
            draft_prob=float(draft_probs[one]),
            residual_prob=float(left[one]),
            is_proposed=one == proposed,
            is_drawn=one == drawn,
        )
        for one in chosen
    )
    target, draft, other = (
        max(0.0, float(probs.sum() - probs[chosen].sum()))
        for probs in (target_probs, draft_probs, left)
    )
    return shown, (target, draft, other)


def _caches(text: Speculation, outcome: Outcome) -> tuple[CacheMark, ...]:
    readers = [text.target, text.drafter.reader][: len(outcome.reads)]
    return tuple(
        CacheMark(
            name=reader.lm.name,
            n_before=before,
            n_read=read,
            n_kept=kept,
            bytes_per_token=reader.lm.cache_shape.bytes_per_token,
            bytes_held=bytes_held(reader.cache),
        )
        for reader, (before, read, kept) in zip(readers, outcome.reads, strict=True)
        if reader is not None
    )


def _label(text: Speculation, token_id: int) -> str:
    lm = text.target.lm
    return label(lm.tokenizer, token_id, lm.vocab_size)
