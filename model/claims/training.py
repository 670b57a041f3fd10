"""Training and the causal mask: C37, C38 and C42."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from model.causal_mask.attention import edit_token, next_best
from model.causal_mask.losses import losses_by_steps
from model.claims.context import ExperimentContext, Floats
from model.claims.records import Finding
from model.claims.verdicts import finding, judge_all, judge_mean, judge_ratio
from model.held_out import held_out
from model.job import finish
from model.language_model import LanguageModel
from model.snowball.context_loss import measure_context_loss
from model.tokenizing import encode

GIRL = "Once upon a time there was a little girl named Lily. She liked to play with her red ball."
CONTEXTS = (1, 8, 64)
MOVED = 0.01  # of a logit; what a position sees moves its logits by whole numbers


def c37_no_position_sees_a_later_one(context: ExperimentContext) -> Finding:
    """Later tokens edited one by one, with the mask and without."""
    ids = encode(context.lm, GIRL)
    places = np.linspace(len(ids) // 2, len(ids) - 2, context.n(5)).astype(int).tolist()
    edits = [edit_token(context.lm, ids, at, [next_best(context.lm, ids, at)]) for at in places]
    leaks = [edit.largest_unmasked_before for edit in edits]
    off = [leak for leak in leaks if leak is not None]
    after = [float(edit.changes[edit.position :].max()) for edit in edits]
    still = [edit.largest_before < MOVED for edit in edits]
    parts = [judge_all("edits that move no earlier logit", still, "edits")]
    says = "Changing a later token moved no earlier logit by more than {moved:number}."
    if off:
        parts.append(
            judge_all("edits that do with the mask off", [gap > MOVED for gap in off], "edits")
        )
        says += " With the mask off it moved one by {leak:number} on average."
    else:
        says += " This model has no mask that could be taken off."
    return finding(
        says,
        *parts,
        control="at the edited place and after it logits move by {after:number}.",
        numbers={"moved": max(edit.largest_before for edit in edits), "leak": off, "after": after},
    )


def c38_a_loss_at_every_position_at_once(context: ExperimentContext) -> Finding:
    """One pass beside a loop of single steps, over held-out stories."""
    texts = [encode(context.lm, story)[:48] for story in held_out("stories")[: context.n(4)]]
    compared = [finish(losses_by_steps(context.lm, text)) for text in texts]
    loop_seconds, pass_seconds = (
        [one.loop_seconds for one in compared],
        [one.pass_seconds for one in compared],
    )
    return finding(
        "One pass gave the loss at {n:count} positions in {one:seconds}; {n} single steps gave the "
        "same, but for {gap:number}, in {many:seconds}.",
        judge_all("the losses are the same", [one.gap < MOVED for one in compared], "texts"),
        judge_ratio(
            "seconds of the single steps over those of one pass",
            loop_seconds,
            pass_seconds,
            "texts",
        ),
        numbers={"n": len(compared[0].losses), "gap": max(one.gap for one in compared)}
        | {"one": pass_seconds, "many": loop_seconds},
    )


def c42_training_and_context(context: ExperimentContext) -> Finding:
    """The loss by how much is seen; and of the early checkpoint beside the last."""
    n = context.n(40)
    last, early = context.other("storyteller"), context.other("storyteller_early")

    own = _losses([context.lm], n)[context.lm.name]
    trained = _losses([last, early], n)
    new, old = trained[last.name][:, -1], trained[early.name][:, -1]
    return finding(
        "Seeing {few:count} token and {many:count}, {model:text}’s loss on held-out stories is "
        "{one:nats} and {all:nats}. With as many, {early:text} has {old:nats} and {last:text} has "
        "{new:nats}.",
        judge_mean(
            "loss with little context, less that with more",
            own[:, 0] - own[:, -1],
            "tokens",
            "nats",
        ),
        judge_mean(
            "loss of the early checkpoint, less that of the last", old - new, "tokens", "nats"
        ),
        control="the tokens that are predicted are the same in every case.",
        ran_on=f"{context.lm.name}; early and last: {early.name} and {last.name}",
        numbers={"model": context.lm.name, "early": early.name, "last": last.name}
        | {"few": CONTEXTS[0], "many": CONTEXTS[own.shape[1] - 1]}
        | {"one": own[:, 0], "all": own[:, -1], "old": old, "new": new},
    )


def _losses(models: Sequence[LanguageModel], n_targets: int) -> Mapping[str, Floats]:
    stories = [encode(models[0], story) for story in held_out("stories")]
    return finish(measure_context_loss(models, stories, CONTEXTS, n_targets)).losses
