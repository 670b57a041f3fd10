"""The right to ask the loop's address: which tab asks, and for which model, signed by this app.

Any process with the same key takes a ticket, so a page goes on after a restart and with another
copy of the app. The key is the operator's (`ONE_TOKEN_SECRET`, one for all copies), else a file of
this user's, else this process's own. Knows nothing of Streamlit.
"""

import hmac
import json
import logging
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

LOGGER = logging.getLogger(__name__)
VARIABLE = "ONE_TOKEN_SECRET"
MAX_LENGTH = 1_000  # characters
_N_BYTES = 32  # of a key


@dataclass(frozen=True)
class Ticket:
    """Who may ask what."""

    tab: str  # of no meaning, and like no other
    model: str  # by which name the app opens it
    dtype: str  # the format of its numbers

    def write(self) -> str:
        """Returns the ticket as a part of an address, signed."""
        text = urlsafe_b64encode(json.dumps(astuple(self)).encode()).decode().rstrip("=")
        return f"{text}.{_signature(text)}"


def new_ticket(model: str, dtype: str) -> Ticket:
    """Returns the ticket of a tab that has none."""
    return Ticket(secrets.token_urlsafe(12), model, dtype)


def read_ticket(written: str) -> Ticket | None:
    """Returns a ticket that was signed with this app's key; None for anything else."""
    text, _, signature = written.partition(".")
    is_ours = written.isascii() and len(written) <= MAX_LENGTH
    if not is_ours or not hmac.compare_digest(signature, _signature(text)):
        return None
    return Ticket(*json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4))))


def _signature(text: str) -> str:
    digest = hmac.digest(_key(), text.encode(), "sha256")
    return urlsafe_b64encode(digest).decode().rstrip("=")


@cache
def _key() -> bytes:
    """Returns the key of the operator, of this user, or of this process."""
    if said := os.environ.get(VARIABLE):
        return said.encode()
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    try:
        return _key_in(Path(state).expanduser() / "one-token-at-a-time" / "key")
    except (OSError, RuntimeError) as error:  # no home, or none that can be written
        LOGGER.info("Tickets end with this process (%s): set %s to keep them.", error, VARIABLE)
        return secrets.token_bytes(_N_BYTES)


def _key_in(file: Path) -> bytes:
    """Returns the key in a file, which is made if it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = file.read_bytes()
        if len(key) != _N_BYTES:
            raise OSError(f"{file.name} is no key") from None
        return key
    with os.fdopen(handle, "wb") as written:
        key = secrets.token_bytes(_N_BYTES)
        written.write(key)
    return key
