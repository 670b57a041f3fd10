"""From which network a reader comes, in each way in which the app is deployed."""

from typing import Any

import pytest
import uvicorn.config
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.frame.readers import Forwarded, Proxies, believe_named_proxies, network_of
from tests.frame.asgi import ask

PUPIL, FORGED = "203.0.113.7", "198.51.100.9"
PROXY, POD = "127.0.0.1", "10.42.0.9"


def reader(proxies: str, peer: str, *forwarded: str) -> str:
    """The network of whoever connects so, as a route sees it."""
    return network_of(Proxies(proxies).reader(peer, forwarded) or peer)


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "network"),
    [
        pytest.param("", "127.0.0.1", [], "127.0.0.1", id="alone"),
        pytest.param("", "127.0.0.1", [FORGED], "127.0.0.1", id="alone, forged"),
        pytest.param("", "192.168.1.7", [], "192.168.1.7", id="local network"),
        pytest.param("", "192.168.1.7", [FORGED], "192.168.1.7", id="local network, forged"),
        pytest.param("", PUPIL, [f"{FORGED}, 127.0.0.1"], PUPIL, id="school router, forged"),
        pytest.param(PROXY, PROXY, [PUPIL], PUPIL, id="nginx.conf"),
        pytest.param(PROXY, PUPIL, [FORGED], PUPIL, id="past nginx, forged"),
        pytest.param(PROXY, PROXY, [f"{FORGED}, {PUPIL}"], PUPIL, id="a proxy that adds, forged"),
        pytest.param(PROXY, PROXY, [FORGED, PUPIL], PUPIL, id="two headers, forged"),
        pytest.param(PROXY, PROXY, [f"{FORGED}, {PROXY}, {PUPIL}"], PUPIL, id="forged hop"),
        pytest.param(PROXY, PROXY, [], PROXY, id="a proxy that says nothing"),
        pytest.param("", PROXY, [PUPIL], PROXY, id="a proxy that is not named"),
        pytest.param("172.17.0.1", "172.17.0.1", [PUPIL], PUPIL, id="container"),
        pytest.param("", "172.17.0.1", [FORGED], "172.17.0.1", id="container, not named"),
        pytest.param("10.42.0.0/16", POD, [PUPIL], PUPIL, id="Ingress"),
        pytest.param("10.42.0.0/16", POD, [f"{PUPIL}, 10.42.3.3"], PUPIL, id="two Ingresses"),
        pytest.param("10.42.0.0/16", POD, ["10.42.3.3"], "10.42.3.3", id="a probe"),
        pytest.param("10.42.1.1/16, fd00::/8", "fd00::2", [PUPIL], PUPIL, id="two networks"),
        pytest.param("*", POD, [f"{FORGED}, {PUPIL}"], PUPIL, id="any proxy, forged"),
        pytest.param("*", POD, [FORGED, f"{POD}, {PUPIL}"], PUPIL, id="any proxy, forged hop"),
        pytest.param("10.0.0/8, nginx, 127.0.0.1", PROXY, [PUPIL], PUPIL, id="half of it wrong"),
        pytest.param(PROXY, f"::ffff:{PROXY}", [f"{PUPIL}:4711"], PUPIL, id="mapped, with a port"),
        pytest.param(PROXY, PROXY, ["[2001:db8:1:2:3::4]:80"], "2001:db8:1:2::/64", id="IPv6"),
        pytest.param(PROXY, PROXY, ["unknown"], PROXY, id="no address"),
        pytest.param(PROXY, PROXY, [f"{PUPIL}, unknown"], PROXY, id="no address last"),
        pytest.param(PROXY, PROXY, [f"unknown, {PUPIL}"], PUPIL, id="no address first"),
        pytest.param(PROXY, PROXY, ["a," * 9_000 + PUPIL], PUPIL, id="many"),
        pytest.param("", "fe80::1%eth0", [], "fe80::/64", id="with a zone"),
        pytest.param("", "testclient", [FORGED], "", id="no network"),
    ],
)
def test_a_reader_comes_from_where_a_named_proxy_says(
    proxies: str, peer: str, forwarded: list[str], network: str
) -> None:
    assert reader(proxies, peer, *forwarded) == network


@given(st.lists(st.text(max_size=40), max_size=20), st.sampled_from(["", PROXY, "*"]))
def test_whatever_is_forged_in_front_of_a_proxys_own_entry_decides_nothing(
    forged: list[str], proxies: str
) -> None:
    believed = PUPIL if proxies else PROXY
    assert reader(proxies, PROXY, *forged, PUPIL) == believed
    assert reader(proxies, PROXY, ",".join([*forged, PUPIL])) == believed
    assert reader("192.0.2.1", PROXY, *forged) == PROXY


async def told(request: Request) -> PlainTextResponse:
    assert request.client is not None
    return PlainTextResponse(f"{request.client.host} {request.url.scheme}")


def test_a_route_sees_the_reader_s_address_and_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"host": "localhost", "x-forwarded-for": PUPIL, "x-forwarded-proto": "https"}

    def seen(proxies: str) -> str:
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxies)
        return ask(Forwarded(Starlette(routes=[Route("/", told)])), "/", headers).text

    assert seen("") == f"{PROXY} http"
    assert seen(PROXY) == f"{PUPIL} https"
    headers["x-forwarded-proto"] = "javascript"
    assert seen(PROXY) == f"{PUPIL} http"


def test_an_operator_is_told_once_of_a_proxy_that_is_not_named_and_of_what_is_no_address(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "10.0.0/8, 192.0.2.1, nginx")
    app = Forwarded(Starlette(routes=[Route("/", told)]))
    assert [name in caplog.text for name in ("10.0.0/8", "192.0.2.1", "nginx")] == [1, 0, 1]
    caplog.clear()
    for _ in range(3):
        assert ask(app, "/", {"host": "localhost", "x-forwarded-for": FORGED}).text[:9] == PROXY
    assert len(caplog.records) == 1
    assert PROXY in caplog.text
    assert FORGED not in caplog.text


def test_uvicorn_believes_nobody_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default it believes whoever connects from this machine."""
    own = uvicorn.config.ProxyHeadersMiddleware
    monkeypatch.setattr(uvicorn.config, "ProxyHeadersMiddleware", own)
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    app = Starlette(routes=[Route("/", told)])

    def believed() -> str:
        config = uvicorn.Config(app, log_config=None)
        config.load()
        loaded: Any = config.loaded_app
        return ask(loaded, "/", {"host": "localhost", "x-forwarded-for": FORGED}).text

    assert believed() == f"{FORGED} http"
    believe_named_proxies()
    assert believed() == f"{PROXY} http"


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "network"),
    [
        ("", "127.0.0.1", [], ""),
        ("", "::1", [], ""),
        ("", "::ffff:127.0.0.1", [], ""),
        ("", "", [], ""),
        ("", PUPIL, [], PUPIL),
        ("", PUPIL, [FORGED], PUPIL),
        ("10.0.0.0/8", "10.0.0.5", [], ""),
        ("10.0.0.6 nonsense", "10.0.0.5", [], "10.0.0.5"),
        ("10.0.0.0/8", "10.0.0.5", [PUPIL], PUPIL),
        ("10.0.0.0/8", "10.0.0.5", [f"{FORGED}, 10.1.1.1"], FORGED),
        ("*", "10.0.0.5", [], ""),
        ("*", "10.0.0.5", [PUPIL], PUPIL),
        (PROXY, PROXY, ["127.0.0.1"], ""),
        ("", "2001:db8:1:2:3::4", [], "2001:db8:1:2::/64"),
    ],
)
def test_what_may_be_many_people_s_is_no_one_s_share(
    proxies: str, peer: str, forwarded: list[str], network: str
) -> None:
    assert Proxies(proxies).network(peer, forwarded) == network
