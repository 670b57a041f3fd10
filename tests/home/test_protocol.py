"""types.d.ts and PROTOCOL.md are what both sides say: every field, event and function, no other."""

import json
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from model.loading import LanguageModel
from pages.frame.assets import SHARED
from pages.home import route
from pages.home.tab import Tab
from tests.driving.harness import ROOT
from tests.driving.home_page import Reader, header_of
from tests.driving.in_page import InPage
from tests.home.home_text import post_to, request
from tests.home.page_session import PageSession

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
    for kind, fields in re.findall(
        r"^\| `([a-z ]+)` \|([^|]*)\| [^|]+ \|$", DESCRIBED, re.MULTILINE
    )
}
ROOMS = (LIVE, LIVE / "figures", LIVE / "controls")
FIGURES = "\n".join(path.read_text("utf-8") for room in ROOMS for path in room.glob("*.js"))
OF_AROUND = {"seed", "chat", "open", "open run", "model", "say"}  # the page around the component
OF_EVERY_EVENT = {"kind", "branch"}
BY_THEIR_OWN_NAMES = ("controls", "orders", "joined", "settings", "stages", "terms")
OF_THE_FILE = {"code.numbers"}  # the code that ran is in two places there
SCRIPTS = "\n".join(path.read_text("utf-8") for path in [*LIVE.rglob("*.js"), *SHARED.glob("*.js")])


def described(interface: str, prefix: str = "") -> Iterator[str]:
    """The fields of an interface of types.d.ts, those of its parts behind a point."""
    inherited, fields = INTERFACES[interface]
    if inherited in INTERFACES:
        yield from described(inherited, prefix)
    for name, kind in fields:
        yield f"{prefix}{name}"
        part = re.search(r"\w+", kind.replace("Pick<", ""))
        if part and part[0] in INTERFACES and "Pick<" not in kind:
            yield from described(part[0], f"{prefix}{name}.")


FIELDS = {*described("Header")}


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """The fields of a header as `described` names them."""
    items = value if isinstance(value, list) else [value]
    for item in items:
        for name, inner in item.items() if isinstance(item, dict) else ():
            yield f"{prefix}{name}"
            if name not in BY_THEIR_OWN_NAMES:
                yield from paths(inner, f"{prefix}{name}.")


def test_the_session_shows_every_field_and_no_other(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session, shown = PageSession(in_page, storyteller, "The cat"), set[str]()
    for event in (
        {"kind": "next"},
        {"kind": "inspect", "position": 2},
        {"kind": "guess", "text": "a"},
        {"kind": "word", "text": "a", "token_id": None, "position": 2},
        {"kind": "unknown"},
        {"kind": "branch", "position": 3},
    ):
        header = session.do(**event).header
        del header["query"]  # of the tests
        header["reading"] = None
        header["timing"] = {
            n: header["timing"][n] for n in ("phase", "seconds", "n_input", "is_shared")
        }
        shown |= set(paths(header))
    assert shown == FIELDS - OF_THE_FILE


def test_the_page_reads_every_field_and_no_other() -> None:
    unread = {path for path in FIELDS if not re.search(rf"\b{path.split('.')[-1]}\b", SCRIPTS)}
    assert unread == set()
    assert set(re.findall(r"\bheader\.([a-z_]+)\b", FIGURES)) <= FIELDS


WAY = re.findall(r"^\| `(pages/\S+)`[^|]*\|([^|]*)\|", DESCRIBED, re.MULTILINE)
TOLD: dict[str, set[str]] = defaultdict(set)
for path, names in WAY:
    TOLD[path].update(re.findall(r"`(\w+)`", names))
BESIDE = set(re.findall(r"`(pages/\S+?)`", DESCRIBED.partition("Beside the way")[2]))
MOST_FILES, MOST_FUNCTIONS = 21, 72
# where these scripts do more than carry a press: they draw, and keep what is written
WITH_OTHERS = ("pages/home/live/view.js", "pages/home/live/session/state.js")
OF_PICTURES = {"readDistribution", "get", "sameNumbers"}  # made anew for the figures
SOMETIMES = {"rest", "say", "end"}  # seen by the profiler or not


@contextmanager
def entered(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, set[str]]]:
    """The functions of pages/ that a request runs, by file; no properties, nor what has no name."""
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

    with ThreadPoolExecutor(1) as threads:  # new ones, for a thread that runs is not seen
        monkeypatch.setattr(route, "_THREADS", threads)
        threading.setprofile(note)
        try:
            yield found
        finally:
            threading.setprofile(None)


def test_a_press_goes_the_way_that_is_told_on_the_server(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = Tab(storyteller)
    asked = request([0, 10, 11], 3)
    step = json.dumps(asked | {"kind": "step", "count": 1, "next_seed": 0}).encode()
    post_to(tab.ticket.write(), [json.dumps(asked | {"kind": "read"}).encode()])
    with entered(monkeypatch) as ran:
        status, packed = post_to(tab.ticket.write(), [step])
    assert (status, len(header_of(packed)["rows"]["id"])) == (200, 1)
    told = {path: names for path, names in TOLD.items() if path.endswith(".py")}
    beside = {path for path in BESIDE if path.endswith(".py")}
    assert {path: names for path, names in ran.items() if path not in beside} == told
    assert beside <= ran.keys()


@pytest.mark.browser
def test_a_press_goes_the_way_that_is_told_in_the_page(reader: Reader) -> None:
    reader.press("Next")
    wire = reader.page.context.new_cdp_session(reader.page)
    wire.send("Profiler.enable")
    wire.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    before = reader.page.url
    reader.press("Next")
    reader.page.wait_for_url(lambda url: url != before)  # the link follows once the hand rests
    ran: dict[str, set[str]] = defaultdict(set)
    for script in wire.send("Profiler.takePreciseCoverage")["result"]:
        found = re.search(r"/assets/\w+/(.+\.js)$", script["url"])
        for function in script["functions"] if found else ():
            name = function["functionName"]
            if found and name and " " not in name and function["ranges"][0]["count"] > 0:
                ran[f"pages/{found[1]}"].add(name)
    wire.detach()
    told = {path: names for path, names in TOLD.items() if path.endswith(".js")}
    for path, names in told.items():
        assert names <= ran[path], path
        assert path in WITH_OTHERS or ran[path] - SOMETIMES <= names | OF_PICTURES, path
    others = {path for path in ran if not re.search("/(figures|live/controls)/", path)}
    assert others - told.keys() <= BESIDE


def test_the_way_is_short() -> None:
    assert len(TOLD) <= MOST_FILES
    assert sum(map(len, TOLD.values())) <= MOST_FUNCTIONS
