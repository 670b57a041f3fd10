"""The loop: C01 to C11, and the pieces that texts are made of (C41)."""

from __future__ import annotations

import inspect
import math
from itertools import pairwise

import numpy as np

from model.batch import score
from model.claims.cache import keeps
from model.claims.context import GREEDY, ExperimentContext, moved_mass, softmax_of
from model.claims.records import Finding
from model.claims.verdicts import finding, judge_all, judge_mean, judge_ratio
from model.generation import Generation
from model.passes import prefill
from model.sampling import Settings
from model.source_code import source_of
from model.tokenizing import encode, encode_bare, pieces

STILL = 0.01  # of the probability: rounding moves far less, another text far more
EARLY_WORD = "The {} saw a big red ball. It wanted to"
ANIMALS = ("cat", "bird", "fish", "dog", "bear", "frog", "horse", "duck")
COMMON = ("house", "water", "little", "mother", "happy", "garden", "friend", "morning")
RARE = ("axiom", "xylem", "zither", "quasar", "epoxy", "plinth", "fjords", "quixote")


def c01_one_loop(context: ExperimentContext) -> Finding:
    """What a step writes, the next one reads: the loop beside a fresh pass over the whole text."""
    moved, unread = [], []
    for prompt in context.prompts(3):
        text = Generation(context.lm, prompt)
        while len(text.steps) < 8 and not text.finished:
            before = text.logits
            text.step(GREEDY)
            fresh, _ = prefill(context.lm, text.ids, None)
            moved.append(moved_mass(fresh, text.logits))
            unread.append(moved_mass(fresh, before))
    return finding(
        "After every step the loop’s next distribution is that of one pass over the whole text: "
        "they differ by {gap:fraction} of the probability at most.",
        judge_all("the two are the same", [gap < STILL for gap in moved], "steps"),
        control="without its newest token a pass gives a distribution that differs by "
        "{unread:fraction}.",
        numbers={"gap": max(moved), "unread": unread},
    )


def c02_only_forward(context: ExperimentContext) -> Finding:
    """Going back crops the cache, and another token there makes another text."""
    text = context.write()
    n_back = len(text.steps) // 2
    other = text.fork()
    other.rewind(n_back)
    n_kept, n_before = len(other.ids), len(other.passes)
    other.step(token_id=int(np.argsort(other.logits)[-2]))
    while len(other.ids) < len(text.ids) and not other.finished:
        other.step(GREEDY)
    n_passes = len(other.passes) - n_before
    n_same = sum(a == b for a, b in zip(text.ids[n_kept:], other.ids[n_kept:], strict=False))
    return finding(
        "We took {back:count} tokens back and chose the second best there: the {kept:count} before "
        "them stayed, {passes:count} passes wrote what follows anew, and {same:count} of its "
        "places hold the same token as before.",
        numbers={"back": n_back, "kept": n_kept, "passes": n_passes, "same": n_same},
    )


def c03_time_grows_with_output(context: ExperimentContext) -> Finding:
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
        ),
        control="a time that does not depend on the length gives 1, one that grows evenly 2.",
        why="A fixed cost, or other work of this machine, takes part of the time.",
        numbers={"n": n, "seconds": whole, "half": half},
    )


def c04_one_logit_per_token(context: ExperimentContext) -> Finding:
    """As many logits as entries in the vocabulary; softmax makes them sum to one."""
    logits = Generation(context.lm, context.prompt).logits
    total = softmax_of(logits).sum()
    return finding(
        "This pass gave {n:count} logits for {vocab:count} entries; their softmax sums to "
        "{total:number}.",
        numbers={"n": logits.size, "vocab": context.lm.vocab_size, "total": total},
    )


def c05_it_stops(context: ExperimentContext) -> Finding:
    """An end token ends the text, and so does the limit."""
    limit, n_ends = 4 * context.n_tokens, len(context.lm.end_ids)
    texts = context.write_many([context.ids(6)], Settings(), limit, n_each=context.n(12))
    n_ended = sum(len(text) < limit for text in texts)
    ends = f"{n_ends or 'no'} end token{'s'[: n_ends != 1]}"
    return finding(
        "Of {n:count} sampled texts {ended:count} drew an end token within {limit:count} tokens "
        "and stopped there, the others stopped at that limit; the model has {ends:text}.",
        numbers={"n": len(texts), "ended": n_ended, "limit": limit, "ends": ends},
    )


def c06_the_worked_table(context: ExperimentContext) -> Finding:
    """What the prompt's pass keeps, and what each token adds, counted in the tensors."""
    each, passes = context.lm.cache_shape.bytes_per_token, context.write(n=5).passes
    grows = [after.cache_bytes - before.cache_bytes for before, after in pairwise(passes)]
    return finding(
        "{model:text} keeps {kept:text}. The prompt’s {prompt:count} tokens left {first:bytes} in "
        "one pass; each further pass added {more:bytes}.",
        judge_all(
            "passes that add one token’s keys and values", [0 < each == b for b in grows], "passes"
        ),
        why="What it keeps does not grow by one entry for each token.",
        numbers={"model": context.lm.name, "kept": keeps(context.lm), "prompt": passes[0].n_input}
        | {"first": passes[0].cache_bytes, "more": max(grows, default=0)},
    )


def c07_the_code_that_ran(context: ExperimentContext) -> Finding:
    """The lines beside the picture are those of the function that ran."""
    step = type(context.write(n=1)).step
    ran = [line.strip() for line in inspect.getsource(inspect.unwrap(step)).splitlines()]
    lines = [line.strip() for line in source_of(step).lines if line.strip()]
    return finding(
        "The page reads its lines from the function itself: {same:count} of {n:count} stand in the "
        "one that wrote this text.",
        numbers={"same": sum(line in ran for line in lines), "n": len(lines)},
    )


def c08_streaming(context: ExperimentContext) -> Finding:
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


def c09_the_chain_rule(context: ExperimentContext) -> Finding:
    """The running sum of the loop beside one pass over the finished text."""
    text = context.write(Settings(), n=12)
    (logprobs,), _ = score(context.lm, text.prompt_ids, [text.ids[text.n_prompt :]])
    return finding(
        "Over {n:count} tokens the loop’s running sum is {sum:nats}. One pass over the finished "
        "text, with teacher forcing, gives {log:nats}.",
        numbers={"n": len(text.steps), "sum": text.logprob, "log": math.fsum(logprobs)},
    )


def c10_the_whole_context_counts(context: ExperimentContext) -> Finding:
    """Another early word, another late distribution."""
    texts = [EARLY_WORD.format(animal) for animal in ANIMALS[: context.n(len(ANIMALS))]]
    rows = [Generation(context.lm, text).logits for text in texts]
    again = Generation(context.lm, texts[0]).logits
    moved = list(map(moved_mass, rows, rows[1:]))
    return finding(
        "“{text:text}” was continued with other animals in the second place.",
        judge_mean(
            "probability that another early word moves",
            moved,
            "pairs of words",
            "fraction",
            above=STILL,
        ),
        control="the same word again moves {same:fraction}.",
        why="This model hardly looks so far back.",
        numbers={"text": texts[0], "same": moved_mass(rows[0], again)},
    )


def c11_no_draft(context: ExperimentContext) -> Finding:
    """One pass leaves one distribution for what follows, and nothing after it."""
    text = Generation(context.lm, context.prompt)
    return finding(
        "After the prompt’s pass there is one distribution over {vocab:count} tokens, for the next "
        "position alone, and {written:count} tokens are written.",
        numbers={"vocab": text.logits.size, "written": len(text.steps)},
    )


def c41_pieces_not_words(context: ExperimentContext) -> Finding:
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
