"""The page knows what the server says, whatever was lost or came late; little is sent for it."""

import json
from base64 import b64encode
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page

from benchmarks.home_page import header_of, merged
from model.loading import LanguageModel
from pages.home.link import write_text
from pages.home.session import Session
from pages.home.tab import Tab
from tests.tiny_models import tiny

EMOJI = 'A "quoted" & <odd> prompt, with ~ ; : and é🎈'


def written(lm: LanguageModel, n_tokens: int) -> Tab:
    tab = Tab(Session(lm, "Once upon a time"))
    for i in range(n_tokens):
        event = {"kind": "force", "token_id": 300 + i % 100}
        tab.answer({"n": i, **event})
    return tab


def state(tab: Tab, holds: object = -1) -> bytes:
    return tab.answer({"kind": "state", "holds": holds})


def press(tab: Tab, kind: str, held: dict[str, Any] | None = None, **fields: object) -> bytes:
    holds = held["version"] if held else -1
    return tab.answer({"n": tab.ack + 1, "kind": kind, "holds": holds, **fields})


def test_a_press_sends_as_much_at_two_hundred_tokens_as_at_ten(storyteller: LanguageModel) -> None:
    sizes = []
    for n_tokens in (10, 200):
        tab = written(storyteller, n_tokens)
        version = header_of(state(tab))["version"]
        answer = tab.answer({"n": n_tokens, "kind": "next", "holds": version})
        assert len(header_of(answer)["rows"]["id"]) == 1
        sizes.append(len(answer))
    # some numbers have more digits; one byte for each token would be 190
    assert sizes[1] < sizes[0] + 50


def test_logits_that_the_page_has_are_not_sent_again(storyteller: LanguageModel) -> None:
    tab = written(storyteller, 2)
    held = merged({}, state(tab))
    quiet = press(tab, "tokenise", held, text="The")
    assert len(quiet) < 1500 < len(press(tab, "next", held))


@pytest.mark.parametrize("holds", [None, "x", 10**9, [], -7, 1.5])
def test_a_page_that_holds_nothing_known_is_told_all(holds: object) -> None:
    tab = written(tiny("llama"), 3)
    assert header_of(state(tab, holds)).keys() == header_of(state(tab)).keys()
    assert header_of(state(tab, holds))["keep"] == 0


def test_rows_that_were_taken_back_are_not_taken_for_those_that_came_after(
    storyteller: LanguageModel,
) -> None:
    tab = written(storyteller, 3)
    held = merged({}, state(tab))
    press(tab, "back")
    assert header_of(press(tab, "force", token_id=500))["keep"] == 0  # to a page that holds nothing
    assert header_of(state(tab, held["version"]))["keep"] == 2
    assert merged(held, state(tab, held["version"]))["ids"] == tab.session.generation.ids


def test_a_branch_sends_no_row_that_it_shares(storyteller: LanguageModel) -> None:
    tab = written(storyteller, 5)
    held = merged({}, state(tab))
    answer = press(tab, "branch", held, position=tab.session.generation.n_prompt + 3)
    assert (header_of(answer)["keep"], header_of(answer)["rows"]["id"]) == (3, [])


def test_another_session_is_told_whole(storyteller: LanguageModel) -> None:
    tab = written(storyteller, 3)
    held = merged({}, state(tab))
    tab.session = Session(storyteller, "Once upon a time")
    again = merged(held, state(tab, held["version"]))
    assert again["ids"] == again["prompt_ids"]


def test_who_has_a_secret_finds_the_tab_as_long_as_it_is_there() -> None:
    from pages.home.route import TABS

    tab = written(tiny("llama"), 0)
    secret = tab.secret
    assert TABS.get(secret) is tab
    assert len(secret) >= 40
    del tab
    assert TABS.get(secret) is None


# The other side: whole.js, and the link that the page writes


WHOLE = """async (answers) => {
  const { Whole } = await import('/pages/home/live/whole.js');
  const whole = new Whole();
  return answers.map((text) => {
    const isNew = whole.take(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    const { header, arrays } = whole.state;
    const sizes = Object.entries(arrays).map(([name, array]) => [name, array.length]);
    return [isNew, JSON.stringify(header), Object.fromEntries(sizes)];
  });
}"""
LINK = """async (headers) => {
  const { linkOf } = await import('/pages/home/live/link.js');
  return headers.map((header) => linkOf(header));
}"""
STORY: list[tuple[str, dict[str, Any]]] = [
    ("next", {}),
    ("force", {"token_id": 200}),  # a piece of a character
    ("next", {"controls": {"temperature": 1.5, "use": ["temperature"]}}),
    ("back", {}),
    ("force", {"token_id": 7}),
    ("inspect", {"position": 3}),
    ("inspect", {"position": None}),
    ("branch", {"position": 12}),
    ("next", {}),
    ("tokenise", {"text": "é"}),
    ("guess", {"text": "a"}),
    ("switch", {"id": 0}),
    ("prompt", {"text": EMOJI}),
    ("reset", {}),
]


def told_of(lm: LanguageModel) -> tuple[list[bytes], list[dict[str, Any]], list[str]]:
    """The answers to a story, what each makes of the page, and the text's query after each."""
    tab = Tab(Session(lm, EMOJI))
    answers, headers, queries = [state(tab)], [merged({}, state(tab))], [""]
    headers[0] = merged({}, answers[0])
    queries[0] = write_text(tab.session.active)
    for kind, fields in STORY:
        answers.append(press(tab, kind, headers[-1], **fields))
        headers.append(merged(headers[-1], answers[-1]))
        queries.append(write_text(tab.session.active))
    return answers, headers, queries


@pytest.mark.browser
def test_the_page_puts_the_same_state_together_and_writes_the_same_link(
    scripts: Page, storyteller: LanguageModel
) -> None:
    answers, headers, queries = told_of(storyteller)
    late = [answers[0], *answers, answers[3]]  # the first twice, and one that comes late
    made = scripts.evaluate(WHOLE, [b64encode(answer).decode() for answer in late])
    assert [is_new for is_new, *_ in made] == [True, False, *[True] * (len(answers) - 1), False]
    assert made[-1][1:] == made[-2][1:]
    states = [json.loads(text) for _, text, _ in made[1:-1]]
    for ours, theirs in zip(headers, states, strict=True):
        for name in theirs.keys() - {"joined", "steps"}:
            assert theirs[name] == ours[name], name
        assert theirs["steps"].items() <= ours["steps"].items()
    assert all(sizes["logits"] == storyteller.vocab_size for _, _, sizes in made)
    assert [("inspect_logits" in sizes) for *_, sizes in made[1:-1]].count(True) == 1

    for link, query, header in zip(scripts.evaluate(LINK, states), queries, states, strict=True):
        said = parse_qsl(link.removeprefix("?"), keep_blank_values=True)
        assert said == parse_qsl(f"{header['address']}&{query}", keep_blank_values=True)
