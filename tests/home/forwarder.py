"""The least that a load balancer does: each connection goes to the first server that is there."""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from urllib.parse import urlsplit

AT_ONCE = 65_536  # bytes


class Forwarder(socketserver.ThreadingTCPServer):
    """One address of loopback before any servers."""

    daemon_threads = True

    def __init__(self) -> None:
        self.ports: list[int | None] = []
        self.there: list[socket.socket] = []  # the servers' ends
        super().__init__(("127.0.0.1", 0), _Connection)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def lead_to(self, *urls: str) -> None:
        """Leads to these from now on, and cuts off whoever was led elsewhere."""
        self.ports = [urlsplit(url).port for url in urls]
        while self.there:
            _hang_up(self.there.pop())

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
                self.server.there.append(there)
                threading.Thread(target=_pass_on, args=(there, self.request), daemon=True).start()
                return _pass_on(self.request, there)
        return None


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while said := source.recv(AT_ONCE):
            target.sendall(said)
    _hang_up(source)
    _hang_up(target)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
