"""Stop strings against transformers' criteria, vLLM's semantics and their own definition."""

import numpy as np
import pytest
from transformers import StopStringCriteria

from model.language_model import LanguageModel
from model.stopping import (
    MAX_CHARACTERS,
    MAX_STRINGS,
    StopStrings,
    Stream,
    read_strings,
)
from model.tokenizing import bytes_at
from tests.stopping.cases import N_CASES, StopCase, random_cases

CASES = list(random_cases())


def streams(case: StopCase, *, keep: bool = False) -> list[Stream]:
    """The stream after every token, as long as something follows."""
    found = [Stream(StopStrings(case.strings, keep=keep))]
    for token in case.tokens:
        found.append(found[-1].after(token))
        if found[-1].match is not None:
            break
    return found[1:]


def vllm(case: StopCase, strings: tuple[str, ...], *, keep: bool) -> tuple[int, str] | None:
    """At which token a server ends the text, and what its client has then; None if it does not.

    Written from vLLM's documentation: each new text is searched for the strings in their order,
    and what follows the string goes, as does the string itself if it is not to be included.
    """
    for n_tokens in range(1, len(case.tokens) + 1):
        text = b"".join(case.tokens[:n_tokens]).decode("utf-8", errors="ignore")
        for string in strings:
            head, found, _ = text.partition(string)
            if found:
                return n_tokens, head + string if keep else head
    return None


def test_every_random_case_ends_where_vllm_ends_it() -> None:
    n_ended = n_kept_apart = 0
    for case in CASES:
        for keep in (False, True):
            found, last = streams(case, keep=keep), None
            last = found[-1].match
            expected = vllm(case, case.strings, keep=keep)
            assert (expected is None) == (last is None)
            if expected is None or last is None:
                continue
            assert len(found) == expected[0]
            # of several that one token completes vLLM takes the first of its list, here the first
            # in the text is taken: the text is the same however the tokens cut it
            assert vllm(case, (last.string,), keep=keep) == (expected[0], found[-1].sent)
            n_ended += 1
            n_kept_apart += expected[1] != found[-1].sent
    assert n_ended > N_CASES
    assert 0 < n_kept_apart < n_ended / 5


def test_what_is_sent_is_never_taken_back_and_held_for_a_reason() -> None:
    n_held = 0
    for case in CASES:
        before = ""
        for stream in streams(case):
            assert stream.sent.startswith(before)
            before = stream.sent
            if stream.match is None and stream.rest:
                rest = stream.rest
                begun = [s for s in case.strings if s.encode().startswith(rest)]
                assert begun or rest[0] >= 0xC2  # a beginning of a string, or of a character
                for string in begun:  # were it to go on so, nothing of the string was sent
                    match = stream.after(string.encode()[len(rest) :]).match
                    assert match is not None
                    assert match.begin >= stream.n_sent
                    assert match.begin == stream.n_sent or match.string != string
                n_held += 1
    assert n_held > N_CASES / 2


def test_the_text_does_not_depend_on_how_tokens_cut_it() -> None:
    """An end that a token hides, as vLLM's list order may, would differ here."""
    for case in CASES:
        whole = Stream(StopStrings(case.strings)).after(b"".join(case.tokens))
        assert whole.ended().sent == streams(case)[-1].ended().sent


def test_the_newest_token_completes_a_string_where_the_stream_ends() -> None:
    for case in CASES:
        stop, found = StopStrings(case.strings), streams(case)
        for n_tokens, stream in enumerate(found, 1):
            string = stop.completed(reversed(case.tokens[:n_tokens]))
            assert string == (stream.match.string if stream.match else None)


def test_transformers_ends_at_the_same_token(storyteller: LanguageModel) -> None:
    tokenizer, rng = storyteller.tokenizer, np.random.default_rng(47)
    words = ["the", " the", "th", "e", "he", " cat", "cat", "at", " ", "a", ".", "\n", "t", "h"]
    known = tokenizer.get_vocab()
    ids = [i for word in words for i in tokenizer(word, add_special_tokens=False)["input_ids"]]
    ids = sorted(set(ids) - {known["<|endoftext|>"]})
    n_sets, n_texts, n_tokens, n_ended = 20, N_CASES // 20, 8, 0
    for _ in range(n_sets):
        texts = rng.choice(ids, (n_texts, n_tokens))
        written = b"".join(
            bytes_at(tokenizer, texts[0].tolist(), i) for i in range(n_tokens)
        ).decode()
        begin = int(rng.integers(1, len(written) - 5))
        strings = (written[begin : begin + int(rng.integers(1, 5))], "he c")
        stop = StopStrings(strings)
        criteria = StopStringCriteria(tokenizer, list(strings))
        tokens = [[bytes_at(tokenizer, row, i) for i in range(n_tokens)] for row in texts.tolist()]
        is_open = np.ones(n_texts, dtype=bool)
        for n in range(1, n_tokens + 1):
            theirs = criteria(_tensor(texts[:, :n]), None).numpy()
            ours = [stop.completed(reversed(row[:n])) is not None for row in tokens]
            assert (theirs == ours)[is_open].all()
            is_open &= ~theirs
        n_ended += int((~is_open).sum())
    assert N_CASES / 10 < n_ended < N_CASES


def _tensor(rows: np.ndarray) -> object:
    import torch

    return torch.from_numpy(rows)


@pytest.mark.parametrize("lines", ["\n\n", ""])
def test_an_empty_line_is_no_string(lines: str) -> None:
    assert read_strings(lines) == ()


def test_a_backslash_before_nothing_known_is_itself() -> None:
    assert read_strings("\\x\\\\n\\n\\") == ("\\x\\n\n\\",)


@pytest.mark.parametrize(
    "strings", [("",), ("a" * (MAX_CHARACTERS + 1),), ("a",) * (MAX_STRINGS + 1), ("\ud83d",)]
)
def test_strings_that_no_text_can_be_tested_for_are_refused(strings: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="stop string"):
        StopStrings(strings)
