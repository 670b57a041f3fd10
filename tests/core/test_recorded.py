"""What was recorded is read back as it was written, and every section that has one opens on it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from benchmarks.record import PAGES
from model.job import Job
from model.recorded import SECTIONS, Section, recorded_job, write
from model.records import FloatArray, Machine
from pages.lessons.snowball.mistake import RECORDED
from tests.frame.driving import open_lesson

MACHINE = Machine("cpu", "A CPU", "float32", 2, "storyteller", 7, {"torch": "2"}, "2026-11-22T10")


@dataclass(frozen=True, eq=False)
class Inner:
    """A record inside another."""

    name: str | None
    values: FloatArray


@dataclass(frozen=True)
class Outer:
    """A record of every kind of field that is recorded."""

    pairs: tuple[float, int]
    inner: tuple[Inner, ...]
    by_length: Mapping[int, float]
    missing: Inner | None = None


def test_a_record_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    array = np.array([[1.0, np.nan], [0.25, -3.0]], dtype=np.float32)
    outer = Outer((0.125, 3), (Inner(None, array), Inner("a", array[0])), {4: 0.5})
    job = Job.of_recording(outer, 1.5, MACHINE)
    assert (job.is_done, job.is_running, job.result) == (True, False, outer)
    write(tmp_path / "a_key.json", Section(MACHINE, job.seconds, job.found))
    read = recorded_job("a_key", Outer, tmp_path)
    assert read is not None
    assert (read.recorded_on, read.seconds) == (MACHINE, 1.5)
    assert (read.result.pairs, read.result.by_length) == ((0.125, 3), {4: 0.5})
    first, second = read.result.inner
    assert (first.name, second.name, read.result.missing) == (None, "a", None)
    assert first.values.dtype == np.float32
    assert np.array_equal(first.values, array, equal_nan=True)


def test_what_is_no_recording_is_none(tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"format":1,"machine":', encoding="utf-8")
    assert recorded_job("cut", Outer, tmp_path) is None
    assert recorded_job("missing", Outer, tmp_path) is None


def test_there_is_a_recording_for_every_section_that_is_to_have_one() -> None:
    keys = {RECORDED} | {key for _, *keys in PAGES.values() for key in keys}
    assert {path.stem for path in SECTIONS.glob("*.json")} == keys


@pytest.mark.parametrize("page", PAGES)
def test_its_sections_open_on_recordings(page: str) -> None:
    lesson, *keys = PAGES[page]
    app = open_lesson(f"pages/{page}.py")
    recorded = [one for one in app.caption if one.value.startswith("Recorded 20")]
    assert len(recorded) >= len(keys)
    for key in {*keys} - {"claims"}:  # a question first, what its answer was measured on below it
        *_, last = app.get_by_key(f"{key}_found")
        assert any(last is one for one in recorded), key
    sections = [json.loads((SECTIONS / f"{key}.json").read_text("utf-8")) for key in keys]
    assert {one["machine"]["model"] for one in sections} == {app.session_state[lesson].lm.name}
