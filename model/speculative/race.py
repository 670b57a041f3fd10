"""One text with a draft and without, on one clock: of a few runs the middle one is shown."""

from collections.abc import Callable, Sequence

from model.job import Progress, Work
from model.language_model import LanguageModel
from model.speculative.decoding import decode_baseline, decode_with_draft
from model.speculative.drafting import Drafter, new_batch
from model.speculative.records import DraftRace

N_RUNS = 5


def race_with_draft(
    lm: LanguageModel,
    make_drafter: Callable[[], Drafter],
    prompt_ids: Sequence[int],
    n_draft: int,
    n_tokens: int,
) -> Work[DraftRace]:
    """Times a text without and with a draft, alternating, after one run to warm up."""
    races: list[DraftRace] = []
    for run in range(N_RUNS + 1):
        yield Progress(run, N_RUNS + 1, "runs")
        text, plain_seconds = decode_baseline(new_batch(lm), prompt_ids, n_tokens)
        drafter = make_drafter()
        drafted, rounds = decode_with_draft(lm, drafter, prompt_ids, n_draft, n_tokens)
        races.append(
            DraftRace(
                draft=drafter.name,
                prompt_ids=tuple(prompt_ids),
                token_ids=tuple(text[len(prompt_ids) :]),
                plain_seconds=plain_seconds,
                rounds=tuple((one.seconds, len(one.token_ids)) for one in rounds),
                is_same=drafted == text,
                guesses=tuple((one.n_accepted, one.rejected_id) for one in rounds),
            )
        )
    ranked = sorted(races[1:], key=lambda race: race.plain_seconds / race.seconds)
    return ranked[len(ranked) // 2]
