"""What the tests of training share: made-up stories and a tokenizer that knows them."""

import itertools

import pytest
from tokenizers import Tokenizer

from training.tokenizer import train_tokenizer


def make_stories() -> dict[str, list[str]]:
    names, acts = ("Lily", "Tom", "the cat", "a bird"), ("ran", "sat", "sang", "slept")
    places = ("home", "in the park", "by the sea")
    lines = [f"One day {n} {a} {p}. The end." for n, a, p in itertools.product(names, acts, places)]
    return {"tales": lines, "more": [line.replace("One day", "At night") for line in lines]}


@pytest.fixture(scope="session")
def stories() -> dict[str, list[str]]:
    return make_stories()


@pytest.fixture(scope="session")
def tokenizer(stories: dict[str, list[str]]) -> Tokenizer:
    return train_tokenizer(stories, {"tales": 1.5})
