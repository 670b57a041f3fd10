"""Below the live component: figures at leisure, experiments to try, the run as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from model.records import RunRecord
from pages.frame.figures import theme_now
from pages.home.experiments import HOME_CLAIMS, set_up
from pages.home.run_export import run_record
from pages.home.session import Session
from viz.chart import Chart
from viz.home import run_export
from viz.home.timing_chart import timing_figure
from viz.kv_cache.growth_chart import cache_figure
from viz.palette import Theme

FILES = {
    "csv": ("Table, CSV", "text/csv", "utf-8-sig", run_export.to_csv),  # the mark is for Excel
    "json": ("All of it, JSON", "application/json", "utf-8", run_export.to_json),
    "html": ("Replay, HTML", "text/html", "utf-8", run_export.to_html),
}


def show_figures(session: Session) -> None:
    """Draw cache and clock as they are now."""
    cache_chart, timing_chart = draw_figures(session, theme_now())
    left, right = st.columns(2, gap="medium")
    with left:
        st.plotly_chart(cache_chart.figure, key="cache_chart", theme=None, alt=cache_chart.alt)
        st.caption(cache_chart.caption)
    with right:
        st.plotly_chart(timing_chart.figure, key="timing_chart", theme=None, alt=timing_chart.alt)
        st.caption(timing_chart.caption)


def draw_figures(session: Session, theme: Theme) -> tuple[Chart, Chart]:
    """Draw how the cache grew, and how long each pass took."""
    lm, generation = session.lm, session.generation
    where = lm.where
    return (
        cache_figure(generation.passes, lm.cache_shape, theme, generation.bytes_held),
        timing_figure(generation.passes, theme, where),
    )


@st.fragment
def show_experiments(session: Session) -> None:
    """Offer the claims of this page, each set up by one press.

    What is folded away is not in the page: a browser looks at all that is there after every step.
    """
    drawer = st.expander("Try these claims on this model", key="experiments", on_change="rerun")
    for claim in HOME_CLAIMS if drawer.open else ():
        with drawer.container(horizontal=True, vertical_alignment="center", wrap=False):
            is_chosen = st.button(
                "Set up",
                key=f"try_{claim.id}",
                on_click=set_up,
                args=(session, claim),
                help=f"{claim.id}: set this page up for it.",
            )
            st.markdown(f"**{claim.sentence}** {claim.where}")
        if is_chosen:
            st.rerun()  # the whole page shows what was set up


def show_files(session: Session) -> None:
    """Offer the run as files; they are made when they are asked for, so they are never stale."""
    st.caption("Keep this run: the link reproduces it, the files record it.")
    with st.container(horizontal=True, key="keep"):
        for kind, (label, mime, encoding, write) in FILES.items():
            st.download_button(
                label,
                data=partial(_file, session, write, encoding),
                file_name=f"one-token-at-a-time.{kind}",
                mime=mime,
                key=f"save_{kind}",
                on_click="ignore",
            )


def _file(session: Session, write: Callable[[RunRecord], str], encoding: str) -> bytes:
    return write(run_record(session)).encode(encoding)
