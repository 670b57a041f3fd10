"""Errors, training and context: C35 to C38, C40, and C42 to C45."""

from __future__ import annotations

import numpy as np

from model.causal_mask.attention import edit_token, next_best, read_leak
from model.causal_mask.losses import losses_by_steps
from model.claims import loop, phases
from model.claims.context import ExperimentContext, finding
from model.claims.records import Finding
from model.generation import Generation
from model.held_out import held_out
from model.job import finish
from model.sampling import Settings
from model.snowball.context_loss import measure_context_loss
from model.snowball.error_compounding import fork_many
from model.snowball.exposure import measure_exposure
from model.snowball.fork import options
from model.snowball.instruction_position import FIRST, LATE, NEVER, place_instruction
from model.snowball.long_generation import Kind, generate_long
from model.snowball.records import Estimate
from model.snowball.rewind_strategies import compare_rewinds
from model.tokenizing import encode

WARM = Settings(temperature=0.7)
GIRL = "Once upon a time there was a little girl named Lily. She liked to play with her red ball."
LILY = "Once upon a time there was a little girl named Lily."
DRAGON = "She had a big dragon."


def c35_errors_snowball(context: ExperimentContext) -> Finding:
    """Texts with one wrong token beside themselves without it."""
    work = fork_many(
        context.lm,
        encode(context.lm, context.prompt),
        WARM,
        n_before=3,
        rank=20,
        n_tokens=20,
        n_forks=8,
    )
    forks = finish(work)
    first, last = forks.kl[:, 1:5], forks.kl[:, -5:]
    same = float(forks.same[:, -5:].mean())
    return finding(
        same < 0.5 and float(np.nanmedian(last)) > 0,
        "After one wrong token {n} pairs of texts part: the median KL is {early} just after it and "
        "{late} some 15 tokens on, where {same} of the tokens are still the same.",
        "Here most pairs of texts meet again.",
        n=(len(forks.same), "count"),
        early=(float(np.nanmedian(first)), "nats"),
        late=(float(np.nanmedian(last)), "nats"),
        same=(same, "fraction"),
    )


def c36_exposure_bias(context: ExperimentContext) -> Finding:
    """The loss after true tokens and after the model's own."""
    stories = [encode(context.lm, story) for story in held_out("stories")[:8]]
    work = measure_exposure(
        context.lm, context.lm, stories, n_prompt=24, n_tokens=24, temperature=0.7
    )
    seen = finish(work)
    gap = Estimate.of(np.nanmean(seen.writer_loss_free - seen.writer_loss, axis=1))
    return finding(
        True if gap.mean > gap.half_width else "holds partly",
        "After its own tokens the story’s next token surprises the model by {more} more than after "
        "the true ones, ± {half}, over {n} held-out stories.",
        "Over so few stories the difference is within its own uncertainty.",
        more=(gap.mean, "nats"),
        half=(gap.half_width, "nats"),
        n=(gap.n, "count"),
    )


def c37_no_position_sees_a_later_one(context: ExperimentContext) -> Finding:
    """A later token edited, with the mask and without."""
    ids = encode(context.lm, GIRL)
    late = len(ids) - 4
    edit = edit_token(context.lm, ids, late, [next_best(context.lm, ids, late)])
    leak = read_leak(context.lm, ids)
    on, off = (float(np.exp(logprobs[leak.largest])) for logprobs in (leak.masked, leak.unmasked))
    return finding(
        edit.largest_before < 1e-3,
        "A token changed {back} places before the end moved no earlier logit by more than {moved}. "
        "With the mask off, a true token’s probability went from {on} to {off}.",
        back=(len(ids) - late, "count"),
        moved=(edit.largest_before, "number"),
        on=(on, "fraction"),
        off=(off, "fraction"),
    )


def c38_a_loss_at_every_position_at_once(context: ExperimentContext) -> Finding:
    """One pass beside a loop of single steps."""
    compared = finish(losses_by_steps(context.lm, encode(context.lm, GIRL)))
    return finding(
        compared.gap < 1e-2,
        "One pass gave the loss at {n} positions in {one}; {n} single steps gave the same, but for "
        "{gap}, in {many}.",
        n=(len(compared.losses), "count"),
        one=(compared.pass_seconds, "seconds"),
        gap=(compared.gap, "number"),
        many=(compared.loop_seconds, "seconds"),
    )


def c40_context_works_forward(context: ExperimentContext) -> Finding:
    """A constraint put in first, and after twelve tokens."""
    work = place_instruction(
        context.lm,
        LILY,
        DRAGON,
        ["dragon"],
        Settings(temperature=0.8),
        n_before=12,
        n_tokens=32,
        n_texts=8,
    )
    seen = finish(work)
    first, late, never = (float(seen.followed[name][11]) for name in (FIRST, LATE, NEVER))
    return finding(
        seen.n_same == seen.n_first
        and late == never
        and (True if first > late else "holds partly"),
        "Put in first, it was met within {m} tokens by {first} of the texts; put in after them, by "
        "{late}: the first {all} tokens of all texts stayed as they were.",
        "Put in first it shaped none of the first tokens either: the texts are few.",
        m=(seen.n_before, "count"),
        first=(first, "fraction"),
        late=(late, "fraction"),
        all=(seen.n_first, "count"),
    )


def c42_training_and_context(context: ExperimentContext) -> Finding:
    """The loss by how much is seen, of the early checkpoint and of the last."""
    last, early = context.other("storyteller"), context.other("storyteller_early")
    stories = [encode(last, story) for story in held_out("stories")[:12]]
    loss = finish(measure_context_loss([last, early], stories, (1, 8, 64), n_targets=24))
    losses = {name: values.mean(axis=0) for name, values in loss.losses.items()}
    new, old = losses[last.name], losses[early.name]
    return finding(
        bool(new[0] > new[2] and old[2] > new[2]),
        "Seeing 1, 8 and 64 tokens the storyteller’s loss is {one}, {eight} and {all}; its early "
        "checkpoint’s at 64 is {early}.",
        one=(float(new[0]), "nats"),
        eight=(float(new[1]), "nats"),
        all=(float(new[2]), "nats"),
        early=(float(old[2]), "nats"),
    )


def c43_long_texts_lose_the_thread(context: ExperimentContext) -> Finding:
    """Repeats late in a long text, greedy and by people."""
    n_tokens = 256
    books = [encode(context.lm, book)[:n_tokens] for book in held_out("books")[:3]]
    kinds = (
        Kind("greedy", Settings(temperature=0), 1),
        Kind("T = 0.8", Settings(temperature=0.8), 2),
    )
    prompt = encode(context.lm, "Once upon a time")
    seen = finish(generate_long(context.lm, prompt, kinds, n_tokens, books, "books"))
    which, late = np.array(seen.kinds), slice(n_tokens - 80, n_tokens)
    greedy, warm, people = (float(seen.repeated[which == i, late].mean()) for i in range(3))
    return finding(
        True if greedy > people else "holds partly",
        "In tokens {from_} to {to} greedy repeats {greedy} of its phrases, T = 0.8 {warm}, books "
        "by people {people}.",
        "So far this text repeats no more than books do.",
        from_=(late.start, "count"),
        to=(late.stop, "count"),
        greedy=(greedy, "fraction"),
        warm=(warm, "fraction"),
        people=(people, "fraction"),
    )


def c44_stop_go_back_choose_again(context: ExperimentContext) -> Finding:
    """Going back at once and going back late."""
    start = Generation(context.lm, context.prompt)
    start.step(WARM)
    bad = options(start)[-1].token_id
    strategies = finish(compare_rewinds(start, bad, WARM, 16, (1, 8, 16)))
    left, at_once, *_, late = strategies
    return finding(
        all(strategy.is_restored for strategy in strategies[1:]) and not left.is_restored,
        "Going back at once cost {few} passes more, after {n} tokens {many}; either way the text "
        "is the one it would have been, {good} a token against {bad} with the bad token left in.",
        few=(at_once.n_passes - left.n_passes, "count"),
        n=(late.n_discarded, "count"),
        many=(late.n_passes - left.n_passes, "count"),
        good=(at_once.surprise, "nats"),
        bad=(left.surprise, "nats"),
    )


def c45_when_to_use_the_loop(context: ExperimentContext) -> Finding:
    """What the table rests on: the loop's price per token, and what one pass does without it."""
    grows, scores = (
        loop.c03_time_grows_with_output(context),
        phases.c30_one_pass_for_a_score(context),
    )
    n_passes = grows.quantities["passes"].value
    quantities = scores.quantities
    return finding(
        True if scores.verdict == grows.verdict == "holds" else "holds partly",
        "A text of {n} tokens took {passes} passes; {choices} answers were scored in one pass of "
        "{scored}.",
        "On this device one of the two measurements does not simply hold: see C03 and C30.",
        n=(grows.quantities["n"].value, "count"),
        passes=(n_passes, "count"),
        choices=(quantities["n"].value, "count"),
        scored=(quantities["scored"].value, "seconds"),
    )
