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
    ids, draft_ids = text.ids[: outcome.n_text], outcome.draft.ids
    proposals, drawn, bars, rest = [], None, [], []
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
            coin = text.coin(outcome.n_text + place, "draw")
            drawn = Drawn(_label(text, drawn_id), outcome.source, float(left[drawn_id]), coin)
        shown_ids = _likeliest(target_probs, draft_probs, proposed_id, drawn_id)
        bars.append(
            tuple(
                Bar(
                    label=_label(text, token_id),
                    target_prob=float(target_probs[token_id]),
                    draft_prob=float(draft_probs[token_id]),
                    residual_prob=float(left[token_id]),
                    is_proposed=token_id == proposed_id,
                    is_drawn=token_id == drawn_id,
                )
                for token_id in shown_ids
            )
        )
        of_target, of_draft, of_left = (
            max(0.0, float(probs.sum() - probs[shown_ids].sum()))
            for probs in (target_probs, draft_probs, left)
        )
        rest.append((of_target, of_draft, of_left))
    return Round(
        number=number,
        n_text=outcome.n_text,
        proposals=tuple(proposals),
        drawn=drawn,
        bars=tuple(bars),
        rest=tuple(rest),
        caches=_caches(text, outcome),
        is_greedy=text.settings.is_greedy,
        n_steps=outcome.draft.n_steps,
        draft_seconds=outcome.draft.seconds,
        target_seconds=outcome.target_seconds,
    )


def _draft_probs(outcome: Outcome, place: int, width: int) -> FloatArray:
    """Returns what a proposal was drawn from; nothing at all where the draft was not asked."""
    if place >= len(outcome.draft.ids):
        return np.zeros(width)
    probs = outcome.draft.probs[place]
    return one_hot(outcome.draft.ids[place], width) if probs is None else probs


def _proposal(
    text: Speculation,
    outcome: Outcome,
    place: int,
    target_probs: FloatArray,
    draft_probs: FloatArray,
) -> Proposal:
    token_id = outcome.draft.ids[place]
    target_prob, draft_prob = float(target_probs[token_id]), float(draft_probs[token_id])
    verdict: Verdict = "not tested"
    if place <= outcome.n_accepted:
        verdict = "accepted" if place < outcome.n_accepted else "rejected"
    return Proposal(
        label=_label(text, token_id),
        draft_prob=draft_prob,
        target_prob=target_prob,
        accept_prob=accept_prob(target_prob, draft_prob),
        coin=text.coin(outcome.n_text + place, "accept"),
        verdict=verdict,
        overlap=overlap(target_probs, draft_probs),
    )


def _likeliest(
    target_probs: FloatArray, draft_probs: FloatArray, *named_ids: int | None
) -> list[int]:
    """Returns the tokens to draw of a position, those that are named among them."""
    either = np.maximum(target_probs, draft_probs)
    named = [token_id for token_id in named_ids if token_id is not None]
    best = [token_id for token_id in best_ids(either, N_BARS).tolist() if either[token_id] > 0]
    chosen = list(dict.fromkeys([*named, *best]))[:N_BARS]
    return sorted(chosen, key=lambda token_id: (-either[token_id], token_id))


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
