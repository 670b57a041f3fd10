"""The teacher's key of a room in the teacher's browser, so that a reload comes back to it.

It is a cookie and not a part of the address: the address is on the projector.
"""

from __future__ import annotations

import streamlit as st

from model.classroom.room import IDLE_SECONDS, Room

COOKIE = "one_token_room"
_KEEP = """
export default ({ data }) => {
  const path = location.pathname.replace(/[^/]*$/, "");
  const limits = `path=${path}; max-age=${data.seconds}; SameSite=Strict`;
  document.cookie = `${data.name}=${data.value}; ${limits}`;
};
"""


def keep_key(room: Room) -> None:
    """Have the browser keep the key."""
    data = {"name": COOKIE, "value": f"{room.code}.{room.key}", "seconds": int(IDLE_SECONDS)}
    _keep(key="classroom_keep", data=data, height="content")


def kept_key() -> tuple[str, str] | None:
    """Return the code and key that the browser keeps; None where it keeps none."""
    code, dot, key = str(st.context.cookies.get(COOKIE, "")).partition(".")
    return (code, key) if dot else None


_keep = st.components.v2.component("classroom_keep", js=_KEEP)
