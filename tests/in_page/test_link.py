"""The page reads a link by the table of which Python's checks are made: what, and refused how."""

import random
from collections.abc import Container
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from model.settings import COMMON, ORDERS, SETTINGS
from pages.frame.fields import read_fields
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.controls import Controls
from pages.home.link import FIELDS
from tests.driving.in_page import InPage

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
    {"seed": "\u200b3\0", "top_k": "\ufeff4", "temperature": "\u202e1", "top_p": "\x1c\u3000 x"},
]


def random_query(rng: random.Random) -> dict[str, str]:
    names = rng.sample([*SETTINGS, "seed", "greedy", "chat"], rng.randrange(1, 6))
    return {name: rng.choice(NUMBERS) for name in names}


def test_a_link_is_read_as_python_reads_its_fields(in_page: InPage) -> None:
    rng = random.Random(31)
    for query in [*QUERIES, *(random_query(rng) for _ in range(1000))]:
        read = read_fields({name: (text,) for name, text in query.items()}, FIELDS)
        link = in_page("readLink", query=query)
        of_run = [one for one in link["problems"] if "run was left out" in one]
        of_order = [one for one in link["problems"] if "order=all" in one]
        assert link["problems"] == [*filter(None, [read.sentence()]), *of_run, *of_order], query
        names = Controls().to_page().keys() & read.values.keys()
        controls = Controls(**{name: read.values[name] for name in names})
        if "use" not in read.values:
            controls = replace(controls, use=in_use(read.values))
        assert link["controls"] == controls.to_page(), query
        prompt = read.values.get("prompt", DEFAULT_PROMPT)
        assert link["prompt"] == prompt.replace("\r\n", "\n").replace("\r", "\n"), query
        assert link["model"] == (read.values.get("model", "").strip() or "storyteller"), query
        assert link["seed"] == read.values.get("seed", 0), query
        assert link.get("chat") == read.values.get("chat"), query


def in_use(named: Container[str]) -> tuple[str, ...]:
    """Without `use`, a setting that a link names is in use."""
    return tuple(name for name in COMMON if name in named or name in Controls().use)


@pytest.mark.parametrize("order", ORDERS)
def test_a_setting_that_a_link_names_works_or_a_sentence_says_why_not(
    in_page: InPage, order: str
) -> None:
    stages = {name: setting for name, setting in SETTINGS.items() if setting.is_stage}
    for name, setting in stages.items():
        value = 1 if isinstance(setting.neutral, int) else 0.5
        link = in_page("readLink", query={name: str(value), "order": order})
        settings = Controls.from_page(link["controls"]).settings()
        assert getattr(settings, name) == value
        named = [sentence for sentence in link["problems"] if f"“{setting.title}”" in sentence]
        assert len(named) == len(link["problems"]) == (name not in ORDERS[order]), name
        neutral = in_page("readLink", query={name: str(setting.neutral), "order": order})
        assert neutral["problems"] == []
    kept = in_page("readLink", query={"top_k": "1", "use": "temperature"})["controls"]
    assert (kept["top_k"], kept["use"]) == (1, ["temperature"])


def test_the_link_of_a_setting_that_is_not_in_use_says_so(in_page: InPage) -> None:
    controls = Controls(top_k=40, min_p=0.2)
    told = in_page("open", query=controls.encode() | {"use": "temperature,top_p"})["header"]
    assert told["controls"] == controls.to_page()
    again = in_page("readLink", query=dict(parse_qsl(told["address"])))
    assert again["controls"] == controls.to_page()


def test_each_part_of_a_run_has_its_controls_and_seed(in_page: InPage) -> None:
    run = "12;5~temperature:1.2;3~seed:9~use:top_k,min_p~order:vllm"
    choices = in_page("readLink", query={"run": run, "forced": "3:262,19:7"})["choices"]
    parts = (
        [(0, Controls())] * 12
        + [(0, Controls(temperature=1.2))] * 5
        + [(9, Controls(use=("top_k", "min_p"), order="vllm"))] * 3
    )
    assert [(one["seed"], one["controls"]) for one in choices] == [
        (seed, controls.to_page()) for seed, controls in parts
    ]
    forced = {i: one["tokenId"] for i, one in enumerate(choices) if one["forced"]}
    assert forced == {3: 262, 19: 7}


@pytest.mark.parametrize(
    ("run", "forced"),
    [
        *((run, "") for run in ("x", "5~temperature:-1", "4097", "4000;97", "3~seed:-1")),
        *(("5", pairs) for pairs in ("3", "3:", ":3", "a:b")),
    ],
)
def test_a_run_that_makes_no_sense_is_left_out(in_page: InPage, run: str, forced: str) -> None:
    link = in_page("readLink", query={"run": run, "forced": forced})
    assert (link["choices"], len(link["problems"])) == ([], 1)


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
