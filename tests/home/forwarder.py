"""The least that a load balancer does: each connection goes to the first server that is there."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

AT_ONCE = 65_536  # bytes


class Forwarder(socketserver.ThreadingTCPServer):
    """One address of loopback before several servers."""

    daemon_threads = True

    def __init__(self, urls: Sequence[str]) -> None:
        self.ports = [urlsplit(url).port for url in urls]
        super().__init__(("127.0.0.1", 0), _Connection)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        """Takes no more connections."""
        self.shutdown()
        self.server_close()


class _Connection(socketserver.BaseRequestHandler):
    server: Forwarder

    def handle(self) -> None:
        """Passes on what either side says until one of them hangs up."""
        for port in self.server.ports:
            with suppress(ConnectionRefusedError):
                there = socket.create_connection(("127.0.0.1", port or 80))
                threading.Thread(target=_pass_on, args=(there, self.request), daemon=True).start()
                return _pass_on(self.request, there)
        return None


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while said := source.recv(AT_ONCE):
            target.sendall(said)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
