"""The speculative lesson's first part: one text with a draft and without, on one clock."""

import codecs
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import streamlit as st

from model.job import Job
from model.speculative.decoding import decode_baseline, decode_with_draft
from model.speculative.race import race_with_draft
from model.speculative.records import DraftRace
from model.tokenizing import bytes_at, encode_within, text_of
from pages.frame.course import show_summary
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_caption
from pages.frame.job_panel import measured_on
from pages.frame.question import answered, was_answered
from pages.frame.race import TOLD, Lane, show_race
from pages.lessons.speculative.proof import TITLE as PROOF
from pages.lessons.speculative.settings import RACES, SETTINGS
from pages.lessons.speculative.speed import Drafts, SpeedUp
from pages.lessons.speculative.state import MAX_PROMPT, SpeculativeLesson
from viz.format import digits, duration, plural

N_TOKENS = 24
SAID = "spec_said"
WORSE, OTHER, SAME = "a worse one", "another one", "the same one"
ALONE, DRAFTED = "the large model alone", "with the draft"
ROUND = "A round, step by step"
BLOCK = "a block: one pass, which checks several guesses"
LEGEND = (("accepted guess", "guessed"), ("rejected guess", "rejected"))
RacePiece: TypeAlias = tuple[str, str, int]  # words, who wrote them, and the tokens there by then
# the sections below it
LABORATORY = (ROUND, SpeedUp.title, Drafts.title, PROOF)


class GreedyRace(Experiment[SpeculativeLesson]):
    """One text, greedily, by the target alone and with the draft's help."""

    key, button, icon = "spec_race", "Race", TIMER
    recorded, said, is_button_below = DraftRace, SAID, True
    code = (race_with_draft, decode_baseline, decode_with_draft)

    def _begin(self) -> None:
        """Asks whether a draft changes the text: the lanes run once that is answered."""
        if (job := self.found()) is not None and (race := job.found) is not None:
            right = SAME if race.is_same else OTHER
            question = "The draft is often wrong. Which text comes out?"
            answered(question, (WORSE, OTHER, SAME), right, SAID, run="spec")

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("race", width=420, disabled=is_running)

    def _start(self) -> Job[DraftRace]:
        lm, pair = self.lesson.lm, self.lesson.pair
        ids = encode_within(lm, SETTINGS["race"] or "", MAX_PROMPT)
        work = race_with_draft(lm, pair.make_drafter, ids, SETTINGS["guesses"], N_TOKENS)
        return Job(work, is_timed=True)

    def _draw(self, job: Job[DraftRace]) -> None:
        race, machine = job.result, measured_on(job, self.lesson.lm)
        pieces: tuple[tuple[RacePiece, ...], tuple[RacePiece, ...]] = ((), ())
        if machine.model == self.lesson.lm.name:
            pieces = pieces_of(self.lesson, race)
        times, is_said = _times(race), was_answered(SAID)
        show_race(
            _lanes(race, *pieces),
            "spec",
            waits=not is_said,
            by_tokens=True,
            first_done="here the draft was done",
        )
        show_summary("pages/speculative.py", *LABORATORY, asked=SAID)
        if not is_said:
            return
        pace = f"{digits(times, 2)} times as fast" if times >= 1 else "no faster here"
        other = next(text for text in RACES if text != SETTINGS["race"])
        models = f"the large model is {machine.model}, the draft {race.draft}"
        st.container(key="spec_at_end").markdown(
            f"**With the draft: {pace}.** {round_words(race)} How many guesses the large model "
            f"agrees with depends on the text: race on “{other}”, too."
        )
        show_caption(
            f"Measured on {machine.where}, greedy, the middle one of a few runs; {models}. "
            "The first lane’s tokens are spread evenly over its time."
        )


def _times(race: DraftRace) -> float:
    """Returns how many times as fast the text was with the draft."""
    return race.plain_seconds / race.seconds


def round_words(race: DraftRace) -> str:
    """Says why fewer passes are not as much faster: a round holds the draft's passes, too."""
    n_tokens, n_rounds = len(race.token_ids), len(race.rounds)
    plain, drafted = race.plain_seconds / n_tokens, race.seconds / n_rounds
    return (
        f"Instead of {plural(n_tokens, 'pass', 'es')} of {duration(plain)} there are "
        f"{plural(n_rounds, 'round')} of {duration(drafted)}: the draft’s passes cost, too."
    )


def pieces_of(
    lesson: SpeculativeLesson, race: DraftRace
) -> tuple[tuple[RacePiece, ...], tuple[RacePiece, ...]]:
    """Returns the text of either lane: as it is, and with who wrote each token."""
    tokenizer, n_prompt = lesson.lm.tokenizer, len(race.prompt_ids)
    prompt = (text_of(tokenizer, race.prompt_ids), "given", 0)
    words = _words(tokenizer, (*race.prompt_ids, *race.token_ids), n_prompt)
    alone = [(word, "plain", n) for n, word in enumerate(words, start=1)]
    drafted, first = list[RacePiece](), 0
    for (_, n_tokens), (n_accepted, rejected_id) in zip(race.rounds, race.guesses, strict=True):
        end = first + n_tokens
        roles = ["guessed"] * n_accepted + ["own"] * (n_tokens - n_accepted)
        both = zip(words[first:end], roles, strict=False)  # a text may be cut
        drafted += [(word, role, end) for word, role in both]
        if rejected_id is not None:
            before = (*race.prompt_ids, *race.token_ids[: first + n_accepted], rejected_id)
            struck = _words(tokenizer, before, len(before) - 1)[0]
            drafted.insert(len(drafted) - (n_tokens - n_accepted), (struck, "rejected", end))
        first = end
    same = "the same, token for token" if race.is_same else "another text, by rounding"
    return (prompt, *alone), (prompt, *drafted, (same, TOLD, len(race.token_ids)))


def _words(tokenizer: Any, ids: Sequence[int], n_before: int) -> list[str]:
    """Returns the characters that each token behind the first ones completes."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(bytes_at(tokenizer, ids, i)) for i in range(n_before, len(ids))]


def _lanes(
    race: DraftRace, alone: tuple[RacePiece, ...], drafted: tuple[RacePiece, ...]
) -> tuple[Lane, Lane]:
    n_tokens, n_rounds = len(race.token_ids), len(race.rounds)
    plain = tuple(race.plain_seconds * n / n_tokens for n in range(1, n_tokens + 1))
    times = accumulate(seconds for seconds, _ in race.rounds)
    ends = tuple(end for end, (_, n) in zip(times, race.rounds, strict=True) for _ in range(n))
    legend = (*LEGEND, ("the large model’s own", "own")) if drafted else ()
    return (
        Lane(
            ALONE,
            ((race.plain_seconds, "generated"),),
            plain,
            pieces=alone,
            note=plural(n_tokens, "pass", "es"),
        ),
        Lane(
            DRAFTED,
            ((race.seconds, "generated"),),
            ends[:n_tokens],
            pieces=drafted,
            legend=legend,
            block=BLOCK,
            note=plural(n_rounds, "pass", "es"),
        ),
    )
