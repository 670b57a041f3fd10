"""The pages as the browser first gets them: Streamlit's own, with our style sheet in them.

A style that came with a page's first elements would come after they are painted, and move them. It
stands in the body: of rules alike, those of Streamlit, in the head, come first.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pages.frame.contents import APP, LESSONS
from viz.palette import code, declarations

_SHEET = Path(__file__).with_name("page.css").read_text("utf-8")
STYLE = f"<style>:root {{{declarations()}}}\n{_SHEET}</style>"
_SERVED = Path(st.__file__).parent / "static"
# what most pages have: asked for at once, they are there when the page is laid out
_EARLY = ("StreamlitMarkdown", "Checkbox", "TextInput", "Slider", "Selectbox", "NumberInput")
_PRELOADS = "".join(
    f'<link rel="modulepreload" crossorigin href="./{path.relative_to(_SERVED).as_posix()}">'
    for name in _EARLY
    for path in sorted(_SERVED.glob(f"static/js/{name}.*.js"))
)
# two tokens that were given, one that was drawn
_ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    f'<path d="M1 9h8v14H1zM12 9h8v14h-8z" fill="{code("prompt", "dark")}"/>'
    f'<path d="M23 7h8v18h-8z" fill="{code("kept", "light")}"/></svg>'
)
_PAGE = (
    (_SERVED / "index.html")
    .read_text("utf-8")
    .replace("<title>Streamlit</title>", f"<title>{APP}</title>")
    .replace("./favicon.png", _ICON)
    .replace("</head>", f"{_PRELOADS}</head>")
    .replace("</body>", f"{STYLE}</body>")
)


async def _page(_request: Request) -> HTMLResponse:
    return HTMLResponse(_PAGE, headers={"Cache-Control": "no-cache"})


_NAMES = {"" if lesson.is_home else Path(lesson.path).stem for lesson in LESSONS}


def base_path() -> str:
    """Return what all addresses of this server begin with: "" or such as "/tokens"."""
    base = str(st.config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def routes(base: str) -> tuple[Route, ...]:
    """Return the addresses of the pages, below the server's base path."""
    return tuple(Route(f"{base}/{name}", _page) for name in _NAMES)


def late_style() -> str:
    """Return the style sheet for a reader who came by an address that is no page's."""
    path = urlsplit(st.context.url or "").path
    is_page = path.rpartition("/")[2] in _NAMES
    return "" if st.session_state.setdefault("came_by_a_page", is_page) else STYLE
