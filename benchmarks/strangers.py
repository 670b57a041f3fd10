"""Strangers on a server who do their worst: what each of them does, over and over, until the end.

    python -m benchmarks.strangers http://127.0.0.1:8501 20

Twenty of them, a process of their own. Each act is what one person can do with a browser's console.
"""

import argparse
import asyncio
import json
import random
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlsplit

from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from benchmarks.soak_reader import Teacher
from model.classroom.limits import LETTERS, N_LETTERS
from tests.driving.visitor import Visitor

LONG = 7_900_000  # letters
N_IDS = 2_000  # of a text that has to be read anew: nearly the whole context
MEGABYTES = 19  # of a file that is uploaded
N_SILENT, N_PAGES = 300, 40  # connections and pages that one stranger opens
REST_SECONDS = 0.05
PROBLEMS = (OSError, RuntimeError, EOFError, ValueError, asyncio.IncompleteReadError)


def place_of(url: str) -> tuple[str, int]:
    """Returns host and port."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80


async def stay_silent(url: str, said: bytes = b"") -> None:
    """Opens many connections, begins a header or nothing on each, and waits."""
    opened = [await asyncio.open_connection(*place_of(url)) for _ in range(N_SILENT)]
    for _, writer in opened:
        writer.write(said)
    await asyncio.sleep(10)
    for _, writer in opened:
        writer.close()


async def begin_headers(url: str) -> None:
    """Sends half a header on each of many connections."""
    await stay_silent(url, b"GET / HTTP/1.1\r\nHost: local")


async def ask(url: str, method: str, path: str, body: bytes, *more: str) -> None:
    """Sends a request and waits for its answer."""
    host, port = place_of(url)
    reader, writer = await asyncio.open_connection(host, port)
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", f"Content-Length: {len(body)}"]
    try:
        writer.write("\r\n".join([*head, "Connection: close", *more, "", ""]).encode() + body)
        async with asyncio.timeout(60):
            await reader.read()
    finally:
        writer.close()


async def post_without_a_ticket(url: str) -> None:
    """Has much parsed that nobody asked for."""
    await ask(url, "POST", "/loop/x", b"[" + b"{}," * (LONG // 3) + b"{}]")


async def upload(url: str) -> None:
    """Uploads files to a session of its own, and opens none of them."""
    async with Visitor(url) as visitor:
        token = generate_xsrf_token_string()
        more = f"Cookie: _streamlit_xsrf={token}", f"X-Xsrftoken: {token}"
        kind = "Content-Type: multipart/form-data; boundary=b"
        head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.json"\r\n\r\n'
        body = head + b"x" * MEGABYTES * 1_000_000 + b"\r\n--b--\r\n"
        for _ in range(20):
            path = f"/_stcore/upload_file/{visitor.session}/{uuid.uuid4()}"
            await ask(url, "PUT", path, body, *more, kind)


async def send_request(url: str, **fields: object) -> None:
    """Sends one request about a text of its own."""
    async with Visitor(url) as visitor:
        await visitor.do("next")
        body = json.dumps(visitor.text | fields).encode()
        async with asyncio.timeout(60):
            await visitor.post(body)


async def read_long_texts(url: str) -> None:
    """Has texts read that begin like no other: each is a prefill of the whole context."""
    async with Visitor(url) as visitor:
        await visitor.do("next")
        for _ in range(100):
            ids = [random.randrange(300, 4_000) for _ in range(N_IDS)]
            body = json.dumps(visitor.text | {"kind": "read", "ids": ids}).encode()
            async with asyncio.timeout(60):
                await visitor.post(body)


async def write_without_end(url: str) -> None:
    """Has as many tokens written as one request may ask for, over and over."""
    async with Visitor(url) as visitor:
        await visitor.do("next")
        how = {"kind": "step", "count": 200, "next_seed": 0}
        for _ in range(100):
            async with asyncio.timeout(60):
                await visitor.post(json.dumps(visitor.text | how).encode())


async def guess_codes(url: str) -> None:
    """Tries codes of rooms."""
    for _ in range(100):
        code = "".join(random.choices(LETTERS, k=N_LETTERS))
        await ask(url, "POST", f"/room/{code}/join", b'{"name": "Ada"}')


async def open_rooms(url: str) -> None:
    """Opens one room after another, and fills each with phones."""
    async with Teacher(url) as teacher:
        for _ in range(20):
            code, _ = await teacher.open_room()
            for _ in range(100):
                await ask(url, "POST", f"/room/{code}/join", b"{}")


async def write_long_prompt(url: str) -> None:
    """Asks for a prompt that no model reads."""
    await send_request(url, kind="tokenise", text="a" * LONG)


async def guess_at_length(url: str) -> None:
    """Guesses a word of millions of letters."""
    await send_request(url, kind="weigh", text="a" * LONG)


async def file_of_nothing(url: str) -> None:
    """Asks for a file of a run of very many parts and no token."""
    draws = [{"count": 0, "seed": 0, "controls": {}}] * 60_000
    await send_request(url, kind="file", format="csv", link="", prompt="", draws=draws, forced=[])


async def open_pages(url: str) -> None:
    """Opens many pages and leaves none."""
    visits = [Visitor(url) for _ in range(N_PAGES)]
    for visit in visits:
        visit.socket = await visit.connect("streamlit")
    await asyncio.sleep(10)
    for visit in visits:
        await visit.socket.close()


async def follow_long_links(url: str) -> None:
    """Opens a link whose run has very many parts."""
    async with Visitor(url, prompt="a", run="0;" * 20_000):
        pass


ACTS: dict[Callable[[str], Awaitable[None]], int] = {  # how many strangers do it
    stay_silent: 2,
    begin_headers: 2,
    post_without_a_ticket: 2,
    upload: 3,
    write_long_prompt: 1,
    read_long_texts: 2,
    write_without_end: 1,
    guess_at_length: 1,
    guess_codes: 1,
    open_rooms: 1,
    file_of_nothing: 1,
    open_pages: 2,
    follow_long_links: 1,
}


async def go_on(act: Callable[[str], Awaitable[None]], url: str, done: dict[str, int]) -> None:
    """Does one thing over and over; what is refused is tried again."""
    while True:
        with suppress(*PROBLEMS):
            await act(url)
            done[act.__name__] = done.get(act.__name__, 0) + 1
        await asyncio.sleep(REST_SECONDS)


async def attack(url: str, seconds: float) -> dict[str, int]:
    """Lets all of them loose; returns how often each act came to its end."""
    done: dict[str, int] = {}
    tasks = [asyncio.create_task(go_on(a, url, done)) for a, n in ACTS.items() for _ in range(n)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return done


def main() -> None:
    """Attacks the server that is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url")
    parser.add_argument("seconds", type=float)
    args = parser.parse_args()
    print(json.dumps(asyncio.run(attack(args.url, args.seconds))))


if __name__ == "__main__":
    main()
