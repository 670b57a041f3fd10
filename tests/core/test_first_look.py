"""Each fault that a first look is for is put into a right model, and seen; a right one passes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from model.first_look import look_at, takes_padding
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import LoadError, load_model
from model.sampling import Settings
from tests.nightly import by_night
from tests.tiny_models import ARCHITECTURES, bare_model, fresh_logits, loaded, save, tiny

IDS = [5, 80, 7, 9]


@pytest.mark.parametrize("architecture", by_night(ARCHITECTURES))
def test_a_right_model_is_taken_as_it_is(architecture: str) -> None:
    lm = tiny(architecture)
    assert look_at(lm, "tiny") is lm
    assert lm.weights.caveat is None


def faulty(wrong: Callable[[Any, Any], Any]) -> LanguageModel:
    """A GPT-2 whose logits are made wrong by what its pass was given and gave."""
    lm = loaded(bare_model("gpt2"))
    lm.model.register_forward_hook(
        lambda _model, _args, given, out: wrong(given, out), with_kwargs=True
    )
    return lm


def hears_the_end(_given: Any, out: Any) -> Any:
    """A later token moves every logit before it."""
    out.logits = out.logits + out.logits[:, -1:].mean()
    return out


def by_chance(_given: Any, out: Any) -> Any:
    out.logits = out.logits + torch.rand_like(out.logits)
    return out


def by_chance_at_first(_given: Any, out: Any) -> Any:
    """Random logits at the first position of a pass, and equal ones, without a range, elsewhere."""
    out.logits = torch.rand_like(out.logits)
    out.logits[:, 1:] = 0
    return out


def fails(_given: Any, _out: Any) -> Any:
    raise RuntimeError("The size of tensor a (4) must match the size of tensor b (8)")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (hears_the_end, "later token"),
        (by_chance, "other logits"),
        (by_chance_at_first, "other logits"),
        (fails, "first pass .*Runtime"),
    ],
)
def test_what_no_text_can_be_written_with_is_refused(
    wrong: Callable[[Any, Any], Any], said: str
) -> None:
    with pytest.raises(LoadError, match=said) as caught:
        look_at(faulty(wrong), "faulty")
    assert "size of tensor" not in str(caught.value)


def test_a_cache_that_parts_from_the_whole_pass_is_not_used() -> None:
    def forgets(given: Any, out: Any) -> Any:
        is_decode = given.get("past_key_values") is not None and out.logits.shape[1] == 1
        out.logits = out.logits.roll(1, -1) if is_decode else out.logits
        return out

    lm = look_at(faulty(forgets), "faulty")
    assert (lm.new_cache(), lm.cache_shape.bytes_per_token) == (None, 0)
    text = Generation(lm, IDS)
    for _ in range(3):
        text.step(Settings(temperature=0))
    assert abs(text.logits - fresh_logits(lm, text.ids)).max() < 1e-4
    assert text.notice == lm.weights.caveat


def test_what_a_model_keeps_in_itself_of_another_text_is_not_used() -> None:
    """As recurrent_gemma does: a token that is read alone goes on from the last text that was."""
    state = torch.zeros(1)

    def goes_on(given: Any, out: Any) -> Any:
        nonlocal state
        ids = given["input_ids"].float() / 1000
        sums = ids.cumsum(-1) + (state if ids.shape[1] == 1 else 0)
        state = sums[:, -1:]
        out.logits = out.logits + sums[..., None] * torch.linspace(0, 1, out.logits.shape[-1])
        return out

    lm = faulty(goes_on)
    looked = look_at(lm, "faulty")
    assert looked.new_cache() is None
    assert looked.weights.caveat is not None


def test_positions_that_a_model_reads_otherwise_are_left_to_it() -> None:
    """As git did: whoever passes them from 0 gets other logits than whoever passes none."""
    lm = loaded(bare_model("gpt2"))
    lm.model.register_forward_pre_hook(
        lambda _model, args, given: (args, given | {"position_ids": moved(given)}),
        with_kwargs=True,
    )

    def moved(given: dict[str, Any]) -> Any:
        places = given.get("position_ids")
        return None if places is None else places + 7

    looked = look_at(lm, "faulty")
    assert looked.weights.first_position is None
    assert not takes_padding(looked)


def test_a_mask_that_is_not_heeded_is_no_padding() -> None:
    lm = loaded(bare_model("gpt2"))
    assert takes_padding(lm)
    deaf = loaded(bare_model("gpt2"))
    deaf.model.register_forward_pre_hook(
        lambda _model, args, given: (args, given | {"attention_mask": None}), with_kwargs=True
    )
    assert not takes_padding(deaf)


def test_a_mixture_in_16_bits_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = save(tmp_path, bare_model("mixtral"))
    assert load_model(str(folder), "cpu", "bfloat16").weights.caveat is None
