"""The snowball lesson's first part: force one token, and see both futures side by side."""

from __future__ import annotations

import streamlit as st

from model.generation import Generation
from model.loading import LanguageModel
from model.masks import divergence
from model.sampling import Settings
from model.snowball.fork import Fork, meeting, option_of, options
from model.snowball.records import Option
from model.tokenizing import encode, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.component import trigger_value
from pages.frame.figures import show_charts, theme_now
from pages.frame.layout import is_presenting
from pages.frame.lesson_link import LessonLink, offer_link
from pages.frame.link_fields import Number, Whole, Words
from pages.lessons.snowball.job_panel import live_part
from pages.lessons.snowball.state import LONGEST_PROMPT, ForkText, SnowLesson, WatchedRun
from pages.lessons.snowball.strip import strip
from viz.format import percent, plural
from viz.snowball.fork_chart import gap_figure, surprise_figure

N_TOKENS = 48  # of the untouched text
TEMPERATURE = 0.7
DEFAULT_RANK = 20
OWN = "a word of your own"
PLACED = "snow_placed"  # the place once more: a run that ends early forgets the field's own
ASKED = "snow_asked"  # the id of the token that a link asks for, or OWN
MOST_CHARACTERS = 2_000  # of a prompt typed here
LONGEST_WORD = 100  # characters
LARGEST_SEED = 10**9
LINK = LessonLink(
    "snow",
    (
        Words("prompt", "snow_begun", "the text to start from", longest=MOST_CHARACTERS),
        Number("temperature", "snow_begun_temperature", "the temperature", high=2.0),
        Whole("seed", "snow_begun_seed", "the seed", high=LARGEST_SEED),
        Whole("place", "snow_place", "the place", low=1, high=N_TOKENS),
        Whole("token", "snow_token", "the id of the token to force"),
        Words("word", "snow_word", "the word to force", longest=LONGEST_WORD),
    ),
)


def show_fork(lesson: SnowLesson) -> None:
    """Show the text, the place and the token to force, and both futures."""
    st.markdown(
        "**One wrong token changes all that follows. Whether the mistakes also pile up is another "
        "question, and here it is measured.** Click a token, choose what to put in its place, and "
        "press Force it: both texts go on by the same coins."
    )
    _beginning(lesson)
    live_part(lesson, "main", lambda: _fork(lesson))
    show_code(Fork.advance, divergence, meeting, key="snow_code_fork")
    offer_link(LINK, lesson.lm, lambda: _as_shown(lesson))


def _beginning(lesson: SnowLesson) -> None:
    """Let the reader choose another text; one that cannot be read leaves the one in use."""
    with (
        st.form("snow_start", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            "A text to start from",
            st.session_state.get("snow_begun", ""),
            key="snow_prompt",
            placeholder=text_of(lesson.lm.tokenizer, lesson.text.text.prompt_ids),
            max_chars=MOST_CHARACTERS,
        )
        st.number_input(
            "Temperature",
            min_value=0.0,
            max_value=2.0,
            value=lesson.text.settings.temperature,
            step=0.1,
            key="snow_temperature",
            width=130,
            persist_state="session",
            help="0 takes the best token at each place.",
        )
        st.number_input(
            "Seed",
            min_value=0,
            max_value=LARGEST_SEED,
            value=lesson.text.text.seed,
            key="snow_seed",
            width=130,
        )
        st.form_submit_button("Write", key="snow_write", on_click=_begin, args=(lesson,))
    if lesson.notice:
        st.error(lesson.notice)


def _begin(lesson: SnowLesson) -> None:
    """Start another text; an empty field keeps the prompt that is there."""
    state, old = st.session_state, lesson.text
    try:
        settings = Settings(temperature=state["snow_temperature"])
        typed = state["snow_prompt"]
        ids = encode(lesson.lm, typed) if typed.strip() else old.text.prompt_ids
        text = start(lesson.lm, ids, int(state["snow_seed"]))
    except ValueError as error:
        lesson.notice = str(error)
    else:
        state.pop("snow_begun", None)
        lesson.notice = None
        lesson.main = WatchedRun(ForkText(text, settings, N_TOKENS))
        lesson.rewind = None


def start(lm: LanguageModel, ids: list[int], seed: int) -> Generation:
    """Start a text that the picture has room for.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if len(ids) > LONGEST_PROMPT:
        raise ValueError(
            f"The text has {len(ids)} tokens and the picture room for {LONGEST_PROMPT}: shorten it."
        )
    return Generation(lm, ids, seed=seed)


def _as_shown(lesson: SnowLesson) -> dict[str, object]:
    """Return what stands on the page, as its link has it."""
    part, state = lesson.text, st.session_state
    is_own = state.get("snow_force") == OWN
    return {
        "prompt": text_of(lesson.lm.tokenizer, part.text.prompt_ids),
        "temperature": part.settings.temperature,
        "seed": part.text.seed,
        "token": None if is_own else state.get("snow_chosen"),
        "word": state.get("snow_word") if is_own else None,
    }


def _fork(lesson: SnowLesson) -> None:
    part = lesson.text
    if lesson.main.notice:
        st.error(lesson.main.notice)
    place = _place(part)
    steps = part.fork.steps if part.fork else []
    strip(
        text_of(lesson.lm.tokenizer, part.text.prompt_ids),
        [step.text for step in part.text.steps],
        steps,
        lambda: _clicked(lesson),
        place=place,
        presenter=is_presenting(),
    )
    st.caption(
        "Above, filled: the text as it was. Below, dashed: the text after the wrong token, dotted "
        "where both wrote the same. The purple line: how far what they expect is apart, full at "
        "10 nats. ␣ is a space, ⏎ a new line."
    )
    if not part.is_written or not part.n_written:
        return
    _choose(lesson, place)
    if part.fork is not None and len(steps) > 1 and not lesson.main.is_running:
        _show_futures(lesson)


def _place(part: ForkText) -> int:
    """Return the index of the chosen place, within what is written."""
    state = st.session_state
    wanted = int(state.get("snow_place") or state.get(PLACED) or min(4, max(1, part.n_written)))
    return min(wanted, max(1, part.n_written)) - 1


def _clicked(lesson: SnowLesson) -> None:
    """Take the place that was clicked on the strip."""
    place = trigger_value("snow_strip", "place")
    if place:
        st.session_state["snow_place"] = st.session_state[PLACED] = int(place)
        _forget(lesson)


def _forget(lesson: SnowLesson) -> None:
    """Take the fork away: the place or the token is another now."""
    st.session_state.pop(ASKED, None)
    lesson.text.fork = None
    lesson.rewind = None
    lesson.main.is_running = False


def _choose(lesson: SnowLesson, place: int) -> None:
    """Let the reader choose the place by its number, and the token to force there."""
    part = lesson.text
    start = part.start_at(place)
    was = part.text.steps[place]
    offered = [one for one in options(start) if one.token_id != was.token_id]
    # set at every run: of two that follow each other fast, the page may see the second alone
    wanted = st.session_state.get("snow_place", place + 1)
    st.session_state["snow_place"] = st.session_state[PLACED] = min(wanted, part.n_written)
    with st.container(horizontal=True, vertical_alignment="bottom", key="snow_choice"):
        st.number_input(
            "Place",
            min_value=1,
            max_value=part.n_written,
            key="snow_place",
            width=110,
            on_change=_forget,
            args=(lesson,),
        )
        names = [_words(one) for one in offered] + [OWN]
        default = _first_choice(offered)
        chosen = st.selectbox("Force instead", names, index=default, key="snow_force")
        typed = ""
        if chosen == OWN:
            st.session_state["snow_word"] = st.session_state.get("snow_word", "")
            typed = st.text_input("Your word", key="snow_word", max_chars=LONGEST_WORD, width=160)
        wish = typed if chosen == OWN else offered[names.index(chosen)]
        st.session_state["snow_chosen"] = None if isinstance(wish, str) else wish.token_id
        st.button(
            "Force it",
            key="snow_go",
            type="primary",
            disabled=lesson.main.is_running,
            on_click=_force,
            args=(lesson, place, wish),
        )
    if lesson.problems.get("main"):
        st.error(lesson.problems["main"])


def _first_choice(offered: list[Option]) -> int:
    """Return what is chosen before the reader does: what a link asks for, else a wrong token."""
    asked = st.session_state.get(ASKED)
    ids = [one.token_id for one in offered]
    if asked == OWN:
        return len(offered)
    if asked in ids:
        return ids.index(asked)
    return next((i for i, one in enumerate(offered) if one.rank >= DEFAULT_RANK), 0)


def _words(option: Option) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(option.rank if option.rank < 20 else 0, "th")
    best = "best" if option.rank == 1 else f"{option.rank}{ending} best"
    return f"{option.label}, the {best}, {percent(option.prob)}"


def _force(lesson: SnowLesson, place: int, wish: Option | str) -> None:
    """Start the fork; a word that cannot be read says why, and what is there stays."""
    part = lesson.text
    try:
        option = _option_of_word(lesson, place, wish) if isinstance(wish, str) else wish
        part.force(place, option.token_id)
    except ValueError as error:
        lesson.problems["main"] = str(error)
    else:
        lesson.problems.pop("main", None)
        lesson.rewind = None
        lesson.main.is_running, lesson.main.notice = True, None


def _option_of_word(lesson: SnowLesson, place: int, word: str) -> Option:
    """Read a word as one token; a space before it is taken along where the text wants one."""
    if not word.strip():
        raise ValueError("The field is empty: write the word to force.")
    encode(lesson.lm, word)  # refuses what is no text
    spaced = word if word[:1].isspace() else f" {word}"
    ids = lesson.lm.tokenizer(spaced, add_special_tokens=False)["input_ids"]
    if len(ids) != 1:
        raise ValueError(f"That is {plural(len(ids), 'token')}, not one: choose another word.")
    option = option_of(lesson.text.start_at(place), ids[0])
    if option.token_id == lesson.text.text.steps[place].token_id:
        raise ValueError("That is what stands there already: choose another word.")
    return option


def _show_futures(lesson: SnowLesson) -> None:
    """Say what came of the fork, and draw both texts' numbers."""
    fork = lesson.text.fork
    assert fork is not None
    steps, theme = fork.steps, theme_now()
    if fork.is_done:
        met = meeting(steps)
        n_same = sum(step.is_same for step in steps)
        st.markdown(
            f"**They meet again {plural(met, 'token')} after the fork** and are the same from "
            "there on: here the mistake was forgotten."
            if met is not None
            else f"**They do not meet again** in {plural(len(steps), 'token')}; by chance or by "
            f"grammar they share {plural(n_same, 'position')}."
        )
    show_charts(
        [
            (gap_figure(steps, theme), "snow_gap"),
            (surprise_figure(steps, theme), "snow_surprise"),
        ]
    )
    lm = lesson.lm
    st.caption(f"On {lm.name}, {lm.where}; temperature {lesson.text.settings.temperature:g}.")
