"""The live component’s rooms: figures and controls know the session, engines know no page."""

import pytest

from pages.frame.assets import PAGES, imports, name_of

LIVE = PAGES / "home" / "live"
MAY_IMPORT = {  # a room, and those whose scripts it may import
    "engines": {"engines"},
    "session": {"session", "."},
    "figures": {"figures", "controls", "."},
    "controls": {"controls", "figures", "session", "."},
}


def strangers(room: str, allowed: set[str]) -> list[str]:
    """Returns the imports of a room's scripts from rooms that it does not know."""
    found = []
    for path in (LIVE / room).glob("*.js"):
        for _, imported in imports(name_of(path)):
            of = (PAGES / imported).parent
            if LIVE in (of, *of.parents) and of.relative_to(LIVE).as_posix() not in allowed:
                found.append(f"{path.name} -> {imported}")
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_knows_only_those_below_it(room: str) -> None:
    assert any((LIVE / room).glob("*.js"))
    assert strangers(room, MAY_IMPORT[room]) == []


def test_an_import_from_another_room_is_seen() -> None:
    assert strangers("session", {"."}) != []
    assert strangers("figures", {"figures"}) != []


def test_every_room_is_named() -> None:
    rooms = {path.name for path in LIVE.iterdir() if path.is_dir()}
    assert rooms == set(MAY_IMPORT)


def test_what_stands_beside_the_rooms_is_little() -> None:
    assert len(list(LIVE.glob("*.js"))) <= 15
