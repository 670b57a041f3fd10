"""A ticket says who may ask about which model, and only this app can write one."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.home import ticket as ticket_module
from pages.home.ticket import MAX_LENGTH, Ticket, new_ticket, read_ticket


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of this test's own, in which no key lies yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv(ticket_module.VARIABLE, raising=False)
    return tmp_path


def as_another_process() -> None:
    ticket_module._key.cache_clear()


def test_another_process_of_the_same_user_takes_a_ticket(state: Path) -> None:
    as_another_process()
    ticket = new_ticket("a/b model", "float32")
    written = ticket.write()
    as_another_process()
    assert read_ticket(written) == ticket
    (key,) = state.rglob("key")
    assert stat.S_IMODE(key.stat().st_mode) & 0o077 == 0 or os.name == "nt"
    assert new_ticket("m", "auto").tab != new_ticket("m", "auto").tab


def test_copies_share_the_operator_s_secret_and_take_no_other(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for secret in ("one", "one", "two"):
        monkeypatch.setenv(ticket_module.VARIABLE, secret)
        as_another_process()
        written.append(Ticket("t", "m", "auto").write())
    assert written[0] == written[1] != written[2]
    assert read_ticket(written[0]) is None
    assert not list(state.rglob("key"))


def test_where_no_key_can_be_kept_the_process_has_its_own(state: Path) -> None:
    (state / "one-token-at-a-time").write_text("a file in the way")
    as_another_process()
    ticket = new_ticket("m", "auto")
    assert read_ticket(ticket.write()) == ticket


def test_a_broken_key_is_not_used(state: Path) -> None:
    folder = state / "one-token-at-a-time"
    folder.mkdir()
    (folder / "key").write_bytes(b"short")
    as_another_process()
    assert read_ticket(new_ticket("m", "auto").write()) is not None


WRITTEN = Ticket("tab", "model", "auto").write()


@given(
    st.one_of(
        st.text(),
        st.binary().map(lambda data: data.hex()),
        st.tuples(st.integers(0, len(WRITTEN) - 1), st.characters()).map(
            lambda change: WRITTEN[: change[0]] + change[1] + WRITTEN[change[0] + 1 :]
        ),
        st.integers(0, len(WRITTEN) - 1).map(lambda n: WRITTEN[:n]),
        st.just("x" * (MAX_LENGTH + 1)),
    )
)
def test_nothing_else_is_a_ticket(written: str) -> None:
    now = Ticket("tab", "model", "auto").write()
    assert read_ticket(written) is None or written == now
