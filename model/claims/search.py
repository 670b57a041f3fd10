"""Constraints and search: C18, C20, C21 and C46."""

import math
from collections.abc import Sequence

import numpy as np

from model.batch import read_whole
from model.beam_search import BeamSearch
from model.beam_search.best_first import BestFirstSearch
from model.beam_search.costs import measure_costs
from model.beam_search.experiments import compare_searches
from model.claims.context import GREEDY, ExperimentContext
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_share, judge_some
from model.constraints.decoding import ConstrainedGeneration, Constraint
from model.constraints.experiments import compare_methods
from model.generation import Generation
from model.job import finish
from model.language_model import LanguageModel
from model.masks import log_softmax

CHOICES = (  # where the likelier first token leads to the less likely whole, for the storyteller
    ("She was hungry, so she ate", " some bread\n her shoes"),
    ("He was thirsty, so he drank", " some water\n his shoes"),
    ("She was tired, so she went to", " her bed\n the kitchen to fly"),
)
DEAD_END = 1e-3  # mass that the constraint leaves
MILD = (0.1, 0.2, 0.3)  # temperatures
N_BEAMS, N_BEST, LIMIT = 4, 4, 5_000
COLD = 0.02  # temperature


@experiment("C18")
def argmax_in_a_corner(context: ExperimentContext) -> Finding:
    """Answers from a list by argmax, by a little chance, and by looking ahead."""
    dead, warm, beams, tightest = [], [], [], 1.0
    for prompt, choices in CHOICES:
        start, constraint = (
            Generation(context.lm, prompt),
            Constraint(context.lm, "choices", choices),
        )
        cold = ConstrainedGeneration(start.fork(), constraint)
        while not cold.is_done:
            cold.step(GREEDY)
        argmax, *sampled, beam = finish(
            compare_methods(start, constraint, context.n(5), context.first_seed)
        )
        least = min(step.mass for step in cold.steps)
        dead.append(least < DEAD_END and beam.logprob > argmax.logprob)
        if dead[-1]:
            tightest = min(tightest, least)
            beams.append(beam.escape_rate > 0)
            mild = [method for method in sampled if method.temperature in MILD]
            for method in mild:
                n_out = round(method.escape_rate * method.n_texts)
                warm += [True] * n_out + [False] * (method.n_texts - n_out)
    met = judge_some("argmax meets a dead end, and a likelier answer is on the list", dead, "lists")
    if not any(dead):
        return finding("Argmax wrote the likeliest answer of every list.", met)
    return finding(
        "Where argmax ended in a dead end, its list left {mass:fraction} of the probability at the "
        "tightest place.",
        met,
        judge_share(
            "texts at T = 0.1 to 0.3 that find a likelier answer", warm, "texts", partly=0.02
        ),
        judge_some("a search with four beams finds it", beams, "dead ends"),
        control="argmax itself finds it never, as it has no chance.",
        why="A little temperature gets out now and then, not as a rule.",
        numbers={"mass": tightest},
    )


@experiment("C20")
def greedy_is_locally_optimal(context: ExperimentContext) -> Finding:
    """Greedy, beams, and the proved best of a few tokens."""
    compared = [
        finish(compare_searches(context.lm, prompt, N_BEAMS, N_BEST, LIMIT, end_ids=frozenset()))
        for prompt in context.prompts(10)
    ]
    gains = [one.best.total - one.greedy.total for one in compared]
    n_proved = sum(one.is_proved for one in compared)
    n_found = sum(one.best.total - one.beam.total < 1e-3 for one in compared)
    return finding(
        "Of all texts of {n:count} tokens the best that is known is {gain:nats} likelier than "
        "greedy’s on average; for {proved:count} of {all:count} prompts it is proved the best. "
        "{beams:count} beams found it for {found:count}.",
        judge_some("another text is likelier than greedy’s", [g > 1e-3 for g in gains], "prompts"),
        numbers={"n": N_BEST, "gain": gains, "proved": n_proved, "all": len(compared)}
        | {"beams": N_BEAMS, "found": n_found},
    )


@experiment("C21")
def beams_are_blander(context: ExperimentContext) -> Finding:
    """Log-probability and distinct pairs of a beam, beside greedy and sampling, by prompt."""
    costs = [
        finish(
            measure_costs(
                context.lm, [prompt], N_BEAMS, 3 * context.n_tokens // 2, context.first_seed + place
            )
        )[:3]
        for place, prompt in enumerate(context.prompts(20))
    ]
    greedy, beam, sampled = zip(*costs, strict=True)
    gains = [b.logprob - g.logprob for g, b in zip(greedy, beam, strict=True)]
    by_greedy = [g.logprob - s.logprob for g, s in zip(greedy, sampled, strict=True)]
    bland = [s.distinct[2] - b.distinct[2] for b, s in zip(beam, sampled, strict=True)]
    return finding(
        "A beam’s texts gain {gain:nats} a token over greedy’s. Of their pairs of tokens "
        "{bland:fraction} are different.",
        judge_mean(
            "what greedy gains over sampling, less what the beam gains over greedy, a token",
            [g - b for g, b in zip(by_greedy, gains, strict=True)],
            "prompts",
            "nats",
        ),
        judge_mean(
            "different pairs of sampled texts, less the beam’s", bland, "prompts", "fraction"
        ),
        control="greedy gains {greedy:nats} a token over sampling; of sampled texts’ pairs "
        "{rich:fraction} are different.",
        numbers={"gain": gains, "greedy": by_greedy}
        | {"bland": [b.distinct[2] for b in beam], "rich": [s.distinct[2] for s in sampled]},
    )


@experiment("C46")
def cold_sampling_goes_to_greedy(context: ExperimentContext) -> Finding:
    """Greedy's text and the likeliest, at T = 1 and at a temperature near 0, where they differ."""
    differ, cold, warm = [], [], []
    for prompt in context.prompts(10):
        start = Generation(context.lm, prompt)
        none: frozenset[int] = frozenset()
        greedy = BeamSearch(start, 1, max_new_tokens=N_BEST, end_ids=none).run()[0]
        known = greedy.token_ids, greedy.logprobs
        search = BestFirstSearch(start, N_BEST, known, LIMIT, none)
        while not search.is_done:
            search.step()
        differ.append(search.best != known)
        if differ[-1]:
            texts = [start.ids + list(ids) for ids in (greedy.token_ids, search.best[0])]
            of_greedy, of_best = (logprob_at(context.lm, ids, COLD) for ids in texts)
            cold.append(of_greedy > of_best)
            warm.append(math.exp(of_best))
    met = judge_some("another text is likelier than greedy's", differ, "prompts")
    if not any(differ):
        return finding("Greedy's text was the likeliest after every prompt.", met)
    return finding(
        "After {n:count} prompts a text is likelier than greedy's. At T = {cold:number} sampling "
        "writes it with a probability of {warm:fraction}.",
        judge_all("sampled near T = 0, greedy's text is the likelier one", cold, "prompts"),
        numbers={"n": len(cold), "cold": COLD, "warm": warm},
    )


def logprob_at(lm: LanguageModel, ids: Sequence[int], temperature: float) -> float:
    """Returns the log-probability of a text's last tokens, each sampled at a temperature."""
    rows = log_softmax(read_whole(lm, ids[:-1], N_BEST) / temperature)
    return float(rows[np.arange(N_BEST), ids[-N_BEST:]].sum())
