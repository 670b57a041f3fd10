"""The table of every way in says what the code holds."""

import re
import tomllib

import pytest

from model import tokenizing
from model.machine import child, text_trial
from model.weights import check, trial
from pages.frame import connections, fields, guard, saved_run, uploads
from pages.home import answer_queue, route, tab, text_request, texts
from pages.lessons.classroom import check as check_page
from tests.architecture.sources import read

LINES = [line for line in read("docs/deployment.md").splitlines() if line.startswith("| ")]
ROWS = {name.strip(): bound for _, name, bound, *_ in (line.split("|") for line in LINES)}
MEGABYTE = 1_000_000
UPLOAD = tomllib.loads(read(".streamlit/config.toml"))["server"]["maxUploadSize"]


@pytest.mark.parametrize(
    ("row", "bounds"),
    [
        ("connections", [connections.MAX_CONNECTIONS, connections.FILES_KEPT]),
        ("connections of an address", [connections.MAX_PER_ADDRESS]),
        ("a header", [connections.MAX_HEADER_SECONDS]),
        ("a body", [guard.MAX_PAUSE, guard.MAX_PAUSE, guard.MIN_RATE]),
        ("an answer that a client does not take", [connections.MAX_STALLED_SECONDS]),
        ("open pages", [connections.MAX_SOCKETS, connections.MAX_SOCKETS_PER_ADDRESS]),
        ("a message of an open page", [connections.MAX_SOCKET_MESSAGE // 2**20]),
        ("an uploaded file", [UPLOAD]),
        ("uploaded files of a session", [uploads.MAX_FILES, uploads.MAX_SESSION_BYTES / MEGABYTE]),
        ("uploaded files in all", [uploads.MAX_BYTES / MEGABYTE]),
        ("a saved run", [saved_run.MAX_IDS]),
        (
            "a text",
            [
                tokenizing.CHARACTERS_PER_TOKEN,
                tokenizing.MAX_CHARACTERS,
                tokenizing.MIN_CHARACTERS,
            ],
        ),
        ("a typed text", [fields.MAX_TEXT, fields.MAX_LINK_TEXT]),
        ("a guess", [tab.MAX_GUESS]),
        ("a request of the home page", [route.MAX_BODY / MEGABYTE, route.MAX_SECONDS]),
        ("its requests of more than 64 kB", [route.MAX_LARGE]),
        ("requests of a tab", [answer_queue.MAX_WAITING]),
        (
            "requests that are answered at once",
            [answer_queue.PLACES[kind] for kind in ("short", "long", "remote")],
        ),
        (
            "tokens of a request",
            [text_request.MAX_COUNT, texts.MAX_STEP_SECONDS, texts.MAX_SHARED_SECONDS],
        ),
        ("texts of a tab", [texts.MAX_TEXTS]),
        ("tabs of another process", [tab.MAX_GUESTS]),
        ("devices that were checked", [check_page.MAX_DEVICES, check_page.KEPT_SECONDS / 60]),
        ("a model's settings, each file", [check.MAX_SETTINGS / MEGABYTE]),
        ("the index of a model's weights", [check.MAX_INDEX / MEGABYTE]),
        ("a model's tensors", [check.MAX_TENSORS]),
        ("a model's tokenizer", [check.MAX_TOKENIZER / MEGABYTE, trial.MAX_ADDED]),
        ("tokens that a tokenizer makes", [trial.MAX_GROWTH]),
        (
            "a text for a tokenizer that is not shipped",
            [
                text_trial.TEXT_SECONDS,
                text_trial.SECONDS_PER_MB,
                text_trial.MAX_TEXT_BYTES / MEGABYTE,
            ],
        ),
        (
            "a trial of a model's files",
            [check._TRIAL_SECONDS, check._SECONDS_PER_MB, child.MAX_BYTES / 10**9],
        ),
    ],
)
def test_a_bound_of_the_table_is_the_code_s(row: str, bounds: list[float]) -> None:
    said = [
        float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", ROWS[row])
    ]
    assert [number for number in said if number in bounds][: len(bounds)] == bounds


def test_the_start_says_how_many_files_may_be_open() -> None:
    assert f"{connections.MAX_FILES:,}" in read("docs/deployment.md")
