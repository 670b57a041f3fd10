"""The teacher's key of a room in the teacher's browser, so that a reload comes back to it.

Its script also looks whether the server still answers, and says so where it does not. The key is
in a cookie and not in the address: the address is on the projector.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from model.classroom.room import IDLE_SECONDS, Room
from pages.frame.component import component

COOKIE = "one_token_room"


def keep_key(room: Room) -> None:
    """Have the browser keep the key."""
    data = {"name": COOKIE, "value": f"{room.code}.{room.key}", "seconds": int(IDLE_SECONDS)}
    _keep(key="classroom_keep", data=data, height="content")


def forget_key() -> None:
    """Have the browser let go of the key of a room that is over."""
    _keep(key="classroom_forget", data={"name": COOKIE, "value": "", "seconds": 0})


def kept_key() -> tuple[str, str] | None:
    """Return the code and key that the browser keeps; None where it keeps none."""
    code, dot, key = str(st.context.cookies.get(COOKIE, "")).partition(".")
    return (code, key) if dot else None


_keep = component("classroom_keep", Path(__file__).with_name("keep.js"))
