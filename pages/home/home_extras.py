"""Below the live component: claims to try, the run as files."""

from functools import partial

import streamlit as st

from pages.frame.claims import CLAIMS, Claim
from pages.frame.layout import is_presenting
from pages.frame.offers import default_model
from pages.frame.saved_run import KIND, MAX_MEGABYTES
from pages.frame.uploads import give_back
from pages.home.branch import Notice
from pages.home.component import to_top
from pages.home.in_page_file import live_page, runs_in_page
from pages.home.link import follow, read_link, write_whole
from pages.home.replay_page import replay_page
from pages.home.run_export import SAVED_RUN, read_run, run_record
from pages.home.session import Session
from pages.home.tab import Tab
from viz.home.run_export import to_csv, to_json

HOME_CLAIMS = tuple(claim for claim in CLAIMS if claim.page == "generate")
FILES = {
    "csv": ("Table, CSV", "text/csv", "utf-8-sig"),  # the mark is for Excel
    "json": (KIND, "application/json", "utf-8"),
    "html": ("Replay, HTML", "text/html", "utf-8"),
    "live.html": ("Live page, HTML", "text/html", "utf-8"),  # with the model in it
}


@st.fragment
def show_experiments(tab: Tab) -> None:
    """Offers the claims of this page, each set up by one press.

    What is folded away is not in the page: a browser looks at all that is there after every step.
    """
    drawer = st.expander("Try these claims on this model", key="experiments", on_change="rerun")
    for claim in HOME_CLAIMS if drawer.open else ():
        with drawer.container(horizontal=True, vertical_alignment="center", wrap=False):
            is_chosen = st.button(
                "Set up",
                key=f"try_{claim.id}",
                on_click=_set_up,
                args=(tab, claim),
                help=f"{claim.id}: set this page up for it.",
            )
            st.markdown(f"**{claim.sentence}** {claim.where}")
        if is_chosen:
            st.session_state["n_set_up"] = st.session_state.get("n_set_up", 0) + 1
            st.rerun()  # the whole page shows what was set up
    to_top(st.session_state.get("n_set_up", 0))


def _set_up(tab: Tab, claim: Claim) -> None:
    with tab.lock:
        set_up(tab.session, claim)


def set_up(session: Session, claim: Claim) -> None:
    """Brings the session to where the claim is tried; what was on the page stays a branch."""
    session.notice = None
    for query, keep in ((claim.beside, False), (claim.query, bool(claim.beside))):
        if query:
            link = read_link(query, default_model())
            session.start(link.prompt, link.seed, keep=keep)
            follow(session, link)


def show_files(tab: Tab) -> None:
    """Offers the run as files, made when they are asked for; one of them can be opened again."""
    st.caption("Keep this run: the link reproduces it, the files record it.")
    with st.container(horizontal=True, key="keep"):
        for kind, (label, mime, encoding) in FILES.items():
            if kind == "live.html" and not runs_in_page(tab.session.lm):
                continue
            st.download_button(
                label,
                data=partial(_file, tab, kind, encoding, is_presenting()),
                file_name=f"one-token-at-a-time.{kind}",
                mime=mime,
                key=f"save_{kind.replace('.', '_')}",
                on_click="ignore",
            )
        with st.popover("Open a saved run", icon=":material/folder_open:"):
            st.file_uploader(
                f"A run that “{KIND}” saved",
                type="json",
                key="run_file",
                on_change=_take_run,
                args=(tab,),
                max_upload_size=MAX_MEGABYTES,
            )


def _take_run(tab: Tab) -> None:
    file = st.session_state["run_file"]
    try:
        if file is not None:
            data = file.getvalue()
            give_back(file)
            st.session_state[SAVED_RUN] = read_run(data)
    except ValueError as error:
        tab.session.notice = Notice("error", str(error))


def _file(tab: Tab, kind: str, encoding: str, presenter: bool) -> bytes:
    session = tab.session
    if kind == "live.html":
        return live_page(session.lm, write_whole(session, session.active)).encode(encoding)
    if kind == "html":
        return replay_page(session, presenter=presenter).encode(encoding)
    write = to_csv if kind == "csv" else to_json
    return write(run_record(session)).encode(encoding)
