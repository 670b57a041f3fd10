"""Constraints and search: C18, C20 and C21."""

from __future__ import annotations

from model.beam_search.costs import measure_costs
from model.beam_search.experiments import compare_searches
from model.claims.context import GREEDY, ExperimentContext, finding
from model.claims.records import Finding
from model.constraints.decoding import ConstrainedGeneration, Constraint
from model.draw import agreement
from model.generation import Generation
from model.job import finish
from model.sampling import Settings

HUNGRY, FOODS = "She was hungry, so she ate", " some bread\n her shoes"
KING = "Once there was a king who"
OPEN_ENDED = (KING, "The fish wanted to swim in the", "In the forest there was")
DEAD_END = 1e-3  # mass that the constraint leaves
WARM = Settings(temperature=0.3)
N_WARM = 10
N_BEAMS, N_BEST, LIMIT = 4, 4, 5_000


def c18_argmax_in_a_corner(context: ExperimentContext) -> Finding:
    """One of two answers by argmax, and by a little chance."""
    start = Generation(context.lm, HUNGRY)
    constraint = Constraint(context.lm, "choices", FOODS)
    cold, *warm = (
        _generate(start.fork(seed=seed), constraint, settings)
        for seed, settings in enumerate([GREEDY, *[WARM] * N_WARM])
    )
    least = min(step.mass for step in cold.steps)
    results = [generation.result() for generation in warm]
    texts = [result.text for result in results]
    n_out = sum(result.logprob > cold.text.logprob + 1 for result in results)
    is_dead_end = least < DEAD_END
    return finding(
        True if is_dead_end and n_out else "holds partly",
        "Argmax wrote “{cold}”; at its tightest the list left {mass} of the mass. At T = 0.3 "
        "{out} of {n} texts found a likelier way, and two of them agree with a chance of {chance}.",
        "On this model argmax met no dead end, or a little temperature did not get out of it.",
        cold=(cold.result().text.strip(), "text"),
        mass=(least, "fraction"),
        out=(n_out, "count"),
        n=(N_WARM, "count"),
        chance=(agreement(texts), "fraction"),
    )


def c20_greedy_is_locally_optimal(context: ExperimentContext) -> Finding:
    """Greedy, beams, and the proved best of a few tokens."""
    work = compare_searches(context.lm, KING, N_BEAMS, N_BEST, LIMIT, end_ids=frozenset())
    comparison = finish(work)
    greedy, best = comparison.greedy, comparison.best
    return finding(
        True if best.total > greedy.total + 1e-3 else "holds partly",
        "Of all texts of {n} tokens the best that is known has {best}, {beams} beams found {beam}, "
        "greedy {greedy}: {proved} after {expanded} expansions.",
        "On this prompt greedy happens to be the best.",
        n=(N_BEST, "count"),
        best=(best.total, "nats"),
        beams=(N_BEAMS, "count"),
        beam=(comparison.beam.total, "nats"),
        greedy=(greedy.total, "nats"),
        proved=("proved the best" if comparison.is_proved else "not proved the best", "text"),
        expanded=(best.n_expanded, "count"),
    )


def c21_beams_are_blander(context: ExperimentContext) -> Finding:
    """Log-probability and distinct pairs of a beam, beside greedy and sampling."""
    costs = finish(measure_costs(context.lm, OPEN_ENDED, N_BEAMS, 2 * context.n_tokens))
    greedy, beam, sampled, *_ = costs
    is_bland = beam.distinct[2] <= sampled.distinct[2]
    return finding(
        True if beam.logprob >= greedy.logprob and is_bland else "holds partly",
        "A beam’s texts have {beam} a token, greedy’s {greedy}, sampled ones {sampled}; of their "
        "pairs of tokens {bland} are different, of the sampled ones’ {rich}.",
        "On these prompts the beam gained nothing, or was no blander.",
        beam=(beam.logprob, "nats"),
        greedy=(greedy.logprob, "nats"),
        sampled=(sampled.logprob, "nats"),
        bland=(beam.distinct[2], "fraction"),
        rich=(sampled.distinct[2], "fraction"),
    )


def _generate(
    text: Generation, constraint: Constraint, settings: Settings
) -> ConstrainedGeneration:
    """Generates a text under a constraint, to its end."""
    generation = ConstrainedGeneration(text, constraint)
    while not generation.is_done:
        generation.step(settings)
    return generation
