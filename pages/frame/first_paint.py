"""The pages as the browser first gets them: Streamlit's own, with our style sheet in them.

A style that came with a page's first elements would come after they are painted, and move them. It
stands in the body: of rules alike, those of Streamlit, in the head, come first.
"""

import re
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.frame import words
from pages.frame.assets import (
    FACES,
    PAGES,
    SERVED,
    SHARED,
    Asset,
    address,
    address_of_words,
    faces,
    modules,
    name_of,
    page_sheets,
    presenter_sheets,
    source,
    style_sheets,
)
from pages.frame.contents import APP, LESSONS, lesson_at
from pages.frame.words import Language
from viz.palette import code, root_rule, sizes

_SHEET = "\n".join(source(sheet) for sheet in ("frame/live/terms.css", *page_sheets()))
_WITH_UNIT = ':is([data-testid="stBidiComponentIsolated"], .stHtml)'  # of their own
_OTHER_LETTERS = {"ar", "zh-Hans"}  # than our faces have: their pages are set in the system's
_FACES = faces(lambda name: f"./{address(name)}")
STYLE = f"<style>{_FACES}{root_rule()}{_WITH_UNIT} {{{sizes()}}}\n{_SHEET}</style>"
# of a page that its address says to be on a projector; the announcer takes it away with the switch
_LARGE = f"<style data-large>{''.join(map(source, presenter_sheets()))}</style>"
_FONT = re.compile(r"<link[^>]+as=\"font\"[^>]*>")  # of Streamlit's theme, which is not ours
_NEEDED = re.compile(r"(?:from|import)\s*\"\./([^\"]+\.js)\"")  # by a module of Streamlit's
# Streamlit's modules for the first screens: asked for at once, they are there when they are needed
_OF_ALL = ("BidiComponent", "Button", "Checkbox", "Html", "PageLink")
_OF_HOME = ("DownloadButton",)
_OF_LESSONS = ("ButtonGroup", "TextInput", "Slider", "Selectbox", "NumberInput")
_OF_FIGURES = ("PlotlyChart",)  # 4.7 MB, compiled while the page begins, or else its figure waits
# and ours
_ENTRIES = ("frame/announcer.js", "frame/address.js")
_OWN = {
    "": ("home/live/mount.js", "home/to_top.js"),
    "sampling": ("lessons/sampling/mount.js",),
    "guess": ("lessons/guess/mount.js",),
}
# two tokens that were given, one that was drawn
_ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    f'<path d="M1 9h8v14H1zM12 9h8v14h-8z" fill="{code("prompt", "dark")}"/>'
    f'<path d="M23 7h8v18h-8z" fill="{code("kept", "light")}"/></svg>'
)
PAGE = (
    _FONT.sub("", (SERVED / "index.html").read_text("utf-8"))
    .replace("<title>Streamlit</title>", f"<title>{APP}</title>")
    .replace("./favicon.png", _ICON)
    .replace("</body>", f"{STYLE}</body>")
)


def _preloads(name: str) -> Iterable[str]:
    """Returns what the page of that name needs, so that it is asked for before it is imported."""
    figures = _OF_FIGURES if name and lesson_at(f"pages/{name}.py").has_figure else ()
    for module in _streamlits(*_OF_ALL, *(_OF_LESSONS if name else _OF_HOME), *figures):
        yield _MODULE.format(f"static/js/{module}")
    own = _OWN.get(name, ())
    yield from (_MODULE.format(address(module)) for module in modules(*_ENTRIES, *own))
    for entry in own[:1]:
        sheets = style_sheets(SHARED, (PAGES / entry).parent)
        yield from (_TEXT.format(address(sheet)) for sheet in sheets)


_SCRIPT = '<script type="module" crossorigin src="./{}"></script>'
# low: of six connections one is to be free for what Streamlit asks before it connects
_MODULE = '<link rel="modulepreload" fetchpriority="low" crossorigin href="./{}">'
_FACE = (
    '<link rel="preload" fetchpriority="low" as="font" type="font/woff2" crossorigin href="./{}">'
)
_TEXT = '<link rel="preload" as="fetch" fetchpriority="low" crossorigin href="./{}">'
_NAMES = {"" if lesson.is_home else Path(lesson.path).stem for lesson in LESSONS}


def _streamlits(*names: str) -> set[str]:
    """Returns the files of modules of Streamlit's, and of all that they import."""
    found: set[str] = set()
    wanted = [path.name for name in names for path in SERVED.glob(f"static/js/{name}.*.js")]
    while wanted:
        if (module := wanted.pop()) not in found:
            found.add(module)
            wanted += _NEEDED.findall((SERVED / "static" / "js" / module).read_text("utf-8"))
    return {module for module in found if module not in PAGE}


@cache
def _page(name: str, language: Language, is_presenting: bool) -> Asset:
    where = address_of_words(language)
    has_faces = language.tag not in _OTHER_LETTERS
    head = "".join(_FACE.format(address(name_of(path))) for path in FACES.values() if has_faces)
    head += _SCRIPT.format(address("frame/in_order.js")) + "".join(_preloads(name))
    head += _TEXT.format(where) if where else ""
    text = PAGE.replace("</head>", f"{head}</head>").replace(ROOT_TAG, root_tag(language, where))
    text = text.replace(STYLE, f"{_LARGE}{STYLE}") if is_presenting else text
    text = text if has_faces else text.replace(_FACES, "")
    return Asset("text/html", text.encode, "no-cache", "Accept-Language")


ROOT_TAG = '<html lang="en">'  # of every page, as it lies on the disk


def root_tag(language: Language, where: str) -> str:
    """Returns the tag of a page's root: its language, and where the language's words are."""
    attributes = {"lang": language.tag, "dir": language.direction, "data-words": where}
    attributes |= {"data-languages": " ".join(words.languages())}
    written = [f' {name}="{said}"' for name, said in attributes.items() if said]
    return f"<html{''.join(written)}>"


def base_path() -> str:
    """Returns what all addresses of this server begin with: "" or such as "/tokens"."""
    base = str(st.config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def routes(base: str) -> tuple[Route, ...]:
    """Returns the addresses of the pages, below the server's base path."""
    return tuple(Route(f"{base}/{name}", _answering(name)) for name in _NAMES)


def _answering(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        is_presenting = request.query_params.get("present") == "1"
        page = _page(name, words.spoken_in(request), is_presenting)
        return await page.answer(request.headers)

    return answer


def late_style() -> str:
    """Returns the style sheet for a reader who came by an address that is no page's."""
    path = urlsplit(st.context.url or "").path
    is_page = path.rpartition("/")[2] in _NAMES
    return "" if st.session_state.setdefault("came_by_a_page", is_page) else STYLE
