"""The address that phones open: that of this page as the teacher's browser reached it."""

import ipaddress
import socket
from urllib.parse import urlsplit

import streamlit as st


def phone_address(code: str) -> tuple[str, str | None]:
    """Returns the address of a room, and a sentence with the remedy if phones cannot reach it."""
    parts = urlsplit(st.context.url or "http://localhost:8501/")
    base = parts.path.rpartition("/")[0]  # the page's own name is the last part
    address = f"{parts.scheme}://{parts.netloc}{base}/room/{code}"
    if not _is_this_machine(parts.hostname or ""):
        return address, None
    port = f":{parts.port}" if parts.port else ""
    return address, (
        f"Phones cannot reach {parts.hostname}: start the app with `HOST=0.0.0.0 make run`, and "
        f"open this page at {parts.scheme}://{_own_address()}{port}{parts.path}."
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
