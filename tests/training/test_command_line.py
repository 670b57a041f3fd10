"""The command line: from a folder of texts to a member of each kind, or one sentence."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from training import __main__ as cli
from training import distillation_data, filling, measure
from training.checkpoint import export
from training.corpus import CorpusError, read_sources, split_documents
from training.family import bert, llama, make_model, t5
from training.train import Plan, TrainingPhase


@pytest.fixture
def where(stories, tokenizer, tmp_path, monkeypatch) -> list[str]:
    """The options of a small run, with small measures."""
    words = np.random.default_rng(0).choice(" ".join(stories["tales"]).split(), (20, 60))
    (tmp_path / "texts").mkdir()
    lines = [" ".join(text) for text in words]
    (tmp_path / "texts" / "tinystories.txt").write_text("\n<|endoftext|>\n".join(lines))
    (tmp_path / "tok").mkdir()
    tokenizer.save(str(tmp_path / "tok" / "tokenizer.json"))
    sizes = {"N_PAGES": 2, "PASSES": (1, 2), "PAGE_TOKENS": 8, "PAGE_SAMPLES": ((2, 0),)}
    for name, size in sizes.items():
        monkeypatch.setattr(filling, name, size)
    monkeypatch.setattr(measure, "N_STORIES", 2)
    monkeypatch.setattr(measure, "MAX_STORY_TOKENS", 8)
    monkeypatch.setattr(distillation_data, "ROWS", 8)
    monkeypatch.setattr(distillation_data, "TOKENS", 12)
    monkeypatch.chdir(tmp_path)
    options = ["--corpus", "texts", "--tokenizer", "tok", "--work", "run", "--out", "out"]
    return [*options, "--tokens", "2000", "--no-compile", "--device", "cpu"]


@pytest.fixture
def small(monkeypatch):
    """Gives a member's recipe another shape and a short plan."""

    def change(name, config):
        plan = Plan((TrainingPhase(0, {"tinystories": 1.0}, 8, 16),), judge_every=5)
        recipe = dataclasses.replace(cli.RECIPES[name], config=config, plan=plan)
        monkeypatch.setitem(cli.RECIPES, name, recipe)

    return change


def card() -> str:
    return Path("out/README.md").read_text("utf-8")


def test_a_draft_is_made_measured_beside_its_teacher_and_taught_by_its_lessons(where, small):
    small("scribbler", llama(hidden=16, layers=1, heads=2, inner=16))
    assert cli.main(["tokenizer", "--corpus", "texts", "--out", "tok"]) == 0
    assert cli.main(["scribbler", *where]) == 0
    assert all(words in card() for words in ("## Data", "| tinystories |", "5-gram", "## Samples"))
    assert Path("out/curve.svg").read_text().startswith("<svg")
    # the same command given again goes on from the end: nothing is left to do
    assert cli.main(["scribbler", *where, "--teacher", "out"]) == 0
    assert "Agreement with its target" in card()
    # what it writes is a lesson for the next one
    lessons = ["--teacher", "out", "--out", "lessons", "--device", "cpu", "--tokens", "100"]
    assert cli.main(["lessons", *lessons]) == 0
    assert len(list(Path("lessons").glob("*.npy"))) == 2
    taught = ["--teacher", "out", "--lessons", "lessons", "--work", "taught"]
    assert cli.main(["scribbler", *where, *taught]) == 0
    assert "lessons" in card()


def test_the_unmasker_is_made_from_a_causal_model_and_judged_by_it(where, small, tokenizer):
    export(make_model(llama(32, 2, 2, 64), seed=0), tokenizer, Path("causal"))
    small("unmasker", bert(32, 2, 2, 64))
    assert cli.main(["unmasker", *where, "--start", "causal", "--judge", "causal"]) == 0
    said = ("| source | bound | causal |", "| confidence | 0.7 | 2 |", "real stories")
    assert all(words in card() for words in said)
    assert "It began with layers of `causal`" in card()


def test_the_gapfiller_is_made_and_shows_what_it_writes(where, small):
    small("gapfiller", t5(32, (1, 1), 2, 64))
    assert cli.main(["gapfiller", *where]) == 0
    said = ("bits per missing token", "**The little dog ran to the ___.")
    assert all(words in card() for words in (*said, "T5ForConditionalGeneration"))


def test_shapes_are_compared_at_the_same_few_tokens(where, small, capsys):
    small("storyteller", llama(32, 1, 2, 32))
    assert cli.main(["compare", *where, "--trial", "64x1", "--trial", "64x2,0.1"]) == 0
    assert "| 64x2,0.1 |" in capsys.readouterr().out
    assert Path("out/comparison.svg").read_text().count("<polyline") == 2
    assert cli.main(["compare", *where, "--trial", "big"]) == 2
    assert "write it as 192x6" in capsys.readouterr().err


def test_a_corpus_or_a_tokenizer_that_will_not_do_is_one_clear_sentence(tmp_path, capsys):
    def said(*arguments: str) -> str:
        assert cli.main([*arguments]) == 2
        return capsys.readouterr().err

    tokenizer = ("tokenizer", "--out", "x", "--corpus")
    assert "There is no folder" in said(*tokenizer, str(tmp_path / "no"))
    (tmp_path / "empty.txt").write_text("\n\n")
    assert "is empty: put .txt" in said(*tokenizer, str(tmp_path))
    (tmp_path / "one.txt").write_text("a single line")
    with pytest.raises(CorpusError, match="single document"):
        split_documents(read_sources(tmp_path))
    (tmp_path / "a.txt.gz").write_bytes(b"not gzip")
    with pytest.raises(CorpusError, match="give a whole UTF-8 text file"):
        read_sources(tmp_path)
    where = ["--corpus", str(tmp_path), "--tokenizer", str(tmp_path), "--work", "w", "--out", "o"]
    assert "python -m training tokenizer" in said("storyteller", *where)
