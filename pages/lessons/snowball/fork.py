"""The first part: force one token, and see both texts side by side."""

from pathlib import Path
from typing import Any

import streamlit as st

from model.generation import Generation
from model.job import Job
from model.masks import divergence
from model.sampling import Settings
from model.snowball.fork import fork_text, options, reconvergence
from model.snowball.records import ForkStep, Option
from model.tokenizing import encode, encode_bare, encode_within, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.component import component, trigger_value
from pages.frame.figures import show_charts
from pages.frame.job_panel import JobPanel, is_running
from pages.frame.layout import is_presenting, show_error
from pages.frame.link import offer_link
from pages.frame.question import opening
from pages.lessons.snowball.settings import FORKED, N_TOKENS, OWN, SETTINGS
from pages.lessons.snowball.state import (
    MAX_PROMPT,
    Slip,
    SnowballLesson,
    provenance,
    text_in_link,
    unsent_note,
    write_text,
)
from viz.format import percent, plural
from viz.snowball.fork_chart import gap_figure, surprise_figure
from viz.strip import prose

FORK_TITLE = "Put in a token of your own"
FORK = "snowball_fork"
STRIP = "snowball_strip"
MAX_SHOWN = 300  # characters of what both texts begin with
FIRST_PLACE = 4  # that is chosen before the reader does
FIRST_RANK = 20


def show_fork(lesson: SnowballLesson) -> None:
    """Shows the text, the place and the token to force, and both continuations."""
    st.header(FORK_TITLE, anchor=False)
    opening(
        "One other token changes everything after it. Whether more errors follow from it is "
        "another question, and this page measures it. Click a token, choose another for its "
        "place, and press Put it in. Both texts continue with the same pointers."
    )
    _show_beginning(lesson)
    if not lesson.text.steps:
        lesson.jobs.setdefault(FORK, Job(write_text(lesson.text, lesson.settings, N_TOKENS)))
    JobPanel(
        lesson.jobs,
        FORK,
        "Put it in",
        lambda: _start(lesson),
        lambda job: _show_both(lesson, job),
        controls=lambda _: _choose(lesson),
        idle=lambda: _show_texts(lesson, ()),
    ).show()
    show_code(fork_text, divergence, reconvergence, key="snowball_code_fork")
    offer_link(FORKED, lesson.lm, lambda: _as_shown(lesson))


# The text


def _show_beginning(lesson: SnowballLesson) -> None:
    """Lets the reader choose another text; one that cannot be read leaves the one in use."""
    with (
        st.form("snowball_start", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", key="snowball_text"),
    ):
        SETTINGS.widget("prompt", placeholder=lesson.prompt)
        SETTINGS.widget("temperature", width=130)
        SETTINGS.widget("seed", width=130)
        st.form_submit_button("Write", key="snowball_write", on_click=_begin, args=(lesson,))
    show_error(lesson.problem)


def _begin(lesson: SnowballLesson) -> None:
    """Starts another text; an empty field keeps the prompt that is there."""
    typed = SETTINGS["prompt"] or ""
    with lesson.attempt():
        settings = Settings(temperature=SETTINGS["temperature"])
        ids = lesson.text.prompt_ids
        if typed.strip():
            ids = encode_within(lesson.lm, typed, MAX_PROMPT)
        lesson.text = Generation(lesson.lm, ids, seed=SETTINGS["seed"])
        lesson.settings, lesson.slip = settings, None
        lesson.jobs[FORK] = Job(write_text(lesson.text, settings, N_TOKENS))
        lesson.jobs.pop("snowball_rewind", None)


def _as_shown(lesson: SnowballLesson) -> dict[str, Any]:
    """Returns what stands on the page otherwise than in the settings."""
    is_own = SETTINGS["token"] == OWN
    return text_in_link(lesson) | {
        "token": None if is_own else SETTINGS["token"],
        "word": SETTINGS["word"] if is_own else None,
    }


# The place and the token


def _choose(lesson: SnowballLesson) -> None:
    """Lets the reader choose the place by its number, and the token to force there."""
    place = _place(lesson)
    if _is_writing(lesson) or not lesson.text.steps:
        return
    # set at every run: of two that follow each other fast, the page may see the second alone
    SETTINGS.put(place=place + 1)
    n_written = len(lesson.text.steps)
    SETTINGS.widget("place", high=n_written, width=110, on_change=_forget, args=(lesson,))
    offered = {option.token_id: option for option in options(lesson.start_at(place))}
    offered.pop(lesson.text.steps[place].token_id, None)
    if SETTINGS["token"] not in (*offered, OWN):
        far = [i for i, option in offered.items() if option.rank >= FIRST_RANK]
        SETTINGS.put(token=next(iter(far or offered)))
    chosen = st.selectbox(
        "Put instead",
        [*offered, OWN],
        format_func=lambda i: "a word of your own" if i == OWN else _words(offered[i]),
        key=SETTINGS.key("token"),
        persist_state="session",
    )
    if chosen == OWN:
        SETTINGS.widget("word", width=160)


def _place(lesson: SnowballLesson) -> int:
    """Returns the index of the chosen place, within what is written."""
    return max(1, min(SETTINGS["place"] or FIRST_PLACE, len(lesson.text.steps))) - 1


def _is_writing(lesson: SnowballLesson) -> bool:
    """Tells whether the original text is still being written."""
    return lesson.slip is None and is_running(lesson.jobs, FORK)


def _words(option: Option) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(option.rank, "th")
    best = "best" if option.rank == 1 else f"{option.rank}{ending} best"
    return f"{option.label}, the {best}, {percent(option.prob)}"


def _forget(lesson: SnowballLesson) -> None:
    """Takes the fork away: the place is another now."""
    if SETTINGS["token"] != OWN:
        SETTINGS.forget("token")
    if not _is_writing(lesson):
        lesson.slip = None
        for key in (FORK, "snowball_rewind"):
            lesson.jobs.pop(key, None)


def _clicked(lesson: SnowballLesson) -> None:
    """Takes the place that was clicked on the strip."""
    if place := trigger_value(STRIP, "place"):
        SETTINGS.put(place=int(place))
        _forget(lesson)


# The fork


def _start(lesson: SnowballLesson) -> Job[Any]:
    """Forks the text; a word that cannot be read says why, and what is there stays."""
    slip = chosen_slip(lesson)
    start = lesson.start_at(slip.place)
    written = lesson.text.ids[len(start.ids) :]
    job = Job(fork_text(start, slip.token_id, lesson.settings, len(written), written))
    lesson.slip = slip
    lesson.jobs.pop("snowball_rewind", None)
    return job


def chosen_slip(lesson: SnowballLesson) -> Slip:
    """Returns the place and the token that are chosen on the page.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if _is_writing(lesson) or not lesson.text.steps:
        raise ValueError("The text above is not written yet: press again once it is.")
    place = _place(lesson)
    is_own = SETTINGS["token"] == OWN
    token_id = _token_of(lesson, SETTINGS["word"] or "") if is_own else SETTINGS["token"]
    if token_id == lesson.text.steps[place].token_id:
        raise ValueError("That is the token that is there: choose another word.")
    return Slip(place, token_id)


def _token_of(lesson: SnowballLesson, word: str) -> int:
    """Reads a word as one token; a space before it is taken along where the text wants one."""
    if not word.strip():
        raise ValueError("The field is empty: write the word to put in.")
    encode(lesson.lm, word)  # refuses what is no text
    spaced = word if word[:1].isspace() else f" {word}"
    ids = encode_bare(lesson.lm, spaced)
    if len(ids) != 1:
        raise ValueError(f"That is {plural(len(ids), 'token')}, not one: choose another word.")
    return ids[0]


def _show_both(lesson: SnowballLesson, job: Job[tuple[ForkStep, ...]]) -> None:
    """Shows both texts, and once they are written what came of the fork."""
    steps = job.result
    _show_texts(lesson, steps)
    if job.is_running or len(steps) < 2:
        return
    if job.is_done:
        place, n_same = reconvergence(steps), sum(step.is_same for step in steps)
        st.markdown(
            f"**The texts reconverge {plural(place, 'token')} after the fork** and are the same "
            "from there on."
            if place is not None
            else f"**The texts do not reconverge** within {plural(len(steps), 'token')}; they "
            f"share {plural(n_same, 'position')} by chance or by grammar."
        )
    gap, surprise = gap_figure(steps), surprise_figure(steps)
    show_charts([(gap, "snowball_gap"), (surprise, "snowball_surprise")])
    st.caption(
        f"{provenance(job, lesson.lm)} Temperature {lesson.settings.temperature:g}."
        f"{unsent_note(job, lesson.lm)}"
    )


def _show_texts(lesson: SnowballLesson, steps: tuple[ForkStep, ...]) -> None:
    """Shows both texts to be read, and then as tokens."""
    _show_prose(lesson, steps)
    _show_strip(lesson, steps)


def _show_prose(lesson: SnowballLesson, steps: tuple[ForkStep, ...]) -> None:
    """Shows the text that was drawn; beside it, from where they part, the one with the token."""
    ids, tokenizer = lesson.text.ids, lesson.lm.tokenizer
    before = text_of(tokenizer, ids[: lesson.text.n_prompt + _place_shown(lesson)])
    original = text_of(tokenizer, ids).removeprefix(before)
    labels = [step.forced.label for step in steps if step.forced is not None]
    chosen, *after = [label.replace("␣", " ").replace("⏎", "\n") for label in labels] or [" …"]
    with st.container(key="snowball_prose"):
        columns = st.columns(2, gap="large")
    for column, name, parts in zip(
        columns,
        ("As it was drawn", "With your token"),
        (
            [(original, "generated")],
            [(chosen, "error" if labels else ""), ("".join(after), "generated")],
        ),
        strict=True,
    ):
        with column:
            st.caption(name)
            st.html(prose((before[-MAX_SHOWN:], ""), *parts, size="lead"))


def _place_shown(lesson: SnowballLesson) -> int:
    return lesson.slip.place if lesson.slip else _place(lesson)


def _show_strip(lesson: SnowballLesson, steps: tuple[ForkStep, ...]) -> None:
    """Shows both texts as pairs of tokens; a click on the original's chooses the place to fork."""
    place = _place_shown(lesson)
    blank: list[None] = [None] * place
    forced = [*blank, *(step.forced.label if step.forced else None for step in steps)]
    data = {
        "prompt": lesson.prompt,
        "original": [step.text for step in lesson.text.steps],
        "forced": forced if steps else [],
        "kl": [*blank, *(step.kl for step in steps)],
        "same": [*blank, *(step.is_same for step in steps)],
        "place": place,
        "presenter": is_presenting(),
    }
    _strip(key=STRIP, data=data, on_place_change=lambda: _clicked(lesson), height="content")
    st.caption(
        "Top row: the text that was drawn. Bottom row: after the chosen token, dotted where both "
        "have the same token. The purple line is the KL divergence between the two next-token "
        "distributions, full at 10 nats. ␣ is a space, ⏎ a new line."
    )


_FOLDER = Path(__file__).parent
_strip = component("snowball_strip", _FOLDER / "mount.js", _FOLDER)
