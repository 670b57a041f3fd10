"""The lesson on all continuations below its title: the tree that fills, and the component on it."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.futures.continuations import Continuations, open_texts
from model.job import Job
from model.loading import LanguageModel
from model.sentences import cut
from pages.frame.assets import SHARED
from pages.frame.attempts import made_or_said
from pages.frame.component import component, trigger_value
from pages.frame.course import show_summary
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption
from pages.frame.job_panel import SLICE_SECONDS, is_running, start_job
from pages.frame.layout import is_presenting, show_error
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link
from pages.frame.question import answered, lesson_asks, lesson_waits, was_answered
from pages.frame.saved_run import KIND, MAX_MEGABYTES
from pages.frame.story import KING
from pages.frame.uploads import give_back
from pages.lessons.futures.settings import SETTINGS, SHARES, VIEW
from pages.lessons.futures.state import NOTHING_CHOSEN, FuturesLesson
from viz.format import duration, percent, plural

LESSON, TREE, SAID = "futures_lesson", "futures_tree", "futures_said"
GREEDY, ANOTHER = "greedy’s", "another one"
QUESTION = (
    "Wider is likelier. Greedy takes the widest piece each time. Which text is the likeliest?"
)
MAX_FILES = 8
_READ = "futures_files_read"
LOOK_SECONDS = 0.6  # between two looks at a tree that fills
_FOLDER = Path(__file__).parent
_futures = component("futures", _FOLDER / "mount.js", SHARED, _FOLDER)
_laboratory = component("futures_laboratory", _FOLDER / "laboratory.js", SHARED, _FOLDER)


def show_futures(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    AllContinuations(lesson).show()
    offer_link(SETTINGS, lesson.lm, lambda: lesson.view)


def _begin(lm: LanguageModel, old: FuturesLesson | None) -> FuturesLesson:
    """Begins with what a link asks, else with the page's prompt; the tree opens by itself."""
    reader, wanted = home_session(lm), asked(SETTINGS, "prompt")
    own = SETTINGS["prompt"] if reader is None or old is not None else reader.prompt
    set_now = {field.name: SETTINGS[field.name] for field in VIEW}
    view = set_now if old is None else old.view | NOTHING_CHOSEN
    try:
        lesson = FuturesLesson.begin(lm, own if wanted is None else wanted, view)
    except ValueError as error:
        if wanted is not None:
            raise
        lesson = FuturesLesson.begin(lm, KING, view | NOTHING_CHOSEN)
        lesson.problem = f"{error} The page shows its first example instead."
    SETTINGS.put(prompt=lesson.prompt)
    start_job(lesson.jobs, TREE, lambda: _job(lesson))
    return lesson


def _job(lesson: FuturesLesson) -> Job[Continuations]:
    asked_for = SETTINGS["tokens"], SETTINGS["mass"], SETTINGS["passes"]
    return Job(open_texts(lesson.tree, *asked_for))


class AllContinuations(Experiment[FuturesLesson]):
    """The tree, opened as far as the reader asks, and weighed by the sliders."""

    key = TREE
    button = "Open more"
    code = (Continuations.step, Continuations._open, open_texts)

    def _begin(self) -> None:
        """Asks, and draws the tree, again and again while it fills."""
        self.waits = SETTINGS["tokens"] > 1 and not self._asked()
        place = st.container()
        if is_running(self.lesson.jobs, TREE):
            with place:
                st.fragment(self._tree, run_every=LOOK_SECONDS)()
        else:
            with place.container():  # a fragment has one: the component stays where it is
                self._tree()
        show_summary("pages/futures.py", asked=SAID)
        _laboratory(key="futures_laboratory", data=None)

    def _asked(self) -> bool:
        """Asks; a link that shows one text, such as beam search's, is asked nothing."""
        if self.lesson.first_view.get("selected") and not was_answered(SAID):
            return True
        tree, n_tokens, job = self.lesson.tree, SETTINGS["tokens"], self.lesson.jobs.get(TREE)
        while was_answered(SAID) and tree.greedy_is_likeliest(n_tokens) is None:
            if job is None or not job.is_running:
                break  # below the tree stands that it is the likeliest so far
            job.run_for(SLICE_SECONDS)
        right = ANOTHER if tree.greedy_is_likeliest(n_tokens) is False else GREEDY
        return answered(QUESTION, (GREEDY, ANOTHER), right, SAID, run="futures")

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("prompt", on_change=self._begin_again)
        SETTINGS.widget("tokens", on_change=self._open_again)

    def _end(self) -> None:
        """Draws, folded away, how far the tree is to open, and what is laid over it."""
        show_error(self.lesson.problem, st.container())  # what comes and goes moves no component
        with st.expander("How far to open, a search over it, saved runs", key="futures_below"):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                SETTINGS.widget("mass", width=170, on_change=self._open_again)
                SETTINGS.widget("passes", width=170)
                if SETTINGS.widget("beams", width=170):
                    link = self.lesson.search_link(SETTINGS["beams"], SETTINGS["tokens"])
                    st.link_button("This search, step by step", link)
            saved = self.lesson.saved
            self._take_files()
        if self.lesson.saved != saved:
            st.rerun()  # the tree was drawn without them

    def _take_files(self) -> None:
        """Takes runs that were saved as files; below them stands why one of them is left out."""
        files = st.file_uploader(
            f"Runs of this prompt that “{KIND}” on the first page saved",
            type="json",
            accept_multiple_files=True,
            key="futures_files",
            max_upload_size=MAX_MEGABYTES,
        )
        if len(files) > MAX_FILES:
            show_error(
                f"{len(files)} runs are more than the tree has room for: the first "
                f"{MAX_FILES} are in it."
            )
        known = st.session_state.get(_READ, {})
        self.lesson.files = {
            file.file_id: known[file.file_id] for file in files if file.file_id in known
        }
        st.session_state[_READ] = self.lesson.files  # another model's lesson begins with them
        read = [
            made_or_said(
                partial(self.lesson.read_file, file.file_id, file.getvalue()),
                stays=f"({cut(file.name)})",
            )
            for file in files[:MAX_FILES]
        ]
        for file in files[:MAX_FILES]:
            give_back(file)
        self.lesson.saved = [ids for ids in read if ids is not None]

    def _open_again(self) -> None:
        start_job(self.lesson.jobs, TREE, lambda: _job(self.lesson))

    def _begin_again(self) -> None:
        """Takes another prompt; where it cannot be read, the tree before it stays."""
        lesson = self.lesson
        with lesson.attempt("The tree before it stays."):
            lesson.read(SETTINGS["prompt"])
            st.session_state.pop(SAID, None)  # what was said was of another prompt
            self._open_again()

    def _start(self) -> Job[Continuations]:
        known = self.lesson.tree.mass(SETTINGS["tokens"])
        if known >= SETTINGS["mass"]:
            larger = next((share for share in SHARES if share > known), None)
            if larger is None:
                raise ValueError(
                    f"{percent(known)} is open already: choose more tokens, or another text."
                )
            SETTINGS.put(mass=larger)
        return _job(self.lesson)

    def _draw(self, _job: Job[Continuations]) -> None:
        """Says what was measured: the tree, which a fragment sends at every press, is above."""
        show_caption(_measured(self.lesson))

    def _tree(self) -> None:
        lesson, reader = self.lesson, home_session(self.lesson.lm)
        own, n_tokens = () if reader is None else reader.branches, SETTINGS["tokens"]
        above = st.container()
        made_or_said(lambda: lesson.take_runs(own, n_tokens), above)
        made_or_said(lambda: lesson.lay_beam(SETTINGS["beams"], n_tokens), above)
        told = {
            "presenter": is_presenting(),
            "waits": self.waits,
            "guided": lesson_asks(),
            "cools": lesson_asks() and not lesson_waits(),
        }
        data = lesson.payload(n_tokens, SETTINGS["beams"], **told)
        _futures(key="futures", data=data, on_event_change=_take_event)


def _measured(lesson: FuturesLesson) -> str:
    """Says what was measured, and on what."""
    tree, n_tokens = lesson.tree, SETTINGS["tokens"]
    opened = f"{plural(len(tree.texts), 'text')}, {plural(tree.n_passes, 'pass', 'es')}"
    return (
        f"Measured with the model {lesson.lm.shown}: {opened}, {duration(tree.seconds)}. "
        f"They hold {percent(tree.mass(n_tokens))} of the probability of all texts of "
        f"{plural(n_tokens, 'token')}, at temperature 1. The sliders weigh the same scores: "
        "no pass runs."
    )


def _take_event() -> None:
    event: dict[str, Any] | None = trigger_value("futures", "event")
    if event:
        st.session_state[LESSON].take(event)
