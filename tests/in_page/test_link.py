"""A link says the same in the file as in the app: what is read, and what is refused how."""

import random
from urllib.parse import parse_qsl, urlencode

import pytest

from benchmarks.in_page import InPage
from model.settings import SETTINGS
from pages.home.controls import Controls
from pages.home.link import read_link

NUMBERS = ["0", "1", ".5", "0.9", "1e-6", "1e-7", "5e-324", "1_0", "+2", "-1", "-0", "1e9", "1e5"]
NUMBERS += [
    "2147483648",
    "3.5",
    "0x10",
    "nan",
    "inf",
    "٣",
    "1,5",
    "",
    " 1 ",
    "?",
    "a" * 60,
    "🎈" * 50,
]
QUERIES = [
    {},
    {"prompt": "", "seed": "5"},
    {"prompt": "a\r\nb\rc", "seed": "2147483648", "chat": "True"},
    {"prompt": "x" * 4001, "model": " ", "dtype": "float8"},
    {"run": "12;5~temperature:1.2;3~seed:9~use:top_k,min_p~order:vllm", "forced": "3:262,19:7"},
    *({"run": run} for run in ("x", "5~temperature:-1", "4097", "4000;97", "3~seed:-1", ";;")),
    *({"forced": pairs} for pairs in ("3", "3:", ":3", "a:b", "1:2,,3:4")),
    {"use": "temperature,top_x", "greedy": "2", "order": "vllm", "top_k": "3.0"},
    {"use": "", "greedy": "1", "order": "", "seed": "007"},
]


def random_query(rng: random.Random) -> dict[str, str]:
    names = rng.sample([*SETTINGS, "seed", "greedy", "chat"], rng.randrange(1, 6))
    return {name: rng.choice(NUMBERS) for name in names}


def test_a_link_is_read_as_the_app_reads_it(in_page: InPage) -> None:
    rng = random.Random(31)
    for query in [*QUERIES, *(random_query(rng) for _ in range(1000))]:
        ours, theirs = read_link(query, "storyteller"), in_page("readLink", query=query)
        assert theirs["problems"] == ours.problems, query
        assert theirs["controls"] == ours.controls.to_page(), query
        for name in ("model", "prompt", "seed"):
            assert theirs[name] == getattr(ours, name), query
        assert theirs.get("chat") == ours.chat, query
        for choice, own in zip(theirs["choices"], ours.choices, strict=True):
            assert choice["controls"] == own.controls.to_page()
            assert (choice["seed"], choice["forced"]) == (own.seed, own.forced)
            assert (choice["tokenId"] or 0) == max(own.token_id, 0)


@pytest.mark.parametrize(
    "controls",
    [
        Controls(),
        Controls(temperature=1e-06, epsilon=3.5e-05, use=("top_k", "min_p"), greedy=True),
        Controls(presence_penalty=-0.1, dry=1000, order="llama.cpp", use=(), top_k=100_000),
    ],
)
def test_a_link_is_written_as_the_app_writes_it(in_page: InPage, controls: Controls) -> None:
    encoded = controls.encode()
    told = in_page("open", query=encoded)["header"]
    assert told["address"] == urlencode({"model": "storyteller"} | encoded, safe=":,;~")
    assert dict(parse_qsl(told["address"], keep_blank_values=True))["model"] == "storyteller"
    assert told["controls"] == controls.to_page()
