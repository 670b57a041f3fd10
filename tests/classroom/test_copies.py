"""Several copies behind one address: every address of a room leads to the copy that opened it."""

import re

import pytest

from model.language_model import LanguageModel
from pages.lessons.classroom import desk, phone, projector
from pages.lessons.classroom.copies import copy_letters
from pages.lessons.classroom.state import open_class
from tests.driving.harness import ROOT

RULES = re.findall(r"~\*(\S+) 127\.0\.0\.1:(\d+);", (ROOT / "docs/nginx.conf").read_text("utf-8"))


def port_of(path: str) -> int:
    """To which copy docs/nginx.conf sends an address: the port of its map."""
    (port,) = {int(port) for rule, port in RULES if re.search(rule, path, re.IGNORECASE)}
    return port


@pytest.mark.parametrize(
    ("given", "letters"),
    [
        *(("", ""), ("a", "A"), ("BC", "BC"), ("ABC", ""), ("7", ""), ("\u0410", ""), ("A1", "")),
        *(("one-token-0", "A"), ("one-token-25", "Z"), ("one-token-26", ""), ("x-y.z-7", "H")),
        *(("one-token-\u0663", ""), ("one-token-00", ""), ("one-token--1", "B"), ("-1", "")),
        ("one-token-5d8f9c-x2x7k", ""),  # of a Deployment, whose pods have no ordinal
    ],
)
def test_a_copy_has_the_letters_it_is_given_or_those_of_its_pod(
    monkeypatch: pytest.MonkeyPatch, given: str, letters: str
) -> None:
    monkeypatch.setenv("ONE_TOKEN_COPY", given)
    assert copy_letters() == letters


@pytest.mark.parametrize(("letter", "port"), [("a", 8501), ("B", 8502)])
def test_a_room_s_addresses_lead_to_its_own_copy(
    monkeypatch: pytest.MonkeyPatch, storyteller: LanguageModel, letter: str, port: int
) -> None:
    monkeypatch.setenv("ONE_TOKEN_COPY", letter)
    opened = open_class(storyteller)
    codes = (opened.room.code, opened.room.code.lower())  # as it is shown, and as it is typed
    for part in (desk, phone, projector):
        for route in part.routes("/tokens"):
            if "{code}" in route.path:
                assert {port_of(route.path.format(code=code)) for code in codes} == {port}
    opened.end()
