"""Below the live component: claims to try."""

from urllib.parse import urlencode

import streamlit as st

from pages.frame.claims import CLAIMS, Claim
from pages.frame.words import _
from pages.home.component import to_top
from pages.home.tab import Tab

HOME_CLAIMS = tuple(claim for claim in CLAIMS if claim.page == "generate")


@st.fragment
def show_experiments(tab: Tab) -> None:
    """Offers the claims of this page, each set up by one press.

    What is folded away is not in the page: a browser looks at all that is there after every step.
    """
    drawer = st.expander(_("Try these claims on this model"), key="experiments", on_change="rerun")
    for claim in HOME_CLAIMS if drawer.open else ():
        with drawer.container(horizontal=True, vertical_alignment="center", wrap=False):
            is_chosen = st.button(
                _("Set up"),
                key=f"try_{claim.id}",
                on_click=set_up,
                args=(tab, claim),
                help=_("{claim}: set this page up for it.", claim=claim.id),
            )
            st.markdown(f"**{claim.sentence}** {claim.where}")
        if is_chosen:
            st.session_state["n_set_up"] = st.session_state.get("n_set_up", 0) + 1
            st.rerun()  # the whole page shows what was set up
    to_top(st.session_state.get("n_set_up", 0))


def set_up(tab: Tab, claim: Claim) -> None:
    """Asks the page to open the claim's texts; what is on it stays a branch."""
    texts = ((claim.beside, False), (claim.query, bool(claim.beside)))
    said = [{"query": urlencode(query), "keep": keep} for query, keep in texts if query]
    tab.command("open", texts=said)
