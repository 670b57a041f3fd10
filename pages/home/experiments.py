"""The claims of the home page, each set up so that a press answers it."""

from __future__ import annotations

from pages.frame.claims import CLAIMS, Claim
from pages.frame.models import default_model
from pages.home.link import follow, read_link
from pages.home.session import Session

HOME_CLAIMS = tuple(claim for claim in CLAIMS if claim.page == "generate")


def set_up(session: Session, claim: Claim) -> None:
    """Bring the session to where the claim is tried; what was on the page stays a branch."""
    session.notice = None
    for query, keep in ((claim.beside, False), (claim.query, bool(claim.beside))):
        if query:
            link = read_link(query, default_model())
            session.start(link.prompt, link.seed, keep=keep)
            follow(session, link)
