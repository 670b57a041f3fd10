"""The loop: C01, C03, C06, C08 and C10, and the pieces that texts are made of (C41)."""

from itertools import pairwise

import numpy as np

from model.batch import Batch
from model.causal_mask.attention import read_text
from model.claims.cache import keeps
from model.claims.context import ExperimentContext, moved_mass
from model.claims.exact import long_text, parts_of, rounding
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_ratio
from model.draw import best_except
from model.generation import Generation
from model.kv_cache import can_crop
from model.passes import prefill
from model.tokenizing import encode, encode_bare, pieces

STILL = 0.01  # of the probability: rounding moves far less, another text far more
LEAST = 1e-6  # of the largest logit: what moves none by more does not count
N_PLACES = 64  # tokens of a text, each of which has to count
EARLY_WORD = "The {} saw a big red ball. It wanted to"
ANIMALS = ("cat", "bird", "fish", "dog", "bear", "frog", "horse", "duck")
COMMON = ("house", "water", "little", "mother", "happy", "garden", "friend", "morning")
RARE = ("axiom", "xylem", "zither", "quasar", "epoxy", "plinth", "fjords", "quixote")


@experiment("C01")
def one_loop(context: ExperimentContext) -> Finding:
    """What a step writes, the next one reads: the loop beside a fresh pass over the whole text."""
    moved, unread = list[float](), list[list[float]]()
    for prompt in context.prompts(3):
        unread.append([])
        text = Generation(context.lm, prompt)
        while len(text.steps) < 8 and not text.finished:
            before = text.logits
            text.step(token_id=best_except(before, context.lm.end_ids))
            if text.finished:
                break  # no pass ran, so there is nothing to compare
            fresh, _ = prefill(context.lm, text.ids, None)
            moved.append(moved_mass(fresh, text.logits))
            unread[-1].append(moved_mass(fresh, before))
    long, gaps, bar = _long_loop(context)
    return finding(
        "After every step the loop’s next distribution is that of one pass over the whole text: "
        "they differ by {gap:fraction} of the probability at most. In a text of {long:count} "
        "tokens a logit moves by {logits:number} at most, where rounding may move one by "
        "{bar:number}.",
        judge_all("the two are the same", [gap < STILL for gap in moved], "steps"),
        judge_all(
            "the same to rounding, all over a long text", [gap <= bar for gap in gaps], "steps"
        ),
        judge_all(
            "texts whose newest tokens count",
            [float(np.mean(gaps)) > STILL for gaps in unread],
            "texts",
        ),
        control="without its newest token a pass gives a distribution that differs by "
        "{unread:fraction}.",
        numbers={"gap": max(moved), "unread": np.concatenate(unread)}
        | {"long": len(long), "logits": max(gaps), "bar": bar},
    )


def _long_loop(context: ExperimentContext) -> tuple[list[int], list[float], float]:
    """Lets the loop append a given text, and compares its logits with those of one pass over it.

    Returns:
        The text, the largest difference of any logit after each of some steps, and its bar.
    """
    ids, gaps = long_text(context), list[float]()
    truth, _ = read_text(context.lm, ids)
    for first, end in parts_of(len(ids)):
        text = Generation(context.lm, ids[:first])
        for place in range(first, end):
            text.step(token_id=ids[place])
            if text.finished:
                break
            gaps.append(float(np.abs(text.logits - truth[place]).max()))
    return ids, gaps, rounding(context.lm, ids, truth) * float(np.abs(truth).max())


@experiment("C03")
def time_grows_with_output(context: ExperimentContext) -> Finding:
    """The time that several answers take, and that of the first half of their tokens."""
    n, ids = 2 * context.n_tokens, encode(context.lm, context.prompt)
    context.answer(ids, 2)  # warms up
    answers = [context.answer(ids, n) for _ in range(context.n(8))]
    whole = [one.seconds for one in answers]
    half = [one.first_seconds + sum(one.gaps[: n // 2 - 1]) for one in answers]
    return finding(
        "{n:count} tokens took {n} passes, one over the prompt and then one for each further "
        "token: {seconds:seconds}, the first half of them {half:seconds}.",
        judge_ratio(
            "seconds for all tokens over those for half of them",
            whole,
            half,
            "runs",
            above=1.5,
            partly=1.1,
            below=2.5,
        ),
        control="a time that does not depend on the length gives 1, one that grows evenly 2, one "
        "that grows as the square 4.",
        why="A fixed cost, or other work of this machine, takes part of the time.",
        numbers={"n": n, "seconds": whole, "half": half},
    )


@experiment("C06")
def the_worked_table(context: ExperimentContext) -> Finding:
    """What the prompt's pass keeps, and what each token adds, counted in the tensors."""
    each, passes = context.lm.cache_shape.bytes_per_token, context.write(n=5).passes
    grows = [after.cache_bytes - before.cache_bytes for before, after in pairwise(passes)]
    first, has_states = passes[0], not can_crop(context.lm.config)  # these have a size of their own
    added = grows if has_states else [first.cache_bytes / first.n_input, *grows]
    return finding(
        "{model:text} keeps {kept:text}. The prompt’s {prompt:count} tokens left {first:bytes} in "
        "one pass; each further pass added {more:bytes}.",
        judge_all(
            "passes that add the keys and values of each token that they read",
            [0 < each == one for one in added],
            "passes",
        ),
        why="What it keeps does not grow by one entry for each token.",
        numbers={"model": context.lm.name, "kept": keeps(context.lm), "prompt": passes[0].n_input}
        | {"first": passes[0].cache_bytes, "more": max(grows, default=0)},
    )


@experiment("C08")
def streaming(context: ExperimentContext) -> Finding:
    """The first token is there long before the last."""
    ids = encode(context.lm, context.prompt)
    answers = [context.answer(ids, context.n_tokens) for _ in range(context.n(6) + 1)][1:]
    first, whole = ([one.first_seconds for one in answers], [one.seconds for one in answers])
    return finding(
        "The first token could be shown after {first:seconds}, all {n:count} after {all:seconds}.",
        judge_ratio(
            "wait for the whole text over the wait for its first token",
            whole,
            first,
            "runs",
            above=2,
            partly=1.1,
        ),
        why="The prompt took most of the time, so streaming gains little.",
        numbers={"first": first, "n": context.n_tokens, "all": whole},
    )


@experiment("C10")
def the_whole_context_counts(context: ExperimentContext) -> Finding:
    """Another early word, another late distribution."""
    texts = [EARLY_WORD.format(animal) for animal in ANIMALS[: context.n(len(ANIMALS))]]
    rows = [Generation(context.lm, text).logits for text in texts]
    again = Generation(context.lm, texts[0]).logits
    moved = list(map(moved_mass, rows, rows[1:]))
    counts = _places_that_count(context)
    return finding(
        "“{text:text}” was continued with other animals in the second place. Then each of the "
        "{long:count} tokens of a story was replaced in turn: {counts:count} of these changes "
        "moved the distribution after it.",
        judge_mean(
            "probability that another early word moves",
            moved,
            "pairs of words",
            "fraction",
            above=STILL,
        ),
        judge_all("tokens that move the distribution after the text", counts, "tokens"),
        control="the same word again moves {same:fraction}.",
        why="This model hardly looks so far back, or not everywhere.",
        numbers={"text": texts[0], "same": moved_mass(rows[0], again)}
        | {"long": len(counts), "counts": sum(counts)},
    )


def _places_that_count(context: ExperimentContext) -> list[bool]:
    """Replaces each token of a story by the next other one; rows of one pass are rounded alike."""
    ids = long_text(context)[:N_PLACES]
    rows = [list(ids) for _ in range(len(ids) + 2)]  # the first and the last stay as they are
    for place, row in enumerate(rows[1:-1]):
        others = (ids[(place + i) % len(ids)] for i in range(len(ids)))
        row[place] = next(other for other in others if other != ids[place])
    first, *changed, last = Batch(context.lm, rows).logits
    noise = max(8 * np.abs(first - last).max(), LEAST * np.abs(first).max())
    return [bool(np.abs(row - first).max() > noise) for row in changed]


@experiment("C41")
def pieces_not_words(context: ExperimentContext) -> Finding:
    """The tokens of common words and of rare ones of the same length."""
    common, rare = (
        [len(encode_bare(context.lm, f" {word}")) for word in words] for words in (COMMON, RARE)
    )
    text = "Unbelievably, the naïve crocodile paid 12345 € for a 🍓"
    ids = encode(context.lm, text)
    parts = [piece for piece in pieces(context.lm.tokenizer, ids) if not piece.special]
    return finding(
        "“{text:text}” is {words:count} words and {tokens:count} tokens. Rare words such as "
        "“{rare:text}” take {many:number} tokens on average.",
        judge_mean(
            "tokens of a rare word, less those of a common one as long",
            np.subtract(rare, common),
            "pairs of words",
        ),
        control="common words such as “{common:text}” take {few:number}.",
        numbers={"text": text, "words": len(text.split()), "tokens": len(parts)}
        | {"rare": RARE[0], "many": rare, "common": COMMON[0], "few": common},
    )
