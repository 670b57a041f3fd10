"""One process a worker that runs the model in the page."""

from collections.abc import Iterator

import pytest

from benchmarks.in_page import InPage, in_deno
from model.loading import LanguageModel


@pytest.fixture(scope="session")
def in_page(storyteller: LanguageModel) -> Iterator[InPage]:
    """The modules of pages/home/in_page, with the shipped model."""
    with in_deno(storyteller) as run:
        yield run
