"""The speculative lesson's first part: one text with a draft and without, on one clock."""

from itertools import accumulate

import streamlit as st

from model.job import Job
from model.speculative.decoding import decode_baseline, decode_with_draft
from model.speculative.race import race_with_draft
from model.speculative.records import DraftRace
from model.tokenizing import encode_within, text_of
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_caption
from pages.frame.job_panel import measured_on
from pages.frame.question import answered, was_answered
from pages.frame.race import Lane, show_race
from pages.lessons.speculative.settings import RACES, SETTINGS
from pages.lessons.speculative.state import MAX_PROMPT, SpeculativeLesson
from viz.format import digits

N_TOKENS = 40
SAID = "spec_said"
ALONE = "the large model alone"
OTHER, SAME = "with the draft, another text", "with the draft, the same text"


class GreedyRace(Experiment[SpeculativeLesson]):
    """One text, greedily, by the target alone and with the draft's help."""

    key, button, icon = "spec_race", "Race", TIMER
    recorded, said = DraftRace, SAID
    claim = (
        "A large model writes one token a pass. A small one, the **draft**, guesses a few, and the "
        "large one checks all of them in a single pass."
    )
    code = (race_with_draft, decode_baseline, decode_with_draft)

    def _begin(self) -> None:
        """Asks who is done first, and with which text: the lanes run once that is answered."""
        if (job := self.found()) is not None and (race := job.found) is not None:
            right = ALONE if _times(race) < 1 else SAME if race.is_same else OTHER
            question = "Which lane is done first, and is its text another one?"
            answered(question, (ALONE, OTHER, SAME), right, SAID)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("race", width=420, disabled=is_running)

    def _start(self) -> Job[DraftRace]:
        lm, pair = self.lesson.lm, self.lesson.pair
        ids = encode_within(lm, SETTINGS["race"] or "", MAX_PROMPT)
        work = race_with_draft(lm, pair.make_drafter, ids, SETTINGS["guesses"], N_TOKENS)
        return Job(work, is_timed=True)

    def _draw(self, job: Job[DraftRace]) -> None:
        race, machine = job.result, measured_on(job, self.lesson.lm)
        texts = _texts(self.lesson, race) if machine.model == self.lesson.lm.name else ()
        times, is_said = _times(race), was_answered(SAID)
        show_race(_lanes(race, texts), "spec", waits=not is_said, by_tokens=True)
        if not is_said:
            return
        pace = f"{digits(times, 2)} times as fast" if times >= 1 else "no faster here"
        other = next(text for text in RACES if text != SETTINGS["race"])
        models = f"the large model is {machine.model}, the draft {race.draft}"
        same = "The same text, token for token" if race.is_same else "The texts differ by rounding"
        n_alone, n_drafted = len(race.token_ids), len(race.rounds)
        st.markdown(
            f"**{same}; with the draft {pace}.** Each block is a pass of the large model: "
            f"{n_alone} alone, {n_drafted} with the draft, where the guesses that it agrees with "
            f"come at once. How many that are depends on the text: race on “{other}”, too."
        )
        show_caption(
            f"Measured on {machine.where}, greedy, the middle one of a few runs; {models}. "
            "The first lane’s tokens are spread evenly over its time."
        )


def _times(race: DraftRace) -> float:
    """Returns how many times as fast the text was with the draft."""
    return race.plain_seconds / race.seconds


def _texts(lesson: SpeculativeLesson, race: DraftRace) -> tuple[str, ...]:
    """Returns the prompt, and the text after each token."""
    ids, tokenizer = (*race.prompt_ids, *race.token_ids), lesson.lm.tokenizer
    n_prompt = len(race.prompt_ids)
    return tuple(text_of(tokenizer, ids[: n_prompt + n]) for n in range(len(race.token_ids) + 1))


def _lanes(race: DraftRace, texts: tuple[str, ...]) -> tuple[Lane, Lane]:
    n_tokens = len(race.token_ids)
    plain = tuple(race.plain_seconds * n / n_tokens for n in range(1, n_tokens + 1))
    ends = accumulate(seconds for seconds, _ in race.rounds)
    drafted = tuple(end for end, (_, n) in zip(ends, race.rounds, strict=True) for _ in range(n))[
        :n_tokens
    ]
    return (
        Lane(ALONE, ((race.plain_seconds, "generated"),), plain, texts),
        Lane("with the draft", ((race.seconds, "generated"),), drafted, texts),
    )
