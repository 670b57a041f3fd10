"""Errors and long texts: C35, C36, C40, and C43 to C45."""

import numpy as np

from model.batch import read_whole
from model.claims import loop, phases
from model.claims.context import ExperimentContext
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_shares
from model.generation import Generation
from model.held_out import held_out
from model.job import finish
from model.masks import divergence
from model.sampling import Settings
from model.snowball.error_compounding import compounding, fork_many
from model.snowball.exposure import measure_exposure
from model.snowball.fork import options
from model.snowball.instruction_position import FIRST, LATE, NEVER, place_instruction
from model.snowball.records import BIAS, Forks
from model.snowball.rewind_strategies import compare_rewinds
from model.snowball.thread import LENGTH, PART, measure_thread
from model.tokenizing import encode, encode_bare, shares_vocabulary

WARM, LONG = Settings(temperature=0.7), Settings(temperature=0.8)
LILY = "Once upon a time there was a little girl named Lily."
DRAGON, WORD = "She had a big dragon.", "dragon"
SLIP = 0.01  # probability below which a token counts as a slip
FAR_RANK, NEAR_RANK = 20, 1  # of the wrong token, and of one that is as good as any
N_OPENING, N_STORY = 24, 120  # tokens of a held-out story
N_LONG = 128  # long texts: of fewer the verdict is that of the seeds
N_FORKS = 640  # pairs of texts: of fewer the verdict is that of the seeds
N_REDRAWN = 40  # pairs that only stand beside them


@experiment("C35")
def errors_snowball(context: ExperimentContext) -> Finding:
    """Slips after a wrong token and without it, and beside them after a plain redraw."""
    wrong = _forks(context, FAR_RANK, N_FORKS)
    redrawn = _forks(context, NEAR_RANK, N_REDRAWN)
    slips, control = (compounding(forks, SLIP) for forks in (wrong, redrawn))
    return finding(
        "After one wrong token {n:count} pairs of texts part, and {same:fraction} of their last "
        "tokens are still the same; the texts with it have {forced:number} tokens below one "
        "percent, those without it {original:number}.",
        judge_mean(
            "unlikely tokens after the wrong one, less those without it",
            slips.difference,
            "texts",
            above=BIAS * slips.original_slips,
        ),
        control="a plain redraw, the likeliest other token instead of a wrong one, parts the texts "
        "as well: {redrawn:fraction} of their last tokens are the same, and the difference is "
        "{chance:number}.",
        why="The texts part, but errors do not breed errors.",
        numbers={"n": wrong.n_texts, "same": wrong.same[:, -5:], "redrawn": redrawn.same[:, -5:]}
        | {"forced": slips.forced_slips, "original": slips.original_slips}
        | {"chance": control.difference.mean},
    )


def _forks(context: ExperimentContext, rank: int, n: int) -> Forks:
    ids = encode(context.lm, context.prompt)
    return finish(
        fork_many(
            context.lm, ids, WARM, n_before=3, rank=rank, n_tokens=20, n_forks=context.n(n),
            first_seed=context.first_seed,
        )
    )  # fmt: skip


@experiment("C36")
def exposure_bias(context: ExperimentContext) -> Finding:
    """A writer's error against a judge, after true tokens and after its own.

    A model that has no judge of its tokens, or is the judge, is not examined: the scribbler is.
    """
    writer, judge = context.lm, context.other("storyteller")
    if writer.name == judge.name or not shares_vocabulary(writer, judge):
        writer = context.other("scribbler")
    stories = [encode(writer, story)[:N_STORY] for story in held_out("stories")]
    stories = stories[: context.n(len(stories))]
    seen = finish(
        measure_exposure(
            writer,
            judge,
            stories,
            n_prompt=N_OPENING,
            n_tokens=N_STORY - N_OPENING,
            first_seed=context.first_seed,
        )
    )
    # another person's story goes on where the first breaks off
    places = slice(N_OPENING - 1, N_STORY - 1)
    spliced = [
        divergence(*(read_whole(lm, text)[places] for lm in (judge, writer)))
        for one, other in zip(stories, [*stories[1:], stories[0]], strict=True)
        for text in [[*one[:N_OPENING], *other[N_OPENING:]]]
    ]
    return finding(
        "At {n:count} positions {writer:text} errs by {true:nats} after true tokens and by "
        "{own:nats} after its own: KL({judge:text} ‖ {writer}).",
        judge_mean(
            "how much more it errs after its own tokens than after true ones",
            seen.excess,
            "stories",
            "fraction",
            above=BIAS,
        ),
        control="after another person’s story, spliced in, it errs by {spliced:nats}.",
        why="A smaller bias may be there: stories differ more than draws do.",
        ran_on=f"{writer.name}, judged by {judge.name}",
        numbers={"writer": writer.name, "judge": judge.name, "n": seen.forced.shape[1]}
        | {"true": seen.kl_forced, "own": np.nanmean(seen.kl_free), "spliced": np.mean(spliced)},
    )


@experiment("C40")
def context_works_forward(context: ExperimentContext) -> Finding:
    """An instruction put in first, after twelve tokens, and never."""
    n = context.n(24)
    seen = finish(
        place_instruction(
            context.lm, LILY, DRAGON, [WORD], Settings(temperature=0.8),
            n_before=12, n_tokens=40, n_texts=n, first_seed=context.first_seed,
        )
    )  # fmt: skip
    before, last = seen.n_before - 1, -1
    first, late, never = (seen.followed[name] for name in (FIRST, LATE, NEVER))
    return finding(
        "“{instruction:text}” was put in before the first token, or after {m:count}. By definition "
        "the {m} before it stay: {same:count} of {all:count} did. Among the first {m} tokens the "
        "word came up in {first:fraction} of the texts that had it first and in {late:fraction} of "
        "those that had it late; by the end in {late_end:fraction} of the latter.",
        judge_shares(
            "texts that follow it in time, less those without it",
            first[before],
            never[before],
            n,
            "texts",
        ),
        judge_shares(
            "texts that follow it late, by the end, less those without it",
            late[last],
            never[last],
            n,
            "texts",
        ),
        control="without it the word comes up in {never:fraction} of the texts by the end.",
        why="This model heeds it little, wherever it stands.",
        numbers={"instruction": DRAGON, "m": seen.n_before}
        | {"same": seen.n_same, "all": seen.n_first, "first": first[before], "late": late[before]}
        | {"late_end": late[last], "never": never[last]},
    )


@experiment("C43")
def long_texts_lose_the_thread(context: ExperimentContext) -> Finding:
    """How much of what a text's opening names comes back soon after it, and how much late."""
    books = [encode_bare(context.lm, book) for book in held_out("books")]
    start, n = encode(context.lm, "Once upon a time"), context.n(N_LONG)
    seen = finish(measure_thread(context.lm, start, LONG, n, books, context.first_seed))
    falls, of_books = (rows[:, 0] - rows[:, -1] for rows in (seen.written, seen.books))
    return finding(
        "Of the rare words of its first {part:count} tokens, the next {part} of a text hold "
        "{near:fraction} more than by chance, and the last {part} of {all:count} hold "
        "{far:fraction}. No text may end.",
        judge_mean(
            "how much less comes back late than soon; books lose what is asked for",
            falls,
            "texts",
            "fraction",
            above=float(of_books.mean()),
        ),
        control="in {books:count} pieces of books by people it is {soon:fraction} and "
        "{late:fraction}; by chance is what comes back of other texts’ openings.",
        why="Of a source that remembers nothing, nothing comes back more often than by chance.",
        numbers={"part": PART, "all": LENGTH, "books": len(seen.books)}
        | {"near": seen.written[:, 0], "far": seen.written[:, -1]}
        | {"soon": seen.books[:, 0], "late": seen.books[:, -1]},
    )


@experiment("C44")
def stop_go_back_choose_again(context: ExperimentContext) -> Finding:
    """Going back at once and going back late, after several prompts."""
    exact, short, good, bad = [], [], [], []
    for seed, prompt in enumerate(context.prompts(4)):
        start = Generation(context.lm, prompt, seed=context.first_seed + seed)
        start.step(WARM)
        ends = context.lm.end_ids  # after which nothing would be written
        worst = [one.token_id for one in options(start) if one.token_id not in ends][-1]
        left, *back = finish(compare_rewinds(start, worst, WARM, 16, (1, 8, 16)))
        exact += [way.n_passes - left.n_passes == way.n_discarded + 1 for way in back]
        good.append(back[0].surprise)
        bad.append(left.surprise)
        text = context.write(n=8, prompt=prompt)
        text.rewind(min(4, len(text.steps)))
        short.append(text.notice is None)
    return finding(
        "Going back after 1, 8 and 16 tokens cost as many passes again and one more. By definition "
        "the pointers then write the text that it would have been, its tokens at {good:nats} each; "
        "after the bad token they have {bad:nats}.",
        judge_all("ways back that cost what came after the bad token, and one pass", exact, "ways"),
        judge_all("ways back that read one token again, and not the whole text", short, "texts"),
        why="This model cannot take its last tokens back, so going back reads the whole text "
        "again.",
        numbers={"good": good, "bad": bad},
    )


@experiment("C45")
def when_to_use_the_loop(context: ExperimentContext) -> Finding:
    """What the table rests on: the loop's time per token, and what one pass does without it."""
    grows = loop.time_grows_with_output(context)
    scores = phases.one_pass_for_a_score(context)
    return finding(
        "The loop’s time grows with the text, and a score needs no loop: the list below the "
        "claims points to the measurements behind each row.",
        *grows.evidence,
        *scores.evidence,
        why="On this device one of the two measurements does not simply hold: see C03 and C30.",
    )
