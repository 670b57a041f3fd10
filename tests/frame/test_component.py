"""Components of our own: the payload's layout."""

from __future__ import annotations

import numpy as np
import pytest

from pages.frame.component import encode_payload


@pytest.mark.parametrize("n_letters", range(4))
def test_arrays_begin_on_a_multiple_of_four(n_letters: int) -> None:
    payload = encode_payload({"text": "a" * n_letters}, {"ids": np.arange(3)})
    assert len(payload) % 4 == 0
    assert payload.endswith(np.arange(3, dtype="<i4").tobytes())
