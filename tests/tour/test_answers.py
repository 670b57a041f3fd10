"""Answers that a lesson marks right or wrong: they hold on what the scene shows, or always."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.draw import draw
from model.generation import Generation
from model.kv_cache.prefix import change_word, n_reusable
from model.loading import LanguageModel
from model.prefill_decode.recordings import Recording
from model.sampling import Settings, process
from model.sampling.experiments import apply_alone
from model.tokenizing import encode
from pages.frame.offers import DEFAULT_MODEL
from pages.lessons.encoder_decoder.lesson import word_unseen
from pages.lessons.kv_cache.prefix import CHANGES
from pages.lessons.prefill_decode.bounds import N_WATCHED, waiting_lanes
from pages.lessons.prefill_decode.settings import RECORDINGS
from pages.lessons.sampling.source import SHAPES
from pages.lessons.sampling.state import LabControls
from pages.lessons.tour.scenes import read_lesson

SCENES = {
    (name, scene.title): scene
    for name in ("sampling", "inference-speed", "search-and-speculation")
    for scene in read_lesson(name).scenes
}
WAYS = st.tuples(st.floats(0.05, 3), st.floats(0.05, 1))  # temperature, top-p


def recording_of(title: str) -> Recording:
    """The run that a scene's link lays on the page."""
    return RECORDINGS[dict(SCENES["inference-speed", title].query)["recording"]]


def n_kept(shape: str, name: str) -> int:
    return int(apply_alone(SHAPES[shape].logits, name, getattr(LabControls(), name)).kept.sum())


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=12), WAYS, WAYS, st.floats(0, 0.999))
def test_with_the_same_pointer_colder_or_a_lower_top_p_is_never_less_likely(
    logits: list[float], one: tuple[float, float], other: tuple[float, float], pointer: float
) -> None:
    scores = np.array(logits, dtype=np.float32)
    ranks = []
    for way in (one, np.minimum(one, other)):
        settings = Settings(temperature=float(way[0]), top_p=float(way[1]))
        *_, last = process(scores, [], settings)
        ranks.append(int(np.count_nonzero(scores > scores[draw(last, pointer)])))
    assert ranks[1] <= ranks[0]


def test_top_p_keeps_few_where_the_model_is_sure_and_top_k_its_number(
    storyteller: LanguageModel,
) -> None:
    assert n_kept("flat", "top_k") == n_kept("peaked", "top_k")
    assert n_kept("flat", "top_p") > n_kept("flat", "top_k") > n_kept("peaked", "top_p")
    sure = dict(SCENES["sampling", "Sure, and less sure"].query)["prompt"]
    assert Generation(storyteller, sure).stages_for(Settings())[0].best_probs[0] > 0.95


@pytest.mark.parametrize("recording", RECORDINGS.values(), ids=RECORDINGS)
def test_much_out_takes_longer_than_much_in_wherever_it_was_measured(recording: Recording) -> None:
    run = recording.phases
    assert {one.n_in + one.n_out for one in run.long_in} == {
        one.n_in + one.n_out for one in run.long_out
    }
    slowest = max(one.seconds for one in run.long_in)
    assert min(one.seconds for one in run.long_out) > slowest
    assert SCENES["inference-speed", "Two requests"].right == "little in, much out"


def test_a_step_waits_for_the_weights_and_uses_little_of_the_device() -> None:
    shown = next(one for one in RECORDINGS.values() if one.machine.model == DEFAULT_MODEL).roofline
    alone = [one for one in shown.points if one.phase == "decode" and one.n_batch == 1]
    quick = min(alone, key=lambda one: one.seconds.median)
    assert quick.bound(shown.ceilings) == "memory"
    assert quick.mfu(shown.ceilings) < 0.1
    right = SCENES["inference-speed", "What does the chip do?"].right
    assert right == "it waits for the model to be read"


def test_sixteen_that_share_a_step_wait_a_little_longer() -> None:
    points = recording_of("Share the reading").batches.points
    waits = {one.n_batch: one.seconds.median for one in points}
    assert waits[1] < waits[8] < waits[16] < 1.5 * waits[1]
    lanes = waiting_lanes(recording_of("Share the reading").batches)
    assert [lane.name for lane in lanes] == ["Alone", "One of 16", "One of 64"]
    assert [lane.seconds / N_WATCHED for lane in lanes] == pytest.approx(
        [waits[1], waits[16], waits[64]]
    )
    rates = [one.tokens_per_second for one in points]
    assert rates == sorted(rates)


def test_a_model_that_goes_left_to_right_writes_what_the_scene_says(
    storyteller: LanguageModel,
) -> None:
    scene = SCENES["search-and-speculation", "What comes after"]
    assert word_unseen(storyteller) == scene.right


def test_the_later_the_change_the_more_of_a_prompt_is_kept(storyteller: LanguageModel) -> None:
    text = dict(SCENES["inference-speed", "A common start is read once"].query)["first"]
    first, kept = encode(storyteller, text), []
    for share in CHANGES.values():
        kept.append(n_reusable(first, encode(storyteller, change_word(text, share))))
    assert kept == sorted(set(kept))
    assert kept[-1] == len(first) - 1
