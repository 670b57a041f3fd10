"""types.d.ts and PROTOCOL.md are what both sides say: every field, event and function, no other."""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

from pages.home.session import Session

from benchmarks.harness import ROOT
from benchmarks.home_page import header_of
from model.loading import LanguageModel
from pages.frame.assets import SHARED
from pages.home import tab as tab_module
from pages.home.tab import Tab

LIVE = Path(__file__).parents[2] / "pages" / "home" / "live"
DESCRIBED = (LIVE / "PROTOCOL.md").read_text("utf-8")
TYPES = (SHARED / "types.d.ts").read_text("utf-8")
INTERFACES = {
    name: (inherited, re.findall(r"^  ([a-z_]+)\??: (.+?);(?: //|$)", body, re.MULTILINE))
    for name, inherited, body in re.findall(
        r"^interface (\w+)(?: extends (\w+)\S*)?[^{\n]* \{\n(.*?)^\}",
        TYPES,
        re.MULTILINE | re.DOTALL,
    )
}
EVENTS = {
    kind: set(re.findall(r"`([a-z_]+)`", fields))
    for kind, fields in re.findall(r"^\| `([a-z]+)` \|([^|]*)\| [^|]+ \|$", DESCRIBED, re.MULTILINE)
}
OF_EVERY_EVENT = {"n", "kind", "branch", "holds"}
BY_THEIR_OWN_NAMES = ("controls", "orders", "joined", "settings", "stages", "arrays")


def described(interface: str, prefix: str = "") -> Iterator[str]:
    """The fields of an interface of types.d.ts, those of its parts behind a point."""
    inherited, fields = INTERFACES[interface]
    if inherited in INTERFACES:
        yield from described(inherited, prefix)
    for name, kind in fields:
        yield f"{prefix}{name}"
        part = re.match(r"\w+", kind)
        if part and part[0] in INTERFACES and part[0] != "Header":
            yield from described(part[0], f"{prefix}{name}.")


FIELDS = {*described("Answer"), *described("Header")}
OF_THE_FILE = {"code.numbers"}  # the code that ran is in two places there
PUT_TOGETHER = {"ids", "joined"}  # by the page, of the prompt's and the rows'
SCRIPTS = "\n".join(
    path.read_text("utf-8") for folder in (LIVE, SHARED) for path in folder.glob("*.js")
)


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """The fields of a header as `described` names them."""
    items = value if isinstance(value, list) else [value]
    for item in items:
        for name, inner in item.items() if isinstance(item, dict) else ():
            yield f"{prefix}{name}"
            if name not in BY_THEIR_OWN_NAMES:
                yield from paths(inner, f"{prefix}{name}.")


def test_python_sends_every_field_and_no_other(storyteller: LanguageModel) -> None:
    tab = Tab(Session(storyteller, "The cat"))
    asked: list[dict[str, Any]] = [
        {"kind": "next"},
        {"kind": "inspect", "position": 2},
        {"kind": "guess", "text": "a"},
        {"kind": "unknown"},
    ]
    sent: set[str] = set()
    for event in (*asked, {"kind": "branch", "position": 3}):
        answer = header_of(tab.answer({"n": tab.ack + 1, "holds": -1, **event}))
        rows = answer["rows"]
        answer["rows"] = None
        sent |= set(paths(answer))
        assert set(rows) == {"id", "joined", *(name for name, _ in INTERFACES["Steps"][1])}
    steps = {field for field in FIELDS if field.partition(".")[0] == "steps"}
    assert sent == FIELDS - PUT_TOGETHER - steps - OF_THE_FILE


def test_the_page_reads_every_field_and_no_other() -> None:
    unread = {path for path in FIELDS if not re.search(rf"\b{path.split('.')[-1]}\b", SCRIPTS)}
    assert unread == set()
    assert set(re.findall(r"\bheader\.([a-z_]+)\b", SCRIPTS)) <= FIELDS


def test_python_answers_every_event_and_reads_no_other_field() -> None:
    answered = {name.removeprefix("_on_") for name in vars(Session) if name.startswith("_on_")}
    assert answered | {"state", "restore"} == set(EVENTS)  # of these two a tab takes care
    sources = inspect.getsource(Session) + inspect.getsource(tab_module)
    read = re.findall(r"\bevent\}?(?:\.get\(|\[|, )\"([a-z_]+)\"", sources)
    assert set(read) == OF_EVERY_EVENT.union(*EVENTS.values())


WAY = [
    (path, re.findall(r"`(\w+)`", names))
    for path, names in re.findall(r"^\| `(pages/\S+)`[^|]*\|([^|]*)\|", DESCRIBED, re.MULTILINE)
]
OF_THE_WIRE = "pages/home/route.py"  # what stands before a tab: no thread of its own runs here
MOST_FILES, MOST_FUNCTIONS = 15, 60


def entered(act: Callable[[], object]) -> dict[str, set[str]]:
    """The functions of pages/ that run meanwhile, by file; no properties, nor what has no name."""
    found: dict[str, set[str]] = defaultdict(set)

    def note(frame: FrameType, kind: str, _: object) -> None:
        code = frame.f_code
        if kind != "call" or not code.co_filename.startswith(str(ROOT / "pages")):
            return
        is_read = isinstance(
            getattr(type(frame.f_locals.get("self")), code.co_name, None),
            property | cached_property,
        )
        if not is_read and "<" not in code.co_name:
            found[str(Path(code.co_filename).relative_to(ROOT))].add(code.co_name)

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return dict(found)


def test_a_press_goes_the_way_that_is_told(storyteller: LanguageModel) -> None:
    tab = Tab(Session(storyteller, "The cat"))
    for _ in range(2):
        answer = header_of(tab.answer({"n": tab.ack + 1, "kind": "next", "holds": -1}))
    event = {"n": tab.ack + 1, "kind": "next", "holds": answer["version"], "branch": 0}
    ran = entered(lambda: tab.answer(event | {"controls": answer["controls"]}))
    told = {path: set(names) for path, names in WAY if path.endswith(".py")}
    told.pop(OF_THE_WIRE)
    assert ran == told


def test_the_way_is_short_and_each_of_its_functions_is_there() -> None:
    assert len({path for path, _ in WAY}) <= MOST_FILES
    assert sum(len(names) for _, names in WAY) <= MOST_FUNCTIONS
    for path, names in WAY:
        text = (ROOT / path).read_text("utf-8")
        for name in names:
            defined = rf"\b(?:def|function|async|get|const)? ?\b{name}\s*(?:\(|= \()"
            assert re.search(defined, text), (path, name)
