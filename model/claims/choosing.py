"""Choosing: C12, C15 to C17, C19 and C49, on the logits of the model at hand."""

from collections import Counter
from collections.abc import Sequence
from statistics import mode

import numpy as np

from model.causal_mask.attention import read_text
from model.chi_square import chi_square
from model.claims.context import GREEDY, ExperimentContext
from model.claims.exact import rounding
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_share, judge_some
from model.draw import count_draws, draw, rank_order
from model.generation import Generation
from model.held_out import held_out
from model.records import FloatArray, Stage
from model.sampling import ORDERS, Settings, process
from model.sampling.experiments import apply_alone, find_loop, first_word
from model.tokenizing import encode, text_of

N_DRAWS = 2000
# of a map of the sliders: columns, rows, and the pointers that each take a map of their own
TEMPERATURES = (0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0)
SHARES = (0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
POINTERS = (0.2, 0.62, 0.95)
N_VOTES, N_VOTE_TOKENS = 9, 4
N_ASKED = 360  # words: of fewer the verdict is that of the seeds
N_WORDS, N_READ = 40, 40  # words of a story before the first that is asked for; tokens read


@experiment("C12")
def greedy_repeats_itself(context: ExperimentContext) -> Finding:
    """The same text every time; and a loop, where this model falls into one."""
    n, rows = 4 * context.n_tokens, [encode(context.lm, text) for text in context.prompts(10)]
    rows = [row[-min(map(len, rows)) :] for row in rows]
    first, again = (context.write_many(rows, GREEDY, n) for _ in range(2))
    sampled = context.write_many(rows, Settings(), n)
    loops = [find_loop(text) is not None for text in first]
    best = [_are_best(context, row, text) for row, text in zip(rows, first, strict=True)]
    n_sampled = sum(find_loop(text) is not None for text in sampled)
    return finding(
        "Greedy decoding wrote up to {n:count} tokens after each of {prompts:count} prompts, "
        "twice.",
        judge_all("the second text is the first", list(map(list.__eq__, first, again)), "prompts"),
        judge_all("every token is the best of one pass over the text", best, "prompts"),
        judge_some("texts that end in a phrase said three times or more", loops, "prompts"),
        control="of texts sampled at T = 1, {sampled:count} of {prompts} end in a loop.",
        why="No text fell into a loop here.",
        numbers={"n": n, "prompts": len(rows), "sampled": n_sampled},
    )


def _are_best(context: ExperimentContext, prompt: Sequence[int], text: Sequence[int]) -> bool:
    """Tells whether one pass over a text finds each of its tokens best, but for rounding."""
    ids = [*prompt, *text[:-1]]
    logits, _ = read_text(context.lm, ids)
    bar = 2 * rounding(context.lm, ids, logits) * np.abs(logits).max()  # of either logit
    rows = logits[len(prompt) - 1 :]
    return bool((rows[np.arange(len(text)), list(text)] >= rows.max(axis=-1) - bar).all())


@experiment("C15")
def strategies_keep_different_sets(context: ExperimentContext) -> Finding:
    """What top-k, top-p and min-p keep of the same logits, after many prompts."""
    masks = {"top_k": 10, "top_p": 0.9, "min_p": 0.1}
    sizes = []
    for prompt in context.prompts(12):
        logits = Generation(context.lm, prompt).logits
        # each keeps the best so many: sets are different where their sizes are
        sizes.append([int(apply_alone(logits, *mask).kept.sum()) for mask in masks.items()])
    k, p, m = zip(*sizes, strict=True)
    return finding(
        "On average top-k 10 keeps {k:number} tokens, top-p 0.9 {p:number}, min-p 0.1 {m:number}.",
        judge_share(
            "all three sets are different", [len(set(row)) == 3 for row in sizes], "prompts"
        ),
        numbers={"k": k, "p": p, "m": m},
    )


@experiment("C16")
def a_seed_is_a_text(context: ExperimentContext) -> Finding:
    """The same seed, the same text; other seeds, other texts; and the draws follow the bars."""
    n = context.n(6)
    texts, again = (
        [context.write(Settings(), seed=seed).ids for seed in range(n)] for _ in range(2)
    )
    stage = _last(Generation(context.lm, context.prompt), Settings(top_p=0.9))
    seeds = range(context.first_seed, context.first_seed + n)
    drawn = np.sum([count_draws(stage, N_DRAWS, seed) for seed in seeds], axis=0)
    others = [one != other for one, other in zip(texts, [*texts[1:], texts[0]], strict=True)]
    return finding(
        "Each of {n:count} seeds wrote {tokens:count} tokens twice; then {draws:count} tokens were "
        "drawn by each.",
        judge_all(
            "the same seed gives the same text", list(map(list.__eq__, texts, again)), "seeds"
        ),
        judge_share("another seed gives another text", others, "pairs of seeds"),
        judge_all(
            "all draws together follow the bars (chi-square, p > 0.001)",
            [chi_square(drawn, stage.probs).p_value > 1e-3],
            "distributions",
        ),
        numbers={"n": n, "tokens": context.n_tokens, "draws": N_DRAWS},
    )


@experiment("C17")
def a_vote_without_chance_is_void(context: ExperimentContext) -> Finding:
    """The next word of held-out stories: by one sample, by a vote, and by greedy copies."""
    questions, answers = _next_words(context)
    rows = [encode(context.lm, question)[-N_READ:] for question in questions]
    greedy = context.write_many(rows, GREEDY, N_VOTE_TOKENS)
    sampled = context.write_many(rows, Settings(temperature=0.7), N_VOTE_TOKENS, N_VOTES)
    copies, words = (
        [first_word(text_of(context.lm.tokenizer, ids)) for ids in texts]
        for texts in (greedy, sampled)
    )
    votes = [words[i : i + N_VOTES] for i in range(0, len(words), N_VOTES)]
    is_copied = list(map(str.__eq__, copies, answers))
    single = [votes[i].count(answer) / N_VOTES for i, answer in enumerate(answers)]
    voted = [mode(votes[i]) == answer for i, answer in enumerate(answers)]
    gain, unread = np.subtract(voted, single), _gain_unread(votes, answers)
    return finding(
        "By definition {n:count} answers at T = 0 are copies, so their vote is one answer: it "
        "names the next word of a held-out story in {copies:fraction} of the cases. At T = 0.7 one "
        "sample does in {single:fraction}, the vote of {n} in {voted:fraction}.",
        judge_mean(
            "what the vote gains over one sample, less what it gains on other places’ words",
            gain - unread,
            "words",
            "fraction",
        ),
        control="held against the words of all other places a vote gains {unread:fraction}: that "
        "much comes of frequent words, without reading.",
        numbers={
            "unread": unread,
            "n": N_VOTES,
            "copies": is_copied,
            "single": single,
            "voted": voted,
        },
    )


def _gain_unread(votes: Sequence[Sequence[str]], answers: Sequence[str]) -> FloatArray:
    """Returns what each vote gains over one of its samples, held against all places' answers."""
    share = Counter(answers)
    return np.array(
        [share[mode(words)] - np.mean([share[word] for word in words]) for words in votes]
    ) / len(answers)


def _next_words(context: ExperimentContext) -> tuple[list[str], list[str]]:
    """Returns beginnings of held-out stories, and the word that follows each."""
    stories = [story.split() for story in held_out("stories")]
    n_each = max(1, context.n(N_ASKED) // len(stories))
    asked = [
        (words, int(place))
        for words in stories
        for place in np.linspace(N_WORDS, len(words) - 1, n_each)
    ]
    questions = [" ".join(words[:place]) for words, place in asked]
    return questions, [first_word(words[place]) for words, place in asked]


@experiment("C19")
def order_matters(context: ExperimentContext) -> Finding:
    """Top-p before a hot temperature keeps less than after it."""
    kept = []
    for prompt in context.prompts(12):
        text = Generation(context.lm, prompt)
        hot, cold = (
            [
                int(_last(text, Settings(temperature=t, top_p=0.9, order=ORDERS[name])).kept.sum())
                for name in ("transformers", "llama.cpp")
            ]
            for t in (1.8, 1.0)
        )
        kept.append((*hot, cold[0] == cold[1]))
    before, after, same = zip(*kept, strict=True)
    return finding(
        "T = 1.8 and top-p 0.9 on the same logits keep {before:number} tokens on average with "
        "temperature first, as in transformers, and {after:number} with temperature last, as in "
        "llama.cpp.",
        judge_share("the order changes what is kept", [a != b for a, b, _ in kept], "prompts"),
        control="at T = 1 both orders keep the same in {same:fraction} of the prompts.",
        numbers={"before": before, "after": after, "same": same},
    )


@experiment("C49")
def sliders_only_fall(context: ExperimentContext) -> Finding:
    """Maps of the sliders for some pointers: each step down is compared with where it began."""
    maps = np.array([_ranks_on_map(context, prompt) for prompt in context.prompts(8)])
    changes = (np.ptp(maps, axis=(2, 3)) > 0).ravel().tolist()
    colder, narrower = (np.diff(maps, axis=axis).ravel() for axis in (2, 3))
    return finding(
        "On {maps:count} maps of {points:count} points the token changed in {changed:count} of "
        "{steps:count} steps from a point to the next lower one; the largest fall was over "
        "{fall:count} ranks.",
        judge_all(
            "a step down in temperature takes no less likely token", (colder >= 0).tolist(), "steps"
        ),
        judge_all(
            "a step down in top-p takes no less likely token", (narrower >= 0).tolist(), "steps"
        ),
        judge_some("the token changes on the map", changes, "maps"),
        numbers={
            "maps": maps.shape[0] * maps.shape[1],
            "points": maps.shape[2] * maps.shape[3],
            "changed": int(np.count_nonzero(colder) + np.count_nonzero(narrower)),
            "steps": colder.size + narrower.size,
            "fall": int(max(colder.max(), narrower.max())),
        },
    )


def _ranks_on_map(context: ExperimentContext, prompt: str) -> list[list[list[int]]]:
    """Returns the rank of the token that each pointer takes at each point of the plane."""
    text = Generation(context.lm, prompt)
    rank_of = np.argsort(rank_order(text.logits))
    plane = [[_last(text, Settings(temperature=t, top_p=p)) for p in SHARES] for t in TEMPERATURES]
    return [
        [[int(rank_of[draw(stage, pointer)]) for stage in column] for column in plane]
        for pointer in POINTERS
    ]


def _last(text: Generation, settings: Settings) -> Stage:
    stage = process(text.logits, text.ids, settings, text.n_prompt)[-1]
    assert np.isfinite(stage.probs).all()
    return stage
