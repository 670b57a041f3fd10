"""Stop strings in the page: the same test as Python's, in both engines, links and saved runs."""

import json
import random

import pytest

from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.stopping import MAX_CHARACTERS, MAX_STRINGS, StopStrings, read_strings
from model.stopping.experiments import stream_of
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession
from tests.stopping.cases import random_cases

PROMPT = "Once upon a time, there was a little girl"


def test_every_random_case_is_completed_by_the_same_token(in_page: InPage) -> None:
    for case in random_cases():
        stop = StopStrings(case.strings)
        ours = [stop.completed(reversed(case.tokens[:n])) for n in range(1, len(case.tokens) + 1)]
        tokens = [list(token) for token in case.tokens]
        assert in_page("completed", strings=case.strings, tokens=tokens) == ours


def test_a_field_is_read_as_python_reads_it(in_page: InPage) -> None:
    rng = random.Random(47)
    for _ in range(300):
        texts = ("".join(rng.choices("a\\nt\n\t 🙂", k=rng.randint(1, 6))) for _ in range(4))
        strings = list(texts)[: rng.randint(0, 4)]
        read = in_page("stopLines", strings=strings)
        assert read["strings"] == strings
        assert read_strings(read["lines"]) == tuple(strings)


@pytest.mark.parametrize("strings", [["a" * (MAX_CHARACTERS + 1)], ["a"] * (MAX_STRINGS + 1)])
def test_what_python_refuses_is_refused_in_its_words(in_page: InPage, strings: list[str]) -> None:
    with pytest.raises(ValueError, match="stop string") as error:
        StopStrings(tuple(strings))
    assert in_page("stopLines", strings=strings)["refused"] == str(error.value)


@pytest.fixture
def greedy(storyteller: LanguageModel) -> Generation:
    g = Generation(storyteller, PROMPT)
    for _ in range(12):
        g.step(Settings(temperature=0))
    return g


@pytest.fixture
def string(greedy: Generation) -> str:
    """From the middle of the sixth token to the middle of the seventh, nowhere before."""
    first, second = (step.text.replace("␣", " ") for step in greedy.steps[5:7])
    found = first[-1] + second[:-1]
    before = greedy.fork()
    before.rewind(6)
    assert found not in stream_of(before).sent
    return found


@pytest.mark.parametrize("is_outside", [True, False], ids=["server", "model in the page"])
def test_twenty_tokens_end_at_the_match(
    in_page: InPage, greedy: Generation, string: str, is_outside: bool
) -> None:
    query = {"model": "storyteller", "prompt": PROMPT, "greedy": "1", "stop": f"zzz\n{string}"}
    if is_outside:
        link = {name: value for name, value in query.items() if name not in {"model", "prompt"}}
        session = PageSession(in_page, greedy.lm, PROMPT, **link)
        do = session.do
        header = do("finish", count=20).header
    else:
        in_page("open", query=query)

        def do(kind: str, **fields: object) -> object:
            event = {"branch": None, "kind": kind, **fields}
            return in_page("answer", event=event)

        header = do("finish", count=20)["header"]
    ended = greedy.ids[: greedy.n_prompt + 7]
    assert (header["finished"], header["stopped_by"]) == ("stop", string)
    assert header["ids"] == ended
    assert header["next_id"] is None


def test_a_text_goes_on_once_the_string_is_taken_away_or_gone_back_from(
    in_page: InPage, greedy: Generation, string: str
) -> None:
    session = PageSession(in_page, greedy.lm, PROMPT, greedy="1", stop=string)
    n = greedy.n_prompt
    session.do("finish", count=20)
    assert session.do("next").ids == greedy.ids[: n + 7]  # refused, with a sentence
    assert session.notice
    session.do("back")
    assert session.header["finished"] is None
    session.do("next")
    assert session.header["finished"] == "stop"
    session.do("stop", text="")
    assert (session.header["finished"], session.header["next_id"]) == (None, greedy.ids[n + 7])
    assert session.do("finish", count=5).ids == greedy.ids[: n + 12]
    session.do("stop", text=string)  # that stands further up, where it ends nothing
    assert session.header["finished"] is None
    again = PageSession(in_page, greedy.lm, **query_of(session))
    assert (again.ids, again.header["stop"]) == (session.ids, [string])
    rewound = again.do("rewind", position=n + 7)
    assert (rewound.ids, rewound.header["finished"]) == (greedy.ids[: n + 7], "stop")


def query_of(session: PageSession) -> dict[str, str]:
    from urllib.parse import parse_qsl

    return {name: text for name, text in parse_qsl(session.query) if name != "model"}


def test_a_field_that_cannot_be_read_leaves_the_strings(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session = PageSession(in_page, storyteller, PROMPT, stop="a\\nb\nc")
    assert session.header["stop"] == ["a\nb", "c"]
    session.do("stop", text="x" * (MAX_CHARACTERS + 1))
    assert session.notice
    assert session.header["stop"] == ["a\nb", "c"]
    spoilt = PageSession(in_page, storyteller, PROMPT, stop="\n".join("abcde"))
    assert spoilt.notice
    assert spoilt.header["stop"] == []


@pytest.mark.parametrize("stop", [None, "a", [1], ["a" * 41], ["a"] * 5, [""]])
def test_a_request_that_no_field_makes_is_refused(
    in_page: InPage, storyteller: LanguageModel, stop: object
) -> None:
    session = PageSession(in_page, storyteller, PROMPT)
    with pytest.raises(ValueError, match="stop string"):
        session.tab.answer({**session.asked[-1], "stop": stop})


def test_a_saved_run_says_that_a_string_ended_it(
    in_page: InPage, greedy: Generation, string: str
) -> None:
    session = PageSession(in_page, greedy.lm, PROMPT, greedy="1", stop=string)
    session.do("finish", count=20)
    run = json.loads(session.file("json"))
    assert run["finished"] == "stop"
    assert "stop=" in run["link"]
    opened = PageSession(in_page, greedy.lm, PROMPT).do("open run", text=json.dumps(run))
    assert (opened.ids, opened.header["finished"]) == (session.ids, "stop")
    replay = session.file("html")
    assert '"finished":"stop"' in replay.replace('": "', '":"')


def test_a_tab_keeps_the_strings_over_a_reload(
    in_page: InPage, greedy: Generation, string: str
) -> None:
    session = PageSession(in_page, greedy.lm, PROMPT, greedy="1", stop=string)
    session.do("finish", count=20)
    in_page("keep", record=in_page("kept"))
    again = PageSession(in_page, greedy.lm)
    assert (again.ids, again.header["finished"]) == (session.ids, "stop")
    assert again.header["stop"] == [string]
