"""A word by name on the home page: its rank, its shares, its chain of tokens, and `logprobs=5`.

Whatever the page says is held against Python on the same logits; what it cannot know has no number.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from model.batch import read_whole
from model.draw import rank_order, summarise
from model.generation import Generation
from model.loading import LanguageModel
from model.masks import log_softmax
from model.records import NO_MEMORY
from model.sampling import ORDERS, Settings, process
from model.server.backend import server_of
from model.server.opening import open_server
from model.tokenizing import encode, encode_bare, label
from pages.frame.assets import address
from pages.home.controls import Controls
from pages.home.files import Draw, SavedRun
from pages.home.payload import name_arrays
from pages.home.replay_page import recording_of
from pages.home.text_request import TextRequest
from pages.home.texts import MAX_WORD, Texts
from tests.driving.home_page import Reader
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession
from tests.server.fake_vllm import FakeVllm

PROMPT = "The cat sat on the"
# while the bars are covered: nothing can be asked, the JSON is hidden, and no number shows
COVERED = """async (path) => {
  const { createAskWord, createLogprobs } = await import(new URL(path, document.baseURI));
  const [asking, json] = [createAskWord({}), createLogprobs()];
  const view = { hidden: true, distribution: {}, header: { word: { ids: [5] } }, label: () => "x" };
  for (const part of [asking, json]) {
    part.element.open = true;
    part.update(view);
  }
  return [
    asking.element.querySelector("[type=submit]").disabled,
    json.element.querySelector("pre").hidden,
    ...[asking, json].map(({ element }) => /[^=]\\d/.test(element.textContent)),
  ];
}"""
MASKS: tuple[Mapping[str, Any], ...] = (
    {},
    {"temperature": 0.7, "top_p": 0.8},
    {"temperature": 1.6, "min_p": 0.1, "top_k": 7},
    {"temperature": 0},
    {"repetition_penalty": 1.3, "typical_p": 0.6},
)


def written(number: float) -> float | str:
    """A number as JSON has it, minus infinity as a script reads it."""
    return "-Infinity" if number == -np.inf else number


def known(
    in_page: InPage,
    logits: np.ndarray,
    ids: list[int],
    settings: Mapping[str, Any],
    *,
    word: Mapping[str, Any] | None = None,
    limit: int | None = None,
    **view: Any,
) -> dict[str, Any]:
    """What the page knows of the token of some ids; of the best so many logits alone, if said."""
    held = summarise(logits, limit or len(logits))
    described, arrays = name_arrays(held, logits if limit is None else None)
    packed = {name: [written(n) for n in array.tolist()] for name, array in arrays.items()}
    shown = {
        "contextIds": [1, 2, 3],
        "nPrompt": 2,
        "chosenId": None,
        "settings": {**settings, "order": list(ORDERS["transformers"])},
        "header": {"word": word or {"text": "", "ids": ids, "logprobs": [], "after": []}},
        **view,
    }
    found: dict[str, Any] = in_page("word", held={**described, **packed}, view=shown)
    return found


@pytest.mark.parametrize("settings", MASKS, ids=str)
def test_a_token_has_python_s_rank_and_its_share_after_each_stage(
    in_page: InPage, settings: Mapping[str, Any]
) -> None:
    logits = np.random.default_rng(3).normal(0, 3, 60).round(1).astype(np.float32)  # with ties
    stages = process(logits, [1, 2, 3], Settings(**settings), 2)
    order = rank_order(logits)
    for token_id in (0, 2, int(order[0]), int(order[4]), int(order[-1])):
        facts = known(in_page, logits, [token_id], settings)["facts"]
        assert facts["title"] == f"number {int(np.flatnonzero(order == token_id)[0]) + 1} of 60"
        assert len(facts["rows"]) == len(stages)
        for row, stage in zip(facts["rows"], stages, strict=True):
            expected = stage.probs[token_id] if stage.kept[token_id] else 0
            assert row["share"] == pytest.approx(expected, rel=1e-6, abs=1e-12)
            assert (row["words"] == "out") == (not stage.kept[token_id])


@pytest.mark.parametrize("settings", MASKS, ids=str)
def test_of_a_large_vocabulary_a_number_is_python_s_or_there_is_none(
    in_page: InPage, settings: Mapping[str, Any]
) -> None:
    logits = np.random.default_rng(4).normal(0, 2, 3000).astype(np.float32)
    stages = process(logits, [1, 2, 3], Settings(**settings), 2)
    order = rank_order(logits)
    for rank in (0, 30, 39, 40, 2999):
        token_id = int(order[rank])
        facts = known(in_page, logits, [token_id], settings, limit=40)["facts"]
        assert facts["title"].startswith(f"number {rank + 1} of" if rank < 40 else "below the best")
        for row, stage in zip(facts["rows"], stages, strict=True):
            if row["share"] is not None:
                expected = stage.probs[token_id] if stage.kept[token_id] else 0
                assert row["share"] == pytest.approx(expected, rel=1e-3, abs=1e-12)
        assert (facts["rows"][0]["share"] is None) == (rank >= 40)
    # what the model was asked of it here is known, and nowhere else
    for after, share in (([1, 2, 3], 0.25), ([1, 2], None)):
        word = {"text": "x", "ids": [int(order[40])], "logprobs": [np.log(0.25)], "after": after}
        rows = known(in_page, logits, [], settings, word=word, limit=40)["facts"]["rows"]
        assert rows[0]["share"] == (None if share is None else pytest.approx(share))


def test_what_logprobs_5_shows_is_the_raw_log_softmax_in_its_order(in_page: InPage) -> None:
    logits = np.random.default_rng(5).normal(0, 3, 60).astype(np.float32)
    order, truth = rank_order(logits), log_softmax(logits)
    labels = {str(i): f"␣{i}" for i in range(60)}
    # whole numbers, a line end, a quotation mark, half a character
    labels |= {str(order[0]): "7", str(order[1]): "3", str(order[2]): '⏎"', str(order[3]): "<0xE2>"}
    texts = ["7", "3", '\n"', "bytes:\\xe2", f" {order[4]}"]
    chosen = int(order[20])
    for chosen_id in (None, int(order[1]), chosen):
        cut = {"temperature": 0.5, "top_k": 2}
        told = known(in_page, logits, [0], cut, chosenId=chosen_id, labels=labels)["json"]
        best = json.loads(told)["top_logprobs"][0]
        expected = [truth[i] for i in order[:5]]
        names = [*texts, f" {chosen}"] if chosen_id == chosen else texts
        assert list(best) == names
        assert list(best.values())[:5] == pytest.approx(expected, abs=1e-6)
        if chosen_id is None:
            assert "tokens" not in json.loads(told)
        else:
            assert json.loads(told)["token_logprobs"] == pytest.approx([truth[chosen_id]], abs=1e-6)
    summed = known(in_page, logits, [0], {}, limit=8, labels=labels)["json"]
    assert list(json.loads(summed)["top_logprobs"][0].values()) == pytest.approx(expected, abs=2e-4)
    nothing = known(in_page, np.array([0.0, -np.inf], np.float32), [0], {}, chosenId=1)["json"]
    assert json.loads(nothing)["token_logprobs"] == [None]


def fresh(lm: LanguageModel, context: list[int], word: str) -> tuple[list[int], list[float]]:
    """A word's ids, in the form with the likelier first token, and their log-probabilities."""
    forms = [encode_bare(lm, form) for form in (word, f" {word}")]
    first = read_whole(lm, context, 1)[-1]
    ids = max(forms, key=lambda form: first[form[0]])
    rows = read_whole(lm, [*context, *ids], len(ids) + 1)[:-1]
    return ids, [float(row[token_id]) for row, token_id in zip(rows, ids, strict=True)]


@pytest.mark.parametrize("is_in_page", [False, True])
def test_a_word_s_tokens_have_the_chance_of_a_fresh_reading_and_the_text_stays(
    in_page: InPage, storyteller: LanguageModel, is_in_page: bool
) -> None:
    session = PageSession(in_page, storyteller, PROMPT)
    if is_in_page:
        query = {"model": storyteller.name, "prompt": PROMPT}
        session._take(in_page("open", query=query))
    session.do("next").do("next")
    ids, branch = session.ids, session.header["branch"]
    for word, position in (("mat", len(ids)), ("zebras", len(ids)), ("unhappiness", 3)):
        session.do("word", text=word, token_id=None, position=position)
        expected, logprobs = fresh(storyteller, ids[:position], word)
        found = session.header["word"]
        assert found["ids"] == expected
        assert found["logprobs"] == pytest.approx(logprobs, abs=1e-3)
        assert found["after"] == ids[:position]
    assert len(expected) > 1
    # it stays while the reader steps, and says where it was scored
    session.do("next")
    assert session.ids[:-1] == ids
    assert session.header["word"] == found
    assert session.header["branch"] == branch
    session.do("word", text="", token_id=None, position=3)
    assert session.header["word"] is None


def test_a_server_that_sends_the_best_alone_is_asked_for_the_word_s_tokens(
    storyteller: LanguageModel,
) -> None:
    server = FakeVllm(storyteller)
    try:
        few = open_server(server.url)
        server_of(few).max_best = 50
        ids = encode(storyteller, PROMPT)
        asked = TextRequest(0, ids, len(ids), NO_MEMORY, Controls(), 0)
        for word in ("quartz", "zigzag"):
            found = Texts(few).score(asked, word, len(ids))
            expected, logprobs = fresh(storyteller, ids, word)
            assert found.ids == expected
            assert found.logprobs == pytest.approx(logprobs, abs=1e-3)
    finally:
        server.kill()


def test_a_word_of_several_tokens_is_not_shown_at_another_position(in_page: InPage) -> None:
    word = {"text": "ab", "ids": [4, 5], "logprobs": [np.log(0.5), np.log(0.1)], "after": [1, 2, 3]}
    logits = np.zeros(60, np.float32)
    here = known(in_page, logits, [], {}, word=word)["facts"]
    assert [row["share"] for row in here["rows"]] == pytest.approx([0.5, 0.1])
    assert here["title"] == "5.0\u202f%"
    for context in ([1, 2], [1, 2, 4], [1, 2, 3, 4]):
        there = known(in_page, logits, [], {}, word=word, contextIds=context)["facts"]
        assert there["isStale"]
        assert [row["share"] for row in there["rows"]] == [None, None]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"text": " "}, "No word"),
        ({"text": "word " * (MAX_WORD + 1)}, "shorter word"),
        ({"text": "x" * 500}, "shorten it"),
        ({"text": "cat", "position": 0}, "no such position"),
        ({"text": "cat", "token_id": 10**6}, "is no token"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence_and_the_word_before_stays(
    in_page: InPage, storyteller: LanguageModel, fields: Mapping[str, Any], named: str
) -> None:
    session = PageSession(in_page, storyteller, PROMPT)
    session.do("word", text="mat", token_id=None, position=3)
    before, ids = session.header["word"], session.ids
    session.do("word", **{"token_id": None, "position": 3, **fields})
    assert named in session.notice
    assert (session.header["word"], session.ids) == (before, ids)


def test_a_lesson_still_starts_from_the_text_without_the_word(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session = PageSession(in_page, storyteller, PROMPT)
    session.do("word", text="unhappiness", token_id=None, position=3)
    assert session.generation.ids == session.ids


def test_a_saved_page_knows_the_words_that_it_names(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    text, controls = Generation(storyteller, PROMPT), Controls(use=("top_k",), top_k=3)
    text.step(controls.settings())
    run = SavedRun(
        text, [Draw(0, controls, forced=False)], text.last_pass, PROMPT, chat=False, link=""
    )
    recording = recording_of(run)
    best = int(text.steps[0].candidates[0].token_id)
    name = label(storyteller.tokenizer, best).removeprefix("␣")
    position = len(encode(storyteller, PROMPT))
    found = in_page("recordedWord", run=recording, text=name, position=position)
    assert found["ids"] == [best]
    unknown = in_page("recordedWord", run=recording, text="unhappiness", position=position)
    assert "names no token" in unknown["refused"]


@pytest.mark.browser
def test_a_word_is_followed_while_the_reader_steps_and_covered_while_one_guesses(
    reader: Reader,
) -> None:
    live = reader.live
    live.get_by_text("The probability of any word").click()
    live.get_by_text("What an API’s logprobs=5").click()
    box = live.get_by_role("textbox", name="Ask for a word")
    box.fill("there")
    box.press("Enter")
    head, rows = live.locator(".ask-word-head"), live.locator(".ask-word-table tr")
    expect(head).to_contain_text("␣there number")
    expect(rows.first).to_contain_text("by the model")
    n_after = reader.page.evaluate("globalThis.__ottEvents.length")
    said = live.locator(".ask-word-found").inner_text()
    reader.press("Next")
    expect(head).to_contain_text("␣there number")
    reader.until(lambda: live.locator(".ask-word-found").inner_text() != said, "it stays as it was")
    kinds = reader.page.evaluate(f"globalThis.__ottEvents.slice({n_after}).map((e) => e.kind)")
    assert "word" not in kinds  # one token is followed without another question
    best = json.loads(live.locator(".logprobs").inner_text())["top_logprobs"][0]
    assert len(best) in (5, 6)
    assert sum(map(np.exp, best.values())) <= 1 + 1e-5
    box.fill("unhappiness")
    box.press("Enter")
    expect(rows).not_to_have_count(1)
    expect(live.locator(".ask-word-found")).not_to_have_attribute("data-stale", "true")
    reader.press("Next")
    expect(live.locator(".ask-word-found")).to_have_attribute("data-stale", "true")
    box.fill("⏎")
    box.press("Enter")
    expect(head).to_contain_text("⏎ number")
    live.get_by_role("button", name="forget it").click()
    expect(head).to_be_hidden()
    covered = reader.page.evaluate(COVERED, address("home/live/controls/ask_word.js"))
    assert covered == [True, True, False, False]
