"""What a teacher writes for its draft: files that a second call leaves alone, rows in any order."""

from pathlib import Path

import numpy as np
import pytest
import torch

from training import distillation_data
from training.corpus import CorpusError, DocumentStream, Mixture
from training.distillation_data import (
    LESSONS,
    N_BEST,
    ONE,
    Lessons,
    read_lessons,
    write_lessons,
)
from training.family import llama, make_model
from training.objectives import distillation_loss

N_ROWS, N_TOKENS = 8, 12
TEACHER = make_model(llama(hidden=16, layers=1, heads=2, inner=16), 0).eval()


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files of lessons."""
    monkeypatch.setattr(distillation_data, "ROWS", N_ROWS)
    monkeypatch.setattr(distillation_data, "TOKENS", N_TOKENS)
    write_lessons(TEACHER, tmp_path / "made", 2 * N_ROWS * N_TOKENS, seed=0)
    return tmp_path / "made"


def test_a_lesson_is_a_text_with_what_its_teacher_thought_of_every_next_token(
    written: Path,
) -> None:
    rows = read_lessons(written).astype(np.int64)
    assert rows.shape == (2 * N_ROWS, N_TOKENS, 1 + 2 * N_BEST)
    ids, best, probs = rows[..., 0], rows[..., 1 : 1 + N_BEST], rows[..., 1 + N_BEST :]
    assert (ids[:, 0] == 0).all(), "each text begins with the bos"
    with torch.inference_mode():
        wanted = TEACHER(torch.from_numpy(ids)).logits.softmax(dim=-1)
    found = wanted.gather(-1, torch.from_numpy(best)).numpy()
    assert np.abs(found - probs / ONE).max() < 1e-4
    assert (np.diff(probs, axis=-1) <= 0).all(), "the best comes first"


def test_a_second_call_writes_what_is_missing_and_the_same(written: Path) -> None:
    first, second = sorted(written.glob("*.npy"))
    before, kept = np.load(second), first.stat().st_mtime_ns
    second.unlink()
    write_lessons(TEACHER, written, 2 * N_ROWS * N_TOKENS, seed=0)
    assert np.array_equal(np.load(second), before)
    assert first.stat().st_mtime_ns == kept


def test_a_folder_without_lessons_says_how_to_write_them(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"python -m training lessons"):
        read_lessons(tmp_path)


def mixed(rows: distillation_data.LessonRows) -> Lessons:
    text = DocumentStream([np.arange(50, dtype=np.uint16)], seed=0)
    return Lessons(rows, Mixture({"text": text}, seed=0), seed=3)


def test_every_lesson_comes_once_in_an_epoch_and_a_run_goes_on_where_it_stood() -> None:
    rows = np.arange(5, dtype=np.uint16).repeat(4 * 3).reshape(5, 4, 3)
    one = mixed(rows)
    epoch = [int(row[0, 0]) for _ in range(5) for row in one.rows(1, 5, {LESSONS: 1.0})]
    assert sorted(epoch) == [0, 1, 2, 3, 4]
    one.rows(3, 5, {LESSONS: 1.0})
    one.rows(1, 7, {"text": 1.0})
    other = mixed(rows)
    other.restore(one.state())
    for weights in ({LESSONS: 1.0}, {"text": 1.0}):
        assert np.array_equal(one.rows(2, 5, weights), other.rows(2, 5, weights))


def test_a_student_that_is_its_teacher_has_nothing_to_learn(written: Path) -> None:
    lessons = torch.from_numpy(read_lessons(written).astype(np.int64))
    text = torch.randint(0, 4096, (2, 9))
    other = make_model(llama(hidden=16, layers=1, heads=2, inner=16), 1)
    with torch.inference_mode():
        for rows, rounding in ((lessons, 2e-3), (text, 1e-6)):
            assert abs(float(distillation_loss(TEACHER, TEACHER)(rows))) < rounding
            assert float(distillation_loss(other, TEACHER)(rows)) > 2e-3
