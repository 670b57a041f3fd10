"""Texts that are written side by side: with an instruction early or late, and to a great length."""

import streamlit as st

from model.held_out import held_out
from model.job import Job
from model.sampling import Settings
from model.snowball.instruction_position import place_instruction
from model.snowball.long_generation import TextKind, generate_long, repeats
from model.snowball.records import InstructionPosition, LongTexts, Thread
from model.snowball.thread import LENGTH, PART, measure_thread, returning
from model.tokenizing import encode, encode_bare
from model.typed import parts_typed
from pages.frame.experiment import Experiment
from pages.frame.figures import show_chart, show_charts, show_folded
from pages.lessons.snowball.settings import N_WRITTEN, SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance
from viz.format import count, plural
from viz.snowball.written_charts import (
    followed_figure,
    long_surprise_figure,
    repeats_figure,
    thread_figure,
    version_html,
)
from viz.strip import paragraph

N_TEXTS = 16
TEMPERATURE = 0.8
LENGTHS = (512, 256, 1024, 2048)  # the first is chosen before the reader does
PROMPT = "Once upon a time"
KINDS = (
    TextKind("greedy", Settings(temperature=0), 1),
    TextKind(f"T = {TEMPERATURE:g}", Settings(temperature=TEMPERATURE), 4),
)
PEOPLE = "books, by people"
N_THREADS = 48  # texts


class InstructionPlacing(Experiment[SnowballLesson]):
    """The same texts with an instruction before them, late, and without one."""

    key, title = "snowball_instruction", "Instruction position"
    button = f"Write 3 × {N_TEXTS} texts"
    recorded = InstructionPosition
    claim = (
        "Context works forward only: an instruction before the first token shapes all of them; "
        "one that comes after m tokens cannot reach those m. All versions are written with the "
        "same seeds."
    )
    code = (place_instruction,)

    def _begin(self) -> None:
        left, middle, right = st.columns([3, 2, 1], gap="small")
        for column, name in ((left, "beginning"), (middle, "instruction"), (right, "words")):
            with column:
                SETTINGS.widget(name)

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("after", width=130)

    def _start(self) -> Job[InstructionPosition]:
        return Job(
            place_instruction(
                self.lesson.lm,
                SETTINGS["beginning"],
                SETTINGS["instruction"],
                parts_typed(SETTINGS["words"]),
                Settings(temperature=TEMPERATURE),
                n_before=SETTINGS["after"],
                n_tokens=N_WRITTEN,
                n_texts=N_TEXTS,
            )
        )

    def _draw(self, job: Job[InstructionPosition]) -> None:
        position = job.result
        show_chart(followed_figure(position, N_WRITTEN), "snowball_followed")
        columns = st.columns(len(position.examples), gap="medium")
        for column, (name, version) in zip(columns, position.examples.items(), strict=True):
            with column:
                st.markdown(f"**{name[0].upper()}{name[1:]}**")
                st.html(version_html(version, position.words))
        st.caption(
            f"{provenance(job, self.lesson.lm)} The first of {plural(N_TEXTS, 'text')} of each "
            f"version, temperature {TEMPERATURE:g}. Blue is given, an outline marks the late "
            "instruction, and an underline marks the words that follow it."
        )


class LongGeneration(Experiment[SnowballLesson]):
    """Texts that may not end, beside books."""

    key, title = "snowball_long", "Long generation"
    button = "Generate to this length"
    recorded = LongTexts
    claim = (
        "A text that repeats itself makes its own return likelier, so greedy decoding may fall "
        "into repeats, and a low surprise tells the model nothing of it. A source that says few "
        "things repeats itself too, one without a memory as well. Books are read beside the texts."
    )
    code = (generate_long, repeats)

    def _fields(self, _is_running: bool) -> None:
        limit = self.lesson.lm.context_length or max(LENGTHS)
        lengths = [length for length in LENGTHS if length < limit]
        if limit <= max(LENGTHS):
            lengths.append(limit)
        SETTINGS.widget(
            "length",
            options=lengths,
            format_func=lambda n: f"{count(n)}, the whole context" if n == limit else count(n),
            width=220,
        )

    def _start(self) -> Job[LongTexts]:
        lm, n_tokens = self.lesson.lm, SETTINGS["length"]
        books = [encode(lm, book) for book in held_out("books")]
        return Job(generate_long(lm, encode(lm, PROMPT), KINDS, n_tokens, books, PEOPLE))

    def _draw(self, job: Job[LongTexts]) -> None:
        texts = job.result
        show_charts(
            [
                (repeats_figure(texts), "snowball_repeats"),
                (long_surprise_figure(texts), "snowball_long_surprise"),
            ]
        )
        if not job.is_running:
            columns = st.columns(len(texts.names), gap="medium")
            for column, name, ending in zip(columns, texts.names, texts.endings, strict=True):
                with column:
                    st.markdown(f"**{name}**, the last words")
                    st.html(paragraph(f"… {ending}"))
        show_folded(
            f"{provenance(job, self.lesson.lm)} {plural(KINDS[0].n_texts, 'greedy text')} and "
            f"{KINDS[1].n_texts} at T = {TEMPERATURE:g} after “{PROMPT}”, which names nobody: each "
            "text chooses its hero. The end token is taken out before each draw, so that no text "
            f"ends. {plural(len(held_out('books')), 'held-out book')} are read beside them. Bands "
            "are 95 % intervals over texts.",
            "snowball_long_terms",
        )


class KeepingTheThread(Experiment[SnowballLesson]):
    """What comes back of a text's opening, part by part."""

    key, title = "snowball_thread", "The thread"
    button = f"Write {N_THREADS} texts"
    recorded = Thread
    claim = (
        "**Do long outputs lose the thread?** Then less and less of what the opening names comes "
        "back. Words that come back by chance are not counted: those of other texts’ openings "
        "would too."
    )
    code = (measure_thread, returning)

    def _start(self) -> Job[Thread]:
        lm = self.lesson.lm
        books = [encode_bare(lm, book) for book in held_out("books")]
        settings = Settings(temperature=TEMPERATURE)
        return Job(measure_thread(lm, encode(lm, PROMPT), settings, N_THREADS, books))

    def _draw(self, job: Job[Thread]) -> None:
        thread = job.result
        show_chart(thread_figure(thread, PART), "snowball_threads")
        show_folded(
            f"{provenance(job, self.lesson.lm)} {plural(len(thread.written), 'text')} of {LENGTH} "
            f"tokens after “{PROMPT}” at T = {TEMPERATURE:g}, none of which may end; the prompt "
            "names nobody, so each text chooses its hero; and "
            f"{plural(len(thread.books), 'piece')} of held-out books as long. A word of the "
            f"opening, the first {PART} tokens, counts where at most a quarter of the other "
            "openings have it. Bands are 95 % intervals over texts.",
            "snowball_thread_terms",
        )
