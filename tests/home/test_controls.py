"""The sliders' positions and the settings that follow from them."""

import math

import pytest

from model.sampling import ORDERS
from model.settings import SETTINGS
from pages.home.controls import Controls


def test_a_mask_that_is_not_in_use_is_neutral_and_greedy_overrides_the_temperature() -> None:
    controls = Controls(temperature=0.5, top_k=3, top_p=0.7, min_p=0.2, use=("top_k",))
    settings = controls.settings()
    assert (settings.temperature, settings.top_k, settings.top_p, settings.min_p) == (1, 3, 1, 0)
    assert Controls(greedy=True).settings().temperature == 0
    for name, order in ORDERS.items():
        assert Controls(order=name).settings().order == order


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("value", [math.nan, -1e9, "mat", []])
def test_a_value_that_no_control_can_take_is_refused_in_one_sentence(
    name: str, value: object
) -> None:
    with pytest.raises(ValueError, match=SETTINGS[name].title) as refused:
        Controls.from_page({name: value})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("values", [{"order": "alphabetical"}, {"use": "top_p,luck"}])
def test_unknown_names_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Controls.from_page(values)


def test_the_page_and_a_link_give_back_what_they_were_given() -> None:
    controls = Controls(
        temperature=1.35, top_k=40, use=("top_p", "min_p"), greedy=True, order="llama.cpp", eta=3e-4
    )
    ordered = Controls.from_page(controls.to_page())
    assert ordered.settings() == controls.settings()
    assert Controls.from_page(controls.encode()) == ordered
    assert Controls().encode() == {}
