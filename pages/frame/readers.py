"""From which network a reader comes: the connection's own address, or what a named proxy says.

`FORWARDED_ALLOW_IPS` names the proxies. Uvicorn reads it too, but trusts this machine if it is not
set, where a proxy may pass on what a reader wrote into `X-Forwarded-For`; and if it is "*", Uvicorn
believes the first entry, which is the reader's. Nobody has more rights because of an address: it
only decides who makes way first where something is scarce.
"""

import ipaddress
import logging
import os
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import uvicorn.config
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

PROXIES = "FORWARDED_ALLOW_IPS"
ANY = "*"  # in its list: whoever connects is a proxy
MAX_HOPS = 10  # entries of X-Forwarded-For that are read, from the last one on
_NETWORK = "one_token.network"  # of the reader, in a request's scope
_SCHEMES = {"http": "ws", "https": "wss"}
_LOGGER = logging.getLogger(__name__)

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxies:
    """The proxies that the operator names."""

    def __init__(self, listed: str) -> None:
        """Reads addresses and networks, parted by commas; what is neither is left out, and said."""
        names = listed.replace(",", " ").split()
        self._is_any, self._networks = ANY in names, list[Network]()
        for name in names:
            try:
                self._networks += [] if name == ANY else [ipaddress.ip_network(name, strict=False)]
            except ValueError:
                _LOGGER.warning("%s: %r is no address and no network: left out", PROXIES, name)

    def reader(self, peer: str, forwarded: Sequence[str]) -> str | None:
        """Returns the reader's address that a proxy gives; None if it is the connection's own.

        Each proxy adds the address that it was asked from at the end, so the entries are read from
        the last one on, as long as the address that wrote them is a named proxy's. If any peer may
        be a proxy, one entry is believed.
        """
        found, reader, is_any = None, _read(peer), self._is_any
        for entry in reversed(",".join(forwarded).rsplit(",", MAX_HOPS)[-MAX_HOPS:]):
            if reader is None or not (is_any or self._has(reader)):
                break
            reader, is_any = _read(entry), False
            found = reader or found
        return str(found) if found else None

    def network(self, peer: str, forwarded: Sequence[str] = ()) -> str:
        """Returns the network of one reader; "" if the address is a proxy's or this machine's.

        What comes from such an address may be many people's, so it is no one's share.
        """
        reader = self.reader(peer, forwarded)
        address = _read(reader or peer)
        if address is None or address.is_loopback or self._has(address):
            return ""
        return "" if self._is_any and reader is None else network_of(str(address))

    def _has(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


def _read(written: str) -> Address | None:
    """Returns the address that was written, with or without a port; None if it is none."""
    text = written.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@cache
def _proxies(listed: str) -> Proxies:
    return Proxies(listed)


def named_proxies() -> Proxies:
    """Returns the proxies that the operator names."""
    return _proxies(os.environ.get(PROXIES, ""))


def network_of(host: str | None) -> str:
    """Returns the network of an address: itself, or of IPv6 its /64; "" if it is no address."""
    address = _read(host or "")
    if address is not None and address.version == 6:  # a machine has as many of them as it likes
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address or "")


class Forwarded:
    """Sets the client of every request to the reader's address; stands where Uvicorn's own did."""

    def __init__(self, app: ASGIApp, **_: object) -> None:
        """Reads who is a proxy; what Uvicorn read is passed over."""
        self._app, self._proxies = app, named_proxies()
        self._has_said = False  # that a proxy is not named, or a reader makes one up

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] in ("http", "websocket") and scope.get("client"):
            headers, (peer, port) = Headers(scope=scope), scope["client"]
            forwarded = headers.getlist("x-forwarded-for")
            reader = self._proxies.reader(peer, forwarded)
            scope[_NETWORK] = self._proxies.network(peer, forwarded)
            if reader is None and not self._has_said and "x-forwarded-for" in headers:
                self._has_said = True
                _LOGGER.warning(
                    "%s names no proxy at %s: its X-Forwarded-For counts not", PROXIES, peer
                )
            if reader is not None:
                scope["client"] = (reader, port)
                scheme = headers.get("x-forwarded-proto", "")
                if scheme in _SCHEMES:
                    scope["scheme"] = _SCHEMES[scheme] if scope["type"] == "websocket" else scheme
        await self._app(scope, receive, send)


def network_in(scope: Scope) -> str:
    """Returns the network of whoever sent a request; "" if it may be many people's."""
    if _NETWORK not in scope:  # a server that is not ours
        return named_proxies().network((scope.get("client") or ("",))[0])
    return str(scope[_NETWORK])


def believe_named_proxies() -> None:
    """Lets every server that starts from now on believe no proxy but those that are named."""
    uvicorn.config.ProxyHeadersMiddleware = Forwarded  # type: ignore[attr-defined,assignment]  # no option
