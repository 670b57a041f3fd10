"""The files that a browser asks for: our scripts and style sheets, and Streamlit's own.

Ours go out under the hash of all of them, Streamlit's under the hashes in their names: a browser
keeps both and asks no second time. Each is compressed once, when it is first asked for, and kept.
Only names that were found when the server began are ever answered: no path is put together.

Under another hash than today's nothing is found. Such a page was opened before this server began,
and files of two versions would not fit together: it says that it has to be loaded again.
"""

import gzip
import json
import re
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.frame import words
from pages.frame.words import Language

PAGES = Path(__file__).parents[1]
SHARED = PAGES / "frame" / "live"  # what several components use
KINDS = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2"}
FOR_EVER = "public, max-age=31536000, immutable"  # of what has its hash in its address
FOR_A_DAY = "public, max-age=86400"
ICONS = PAGES / "frame" / "icons.woff2"  # by benchmarks.icon_font, of Streamlit's font of icons
ALL_ICONS = "static/media/MaterialSymbols-Rounded.*.woff2"  # 375 kB, a third of home's first visit
# by benchmarks.faces, of Streamlit's fonts; named in viz/palette.py
FACES = {role: PAGES / "frame" / f"{role}.woff2" for role in ("sans", "serif")}
WEIGHTS = {"sans": "400 600", "serif": "400"}
SERVED = Path(st.__file__).parent / "static"  # what Streamlit's pages are made of

# Chromium compiles a script with this comment whole while it comes, beside the thread of the page;
# otherwise each function on that thread when it is first called: 500 of the 600 ms to begin Plotly
_COMPILED_WHOLE = b"//# allFunctionsCalledOnLoad\n"
_LARGE = "PlotlyChart."  # a module of Streamlit's of which much is called at once

_NOTE = re.compile(rb"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*$", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^(?:import|export)\b[^;\"]*\"(\.{1,2}/[^\"]+\.js)\";$", re.MULTILINE)


class Asset:
    """What one address answers, compressed when it is first asked for."""

    def __init__(
        self, kind: str, read: Callable[[], bytes], caching: str = FOR_EVER, varies: str = ""
    ) -> None:
        """Takes the content's type, what reads it, how long it is kept, and what it varies by."""
        self.read = read
        self._headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Cache-Control": caching,
            "Vary": f"Accept-Encoding{varies and f', {varies}'}",
            "X-Content-Type-Options": "nosniff",
        }
        self._packing = threading.Lock()

    @cached_property
    def _packed(self) -> tuple[bytes, str]:
        packed = gzip.compress(self.read(), 9, mtime=0)
        return packed, f'"{sha256(packed).hexdigest()[:16]}"'

    def _pack(self) -> tuple[bytes, str]:
        with self._packing:  # of many who ask at once, one compresses
            return self._packed

    async def answer(self, headers: Headers) -> Response:
        """Answers a GET or HEAD: whole, or that what the browser has is still so."""
        packed, tag = (
            self._packed if "_packed" in self.__dict__ else await run_in_threadpool(self._pack)
        )
        about = self._headers | {"ETag": tag}
        known = headers.get("if-none-match", "").replace("W/", "").split(",")
        if {tag, "*"} & {each.strip() for each in known}:
            return Response(status_code=304, headers=about)
        if takes_gzip(headers):
            return Response(packed, headers=about | {"Content-Encoding": "gzip"})
        return Response(self.read(), headers=self._headers)


def takes_gzip(headers: Headers) -> bool:
    """Tells whether a browser takes an answer that is compressed."""
    offers = headers.get("accept-encoding", "").replace(" ", "").lower().split(",")
    return any(re.fullmatch(r"gzip(;q=(0\.\d*[1-9]\d*|1(\.0*)?))?", offer) for offer in offers)


_FILES = {
    path.relative_to(PAGES).as_posix(): path.read_bytes()
    for path in sorted(PAGES.rglob("*"))
    if path.suffix in KINDS and path != ICONS
}
_HASH = sha256(b"".join(name.encode() + b"\0" + file for name, file in _FILES.items())).hexdigest()
ROOT = f"assets/{_HASH[:16]}"


def address(name: str) -> str:
    """Returns where a script or style sheet is served, below the server's base path.

    Raises:
        KeyError: where there is no such file under `pages/`.
    """
    return f"{ROOT}/{name}" if name in _FILES else _FILES[name].decode()


def address_of_words(language: Language) -> str:
    """Returns where a language's catalogue is served; empty for English, which needs none."""
    if language is words.ENGLISH:
        return ""
    return f"{ROOT}/words/{words.version(language)}/{language.tag}.json"


def _written(language: Language) -> bytes:
    return json.dumps(words.for_browser(language), ensure_ascii=False).encode()


def name_of(path: Path) -> str:
    """Returns the name of a file under `pages/`, by which the others here know it."""
    return path.relative_to(PAGES).as_posix()


def source(name: str) -> str:
    """Returns a script or style sheet as text."""
    return _FILES[name].decode()


def imports(name: str) -> list[tuple[tuple[int, int], str]]:
    """Finds what a module imports: where in its text each statement stands, and whose it is."""
    folder = (PAGES / name).parent
    return [
        (found.span(), name_of((folder / found[1]).resolve()))
        for found in _IMPORT.finditer(source(name))
    ]


def modules(*entries: str) -> tuple[str, ...]:
    """Returns some modules and all that they need, each after those that it imports.

    Raises:
        ValueError: where modules import each other in a circle.
    """
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"{name} imports itself, by way of {above[-1]}.")
        for _, needed in imports(name):
            if needed not in ordered:
                visit(needed, (*above, name))
        ordered[name] = None

    for entry in entries:
        visit(entry, ())
    return tuple(ordered)


def faces(address_of: Callable[[str], str]) -> str:
    """Returns the rules that name the two faces of type.

    Args:
        address_of: Gives where a file under `pages/` is found by the page that has the rules.
    """
    return "".join(
        f"@font-face{{font-family:'One Token {role.title()}';font-weight:{WEIGHTS[role]};"
        f"font-display:swap;src:url({address_of(name_of(path))}) format('woff2')}}\n"
        for role, path in FACES.items()
    )


def in_data(name: str) -> str:
    """Returns a face as an address that holds it, for a page that is one file."""
    return f"data:font/woff2;base64,{b64encode(_FILES[name]).decode()}"


def page_sheets() -> tuple[str, ...]:
    """Returns the style sheets of pages: the frame's, then those of topics, by name."""
    return tuple(name for name in _FILES if name.endswith("/page.css"))


def presenter_sheets() -> tuple[str, ...]:
    """Returns the style sheets of a page on a projector: the frame's, then those of topics."""
    return tuple(name for name in _FILES if name.endswith("/presenter.css"))


def style_of(*sheets: str) -> str:
    """Returns style sheets as an element, for a page that has them besides those of all."""
    return f"<style>{''.join(map(source, sheets))}</style>"


def style_sheets(*paths: Path) -> tuple[str, ...]:
    """Returns some style sheets, and those of folders and their rooms: the base, the rest by name.

    Those of `lazy/` are fetched once they are wanted; those of pages are there already.
    """
    found = [one for path in paths for one in (path.rglob("*.css") if path.is_dir() else [path])]
    sheets = [path for path in found if path.parent != SHARED / "lazy" and path.name != "page.css"]
    sheets.sort(key=lambda path: (path.name != "base.css", path.name))
    return tuple(map(name_of, sheets))


ABSENT = PlainTextResponse("Not found", status_code=404, headers={"Cache-Control": "no-store"})


def without_notes(script: bytes) -> bytes:
    """Leaves out what is told to who writes a script, and keeps its lines where they are."""
    return _NOTE.sub(lambda found: b"\n" * found[0].count(b"\n"), script)


def _served_files() -> Iterable[tuple[str, Asset]]:
    for name in _FILES:
        yield address(name), Asset(KINDS[Path(name).suffix], partial(_read_ours, name))
    for language in words.languages().values():
        if where := address_of_words(language):
            yield where, Asset("application/json", partial(_written, language))
    for path in SERVED.glob("static/*/*"):
        if path.suffix in KINDS:
            read = partial(_read_streamlits, path)
            yield path.relative_to(SERVED).as_posix(), Asset(KINDS[path.suffix], read)
    for path in SERVED.glob(ALL_ICONS):  # the hash in its address is of the whole font
        font = Asset("font/woff2", ICONS.read_bytes, FOR_A_DAY)
        yield path.relative_to(SERVED).as_posix(), font


def _read_ours(name: str) -> bytes:
    return without_notes(_FILES[name]) if name.endswith(".js") else _FILES[name]


def _read_streamlits(path: Path) -> bytes:
    begins = _COMPILED_WHOLE if path.name.startswith(_LARGE) else b""
    return begins + path.read_bytes()


class Files:
    """Answers for these files before any request reaches Streamlit; the rest passes.

    A middleware, as Streamlit lets no route of an app's own begin with `/static/`.
    """

    def __init__(self, app: ASGIApp, base: str) -> None:
        """Takes what answers all other requests, and the server's base path."""
        self.app = app
        self.ours = f"{base}/assets/"
        self.files = {f"{base}/{name}": kept for name, kept in _served_files()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        answering = self.app
        if scope["type"] == "http" and scope["method"] in {"GET", "HEAD"}:
            path, headers = scope["path"], Headers(scope=scope)
            is_ours = path.startswith(self.ours)
            kept = self.files.get(path)
            # a part of a file of Streamlit's, or one that is not compressed, is Streamlit's to give
            if kept and (is_ours or (takes_gzip(headers) and "range" not in headers)):
                answering = await kept.answer(headers)
            elif is_ours:
                answering = ABSENT
        await answering(scope, receive, send)


def middleware(base: str) -> tuple[Middleware, ...]:
    """Returns what answers for these files, below the server's base path."""
    return (Middleware(Files, base=base),)
