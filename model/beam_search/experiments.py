"""Greedy decoding beside beam search and the exact best, from one prompt and for one length."""

import time

from model.beam_search import BeamSearch
from model.beam_search.best_first import BestFirstSearch
from model.beam_search.records import ScoredText, SearchComparison
from model.generation import Generation
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.tokenizing import labels_of, text_of


def compare_searches(
    lm: LanguageModel,
    prompt: str,
    n_beams: int,
    n_tokens: int,
    limit: int,
    end_ids: frozenset[int] | None = None,
) -> Work[SearchComparison]:
    """Searches greedily and with beams, then for the likeliest text of all.

    Each generates `n_tokens`, fewer where one of the `end_ids` (by default the model's own) comes
    first; the exact search may expand `limit` prefixes.

    Raises:
        ValueError: where there is no room after the prompt.
    """
    start = Generation(lm, prompt)
    searches = [
        BeamSearch(start, n, max_new_tokens=n_tokens, end_ids=end_ids) for n in (1, n_beams)
    ]
    yield Progress(0, limit, "greedy decoding and beam search")
    greedy, beam = _run("greedy", searches[0]), _run(f"{n_beams} beams", searches[1])
    # the exact search begins with the better of the two
    known = max(searches[0].run()[0], searches[1].run()[0], key=lambda text: text.total)
    exact = BestFirstSearch(start, n_tokens, (known.token_ids, known.logprobs), limit, end_ids)
    seconds = 0.0

    def comparison() -> SearchComparison:
        best = _scored(lm, "exact best", *exact.best, exact.n_expanded, seconds)
        proof = exact.limit, exact.is_proved, exact.upper_bound
        return SearchComparison(prompt, greedy, beam, best, *proof)

    while not exact.is_done:
        yield Progress(exact.n_expanded, limit, "best-first search", comparison)
        started = time.perf_counter()
        exact.step()
        seconds += time.perf_counter() - started
    return comparison()


def _run(name: str, search: BeamSearch) -> ScoredText:
    """Runs a search to its end, and returns its best text."""
    started = time.perf_counter()
    best = search.run()[0]
    seconds = time.perf_counter() - started
    n_expanded = sum(step.n_candidates for step in search.steps) // search.lm.vocab_size
    return _scored(search.lm, name, best.token_ids, best.logprobs, n_expanded, seconds)


def _scored(
    lm: LanguageModel,
    name: str,
    ids: tuple[int, ...],
    logprobs: tuple[float, ...],
    n_expanded: int,
    seconds: float,
) -> ScoredText:
    labels = labels_of(lm, ids)
    return ScoredText(name, labels, text_of(lm.tokenizer, ids), logprobs, n_expanded, seconds)
