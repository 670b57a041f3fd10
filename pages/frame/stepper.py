"""Something that is looked at step by step: Step, Play, Back and Reset, and the pace of Play."""

from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.attempts import Attempts
from pages.frame.layout import show_error


class Steps(Protocol):
    """What a lesson steps through. Each of its three moves may raise ValueError with a sentence."""

    @property
    def can_step(self) -> bool:
        """Whether another step is left."""

    @property
    def can_go_back(self) -> bool:
        """Whether a step was taken."""

    @property
    def rests(self) -> bool:
        """Whether Play pauses here, since the picture is whole; pressed again, it goes on."""
        return False

    @property
    def offers_play(self) -> bool:
        """Whether Play is offered while a step is left: no longer where only Step is to go on."""
        return True

    @property
    def notice(self) -> str | None:
        """What the reader should know of where it stands, such as why no step is left."""
        return None

    def step(self) -> None:
        """Takes a step."""

    def back(self) -> None:
        """Takes the last step back."""

    def reset(self) -> None:
        """Takes all steps back."""
        while self.can_go_back:
            self.back()


class _Engine(Protocol):
    """What writes pass by pass, and takes passes back."""

    @property
    def finished(self) -> object: ...  # whether no pass is left, or why
    @property
    def n_done(self) -> int: ...  # passes that have run
    def step(self) -> object: ...
    def back(self) -> object: ...


S = TypeVar("S", bound=Steps)
E = TypeVar("E", bound=_Engine)


class PassSteps(Steps, Generic[E]):
    """The passes of an engine, stepped through."""

    def __init__(self, engine: E) -> None:
        """Takes an engine as it stands."""
        self.engine: E = engine

    @property
    def can_step(self) -> bool:
        """Whether a pass is left."""
        return not self.engine.finished

    @property
    def can_go_back(self) -> bool:
        """Whether a pass has run."""
        return self.engine.n_done > 0

    def step(self) -> None:
        """Runs a pass."""
        self.engine.step()

    def back(self) -> None:
        """Takes the last pass back."""
        self.engine.back()


class Stepper(Attempts, Generic[S]):
    """The buttons and the clock over a lesson's steps.

    Attributes:
        steps: What is stepped through.
        is_playing: Whether it goes on by itself.
        is_settling: Whether it was paused and its clock still runs.
    """

    def __init__(self, steps: S, key: str) -> None:
        """Begins where the steps stand; the buttons' keys begin with `key`."""
        self.steps, self.key = steps, key
        self.is_playing = False
        self.is_settling = False

    def step(self) -> None:
        """Takes a step; where none is left, or the picture is whole, stops playing."""
        if self.steps.can_step:
            with self.attempt():
                self.steps.step()
        self.is_playing = self.is_playing and self.steps.can_step and not self.steps.rests

    def back(self) -> None:
        """Takes the last step back, if there is one."""
        self.pause()
        if self.steps.can_go_back:
            with self.attempt():
                self.steps.back()

    def reset(self) -> None:
        """Takes all steps back."""
        self.pause()
        with self.attempt():
            self.steps.reset()

    def play(self) -> None:
        """Goes on by itself, or pauses."""
        self.is_playing = not self.is_playing and self.steps.can_step

    def pause(self) -> None:
        """Goes on by itself no longer."""
        self.is_playing = False

    def show(
        self, vertical_alignment: Literal["center", "bottom"] = "center", *, waits: bool = False
    ) -> DeltaGenerator:
        """Shows the buttons, and below them what there is to know of where it stands.

        Args:
            vertical_alignment: Of what stands in their row.
            waits: Whether a question is to be answered before any of them is pressed.

        Returns:
            The row of the buttons, for what stands beside them.
        """
        row = st.container(
            horizontal=True, vertical_alignment=vertical_alignment, key=f"{self.key}_buttons"
        )
        with row:
            self._show_buttons(waits=waits)
        show_error(self.problem)
        if self.steps.notice:
            st.info(self.steps.notice)
        return row

    def _show_buttons(self, *, waits: bool) -> None:
        """Shows Step, Play or Pause, Back and Reset."""
        can_step, was_stepped = self.steps.can_step, self.steps.can_go_back and not self.is_playing
        playing = self.is_playing
        buttons = (
            ("step", "Step", ":material/skip_next:", self.step, can_step and not playing),
            (
                "play",
                "Pause" if playing else "Play",
                ":material/pause:" if playing else ":material/play_arrow:",
                self.play,
                (can_step and self.steps.offers_play) or playing,
            ),
            ("back", "Back", ":material/undo:", self.back, was_stepped),
            ("reset", "Reset", ":material/restart_alt:", self.reset, was_stepped),
        )
        for name, title, icon, press, is_on in buttons:
            is_pressed = st.button(
                title,
                key=f"{self.key}_{name}",
                type="primary" if name == "play" else "secondary",
                # a tick of the clock may bring a press that then comes by itself as well: until one
                # is without, the buttons do nothing, so that Pause is not taken back
                on_click=None if self.is_settling else press,
                disabled=waits or not is_on,
                icon=icon,
            )
            if name == "play" and self.is_settling and not is_pressed:
                st.rerun()


def show_stepper(
    stepper: Callable[[], Stepper[S]], draw: Callable[[], None], seconds: float
) -> None:
    """Draws a part of the page; while it plays, takes a step and draws it again every so often.

    Args:
        stepper: Returns the stepper as it is at the moment; a press may put another there.
        draw: Draws the part, its buttons included.
        seconds: Between two steps of Play: paced for the eye.
    """
    has_clock = stepper().is_playing
    st.fragment(_part, run_every=seconds if has_clock else None)(stepper, draw, has_clock)


def _part(stepper: Callable[[], Stepper[S]], draw: Callable[[], None], has_clock: bool) -> None:
    if has_clock and stepper().is_playing:
        stepper().step()
        if not stepper().is_playing:
            st.rerun()  # the clock starts and stops with the whole page
    elif stepper().is_playing:
        st.rerun()
    stepper().is_settling = has_clock and not stepper().is_playing
    draw()
