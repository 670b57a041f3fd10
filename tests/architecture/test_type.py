"""Type has five sizes, two faces and that of code, two weights: all are tokens of the palette."""

import ast
import re
import tomllib
from collections.abc import Iterator

import pytest

from pages.frame.first_paint import STYLE
from tests.architecture.sources import ROOT
from viz.palette import SIZES, root_rule

_SIZE = rf"var\(--size-(?:{'|'.join(SIZES)}|_)\)"  # the last in a Python string that is formatted
_FACE = r"var\(--(?:read|sans|mono)\)"
ALLOWED = {
    "font-size": rf"inherit|{_SIZE}",
    "font-family": rf"inherit|{_FACE}",
    "font-weight": r"inherit|400|600",
    "font": rf"inherit|(?:[46]00 )?{_SIZE}(?: ?/ ?[\d.]+)? {_FACE}",
}
# geometry: what is as large as the drawing in which it stands
MEASURED = {
    ("pages/frame/assets.py", "_"): "the weights that a face has",
    (
        "pages/frame/live/motion.js",
        "size(from)",
    ): "a token in flight grows from one size to another",
    ("pages/frame/live/motion.js", "size(to)"): "a token in flight grows from one size to another",
    ("pages/home/live/figures/paint.js", "size"): "words in the picture that is saved",
    ("pages/home/live/figures/paint.js", "this.faces[face]"): "read from the page, for the picture",
    ("pages/home/live/figures/paint.js", "${size"): "the canvas on which those words are measured",
    ("pages/home/live/figures/paint.js", "weight"): "words in the picture that is saved",
    (
        "pages/lessons/classroom/projector.css",
        "calc(5rem / var(--letters))",
    ): "as its column is wide",
    (
        "pages/lessons/classroom/projector.css",
        "min(16.5rem / var(--letters), (100vw - 84vh - 5rem) / (1.05 * var(--letters)))",
    ): "as the lobby is wide",
    (
        "pages/lessons/classroom/projector.css",
        "clamp(.45rem, 8.2rem / var(--letters), var(--size-small))",
    ): "as its column is wide",
    ("pages/lessons/futures/icicle.js", "${fontSize"): "the canvas on which names are measured",
    (
        "pages/frame/live/scene_marks.js",
        "calc(1.5 * var(--size-text))",
    ): "the pieces of a word, which are counted",
    (
        "pages/frame/live/scene_marks.js",
        "calc(0.8 * var(--size-text))",
    ): "a text of a hundred tokens",
    (
        "viz/causal_mask/triangle.py",
        "clamp(1rem,min(2.2vw,3.4vh),1.8rem)/1.3 var(--read)",
    ): "a grid as wide as the window",
    (
        "viz/constraints/walk_picture.py",
        "clamp(.875rem,1.3vw,var(--size-body)) var(--read)",
    ): "bars as wide as the window",
    (
        "viz/constraints/walk_picture.py",
        "clamp(1rem,1.3vw,var(--size-lead))",
    ): "bars as wide as the window",
    (
        "viz/encoder_decoder/endings.py",
        "max(min(4.6vw,var(--size-lead)),min(2.9vw,4.2vh,2.3rem))",
    ): "sentences as wide as the window",
    (
        "viz/encoder_decoder/endings.py",
        "clamp(1rem,1.5vw,var(--size-lead))",
    ): "beside sentences as wide as the window",
}
_DECLARED = re.compile(
    r"""(?<![-\w])["']?(font(?:-(?:size|family|weight))?)["']?: *([^;}"'`<\n]+)"""
)
_SCRIPTED = re.compile(
    r"""\b(font(?:Size|Family|Weight)|(?<=\.)font)\b["']?(?: *: *| *= *)(?!=)["'`]?([^;,}"'`\n]+)"""
)


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings of a source; what is put into one is an underscore."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(p.value) if isinstance(p, ast.Constant) else "_" for p in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from strings(child)


def declared(text: str, suffix: str) -> Iterator[tuple[str, str]]:
    """Yield each property of type that a source sets, and its value."""
    if suffix == ".py":
        for string in strings(ast.parse(text)):
            yield from declared(string, ".css")
        return
    for name, value in _DECLARED.findall(text):
        yield name, value
    if suffix == ".js":
        for name, value in _SCRIPTED.findall(text):
            yield re.sub("[A-Z]", lambda big: f"-{big[0].lower()}", name), value


def refused(text: str, suffix: str) -> list[str]:
    """Return the values in a source that are no tokens."""
    found = declared(text.replace("!important", ""), suffix)
    return [v for name, value in found if not re.fullmatch(ALLOWED[name], v := value.strip(" ,"))]


def test_every_size_face_and_weight_is_a_token() -> None:
    paths = [path for room in ("pages", "viz") for path in (ROOT / room).rglob("*")]
    files = {
        p.relative_to(ROOT).as_posix(): p
        for p in paths
        if p.suffix in {".css", ".js", ".py", ".html"}
    }
    found = {
        (name, value)
        for name, path in files.items()
        for value in refused(path.read_text("utf-8"), path.suffix)
    }
    assert found == set(MEASURED)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".css", "p { font-size: 13px; }"),
        (".css", "p { font-size: 1.1em !important; }"),
        (".css", "p { font-size: max(12px, var(--size-small)); }"),
        (".css", "p { font-size: var(--size-tiny); }"),
        (".css", "p{font-size:larger}"),
        (".css", "p { font: 15px/1.4 var(--sans); }"),
        (".css", "p { font: var(--size-body) Georgia, serif; }"),
        (".css", "p { font: 700 var(--size-body) var(--sans); }"),
        (".css", "p { font-weight: bold; }"),
        (".css", "p { font-family: monospace; }"),
        (".html", '<p style="font-size: 2vmin">'),
        (".js", 'node.style.cssText = "margin:0;font-size:1.15rem";'),
        (".js", 'node.style.fontSize = "13px";'),
        (".js", 'node.style.font = "13px serif";'),
        (".js", "canvas.font = `${size}px serif`;"),
        (".js", 'el("p", { style: { fontSize: "13px" } });'),
        (".js", 'el("text", { "font-size": 13 });'),
        (".py", 'look = "color:red;font-size:.9rem"'),
        (".py", 'look = f"color:{tone};font-size:{size}rem"'),
        (".py", 'look = f"font:14px/1.35 {FONT}"'),
        (".py", 'look = ("color:red;" "font-size:.9rem")'),
    ],
)
def test_another_value_is_refused(suffix: str, text: str) -> None:
    assert refused(text, suffix)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".css", "p { font: 400 var(--size-body) / 1.4 var(--sans); font-weight: 600 }"),
        (
            ".css",
            "p { font-size: var(--size-small); font-family: var(--mono); font-variant: none }",
        ),
        (".js", "const now = parseFloat(getComputedStyle(bar).fontSize);"),
        (".js", "if (style.font === other) return;"),
        (".py", 'look = f"font-size:var(--size-{size})"'),
        (".py", "def place(font: dict[str, object]) -> None: ..."),
        (".py", 'font = {"size": 13}'),
    ],
)
def test_a_token_is_taken(suffix: str, text: str) -> None:
    assert not refused(text, suffix)


def test_five_sizes_follow_one_unit_and_are_those_of_the_theme() -> None:
    sizes = re.findall(r"--size-(\w+):calc\(([\d.]+)\*var\(--unit\)\)", root_rule())
    assert {name: float(n) for name, n in sizes} == SIZES
    assert len(SIZES) == 5
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
    assert {float(size.removesuffix("rem")) for size in theme["headingFontSizes"]} <= set(
        SIZES.values()
    )
    units = re.findall(r":root ?\{[^}]*--unit: ?([^;]+);", STYLE)
    assert units == ["1rem"], "the style of another page is in that of the app's"
