"""The same link, the same text: a cut of `python -m benchmarks.link_table`, which takes minutes."""

from typing import Any

import numpy as np
import pytest

from benchmarks.link_table import CONTROLS, PROMPTS, compare, links
from model.loading import LanguageModel
from tests.driving.in_page import InPage
from tests.nightly import nightly

N_PROMPTS, N_TOKENS = len(PROMPTS) - 1, 10  # all but the long one


@pytest.mark.parametrize("n_prompts", [1, nightly(2)])
def test_links_write_the_same_texts_here_and_there(
    in_page: InPage, storyteller: LanguageModel, n_prompts: int
) -> None:
    queries = [query for _, query in links(N_PROMPTS, N_TOKENS)]
    # each setting with one prompt, by night with two, and no prompt with two settings
    table = np.reshape(queries, (N_PROMPTS, len(CONTROLS)))
    some = table[np.add.outer(*map(range, table.shape)) % (N_PROMPTS // n_prompts) == 0]
    found = [compare(in_page, storyteller, str(query)) for query in some]
    assert len(found) == n_prompts * len(CONTROLS)
    assert not [outcome.parted for outcome in found if outcome.is_fault]
    n_draws = sum(outcome.n_draws for outcome in found)
    n_parted = sum(bool(outcome.parted) for outcome in found)
    assert n_parted <= 1 + n_draws / 10_000
    assert n_draws > 0.8 * len(found) * N_TOKENS
    assert max(outcome.gap for outcome in found) < 1e-4


def test_the_table_refuses_a_page_that_draws_otherwise(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    """A page with other controls than the link asks for, which mostly draws the same."""

    def cooler(call: str, query: dict[str, str]) -> Any:
        run = query["run"].replace("temperature:1.4", "temperature:1.35")
        return in_page(call, query=query | {"run": run})

    hot = [query for name, query in links(len(PROMPTS), 12) if name == "top-k, hot"]
    assert any(compare(cooler, storyteller, query).is_fault for query in hot)
