"""What is patched in Streamlit and Python does what its name says."""

import asyncio
import socket
from asyncio import base_events
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.frame import patches


async def waits_for_the_other_side() -> bool:
    """Whether a connection of a server that binds as Streamlit's does has Nagle's algorithm."""
    seen = asyncio.get_running_loop().create_future()

    async def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        options = socket.IPPROTO_TCP, socket.TCP_NODELAY
        seen.set_result(not writer.get_extra_info("socket").getsockopt(*options))
        writer.close()

    listening = socket.socket(socket.AF_INET)
    listening.bind(("127.0.0.1", 0))
    async with await asyncio.start_server(meet, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        found: bool = await seen
        writer.close()
    return found


def test_an_answer_does_not_wait_for_the_other_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_events, "_set_nodelay", base_events._set_nodelay)  # is put back
    patches.send_at_once()
    with ThreadPoolExecutor(1) as alone:  # a browser's tests leave a loop in this thread
        assert not alone.submit(asyncio.run, waits_for_the_other_side()).result()
