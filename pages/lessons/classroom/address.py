"""The address that phones open: that of this page as the teacher's browser reached it."""

import ipaddress
import socket
from urllib.parse import urlsplit

import streamlit as st

from model.sentences import Sentence

_NO_ADDRESS = Sentence("That is no address of this server: load the page again.")


def phone_address(code: str) -> tuple[str, str | None]:
    """Returns the address of a room, and a sentence with the remedy if phones cannot reach it."""
    return reach(st.context.url or "http://localhost:8501/", f"/room/{code}")


def reach(url: str, path: str) -> tuple[str, str | None]:
    """Returns the address of another page, and a sentence if phones cannot reach it.

    Args:
        url: of a page of this server, as the teacher's browser has it.
        path: of the other page, below the server's base path.

    Raises:
        ValueError: if the address cannot be read.
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise ValueError(_NO_ADDRESS) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(_NO_ADDRESS)
    base = parts.path.rpartition("/")[0]  # the page's own name is the last part
    address = f"{parts.scheme}://{parts.netloc}{base}{path}"
    if not _is_this_machine(parts.hostname):
        return address, None
    return address, Sentence(
        "Phones cannot reach {host}: start the app with `make run HOST=0.0.0.0` or `one-token "
        "--host`, and open this page at {address}.",
        host=parts.hostname,
        address=f"{parts.scheme}://{_own_address()}{port}{parts.path}",
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _own_address() -> str:
    """Returns the address under which this machine is known in its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation: only the route is asked
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
