"""Training and the causal mask: C37, C38 and C42."""

from collections.abc import Mapping, Sequence

import numpy as np

from model.causal_mask.attention import edit_token, next_best, read_text
from model.causal_mask.losses import losses_by_steps
from model.claims.context import ExperimentContext, Floats
from model.claims.exact import rounding
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_ratio
from model.held_out import held_out
from model.job import finish
from model.language_model import LanguageModel
from model.snowball.context_loss import measure_context_loss
from model.tokenizing import encode

GIRL = "Once upon a time there was a little girl named Lily. She liked to play with her red ball."
CONTEXTS = (1, 8, 64)
N_TARGETS = 120  # tokens that are predicted
MOVED = 0.01  # of what an edit moves where it is seen: what an edit has to move without a mask
SAME = 0.01  # nats
AS_ONE = 3.0  # times as quick as single steps at least, if positions are read side by side


@experiment("C37")
def no_position_sees_a_later_one(context: ExperimentContext) -> Finding:
    """Later tokens edited one by one, with the mask and without."""
    ids = encode(context.lm, GIRL)
    places = np.linspace(len(ids) // 2, len(ids) - 2, context.n(5)).astype(int).tolist()
    edits = [edit_token(context.lm, ids, at, [next_best(context.lm, ids, at)]) for at in places]
    leaks = [edit.largest_unmasked_before for edit in edits]
    after = [float(edit.changes[edit.position :].max()) for edit in edits]
    # a mask is exact: what an edit moves before it is rounding, or it is a leak
    logits, _ = read_text(context.lm, ids)
    bar = rounding(context.lm, ids, logits) * float(np.abs(logits).max())
    still = [edit.largest_before <= bar for edit in edits]
    off = [(leak, seen) for leak, seen in zip(leaks, after, strict=True) if leak is not None]
    parts = [
        judge_all("edits that move no earlier logit", still, "edits"),
        judge_all(
            "edits that are seen where they are, or after",
            [seen > bar for seen in after],
            "edits",
            is_condition=True,
        ),
    ]
    says = (
        "Changing a later token moved no earlier logit by more than {moved:number}; rounding may "
        "move one by {bar:number}."
    )
    if off:
        parts.append(
            judge_all(
                "edits that do with the mask off",
                [leak > MOVED * seen for leak, seen in off],
                "edits",
            )
        )
        says += " With the mask off it moved one by {leak:number} on average."
    else:
        says += " This model has no mask that could be taken off."
    return finding(
        says,
        *parts,
        control="at the edited place and after it logits move by {after:number}.",
        numbers={
            "moved": max(edit.largest_before for edit in edits),
            "bar": bar,
            "leak": [leak for leak, _ in off],
            "after": after,
        },
    )


@experiment("C38")
def a_loss_at_every_position_at_once(context: ExperimentContext) -> Finding:
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
        judge_all(
            "the losses are the same",
            [one.gap < SAME for one in compared],
            "texts",
            is_condition=True,
        ),
        judge_ratio(
            "seconds of the single steps over those of one pass",
            loop_seconds,
            pass_seconds,
            "texts",
            above=AS_ONE,
        ),
        control="a pass that read its {n} tokens one after another would give 1.",
        numbers={"n": len(compared[0].losses), "gap": max(one.gap for one in compared)}
        | {"one": pass_seconds, "many": loop_seconds},
    )


@experiment("C42")
def training_and_context(context: ExperimentContext) -> Finding:
    """The loss by how much is seen; and of the early checkpoint beside the last."""
    models, early = [context.lm], context.other("storyteller_early")
    if context.lm.name == context.other("storyteller").name:
        models.append(early)
    losses = _losses(models, context.n(N_TARGETS))
    alone, few, many = losses[context.lm.name].T
    says = (
        "Seeing {n_alone:count} token, {n_few:count} and {n_many:count}, {model:text}’s loss on "
        "held-out stories is {alone:nats}, {few:nats} and {many:nats}."
    )
    parts = [
        judge_mean("loss with one token, less that with a few", alone - few, "tokens", "nats"),
        judge_mean("loss with a few, less that with many", few - many, "tokens", "nats"),
    ]
    old = losses[models[-1].name][:, -1]
    if early in models:
        says += " With as many, its early checkpoint has {old:nats}."
        parts.append(
            judge_mean("loss of the early checkpoint, less its own", old - many, "tokens", "nats")
        )
    else:
        says += " What training gave it is not examined: no earlier checkpoint of it is here."
    n_alone, n_few, n_many = CONTEXTS
    return finding(
        says,
        *parts,
        control="the tokens that are predicted are the same in every case.",
        ran_on=" and ".join(lm.name for lm in models),
        numbers={"model": context.lm.name, "n_alone": n_alone, "n_few": n_few, "n_many": n_many}
        | {"alone": alone, "few": few, "many": many, "old": old},
    )


def _losses(models: Sequence[LanguageModel], n_targets: int) -> Mapping[str, Floats]:
    stories = [encode(models[0], story) for story in held_out("stories")]
    return finish(measure_context_loss(models, stories, CONTEXTS, n_targets)).losses
