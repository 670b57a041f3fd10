"""The code shown beside the numbers is the code that made them."""

from __future__ import annotations

from pathlib import Path

from model import generation
from model.generation import Generation
from model.source_code import source_of


def test_the_loop_can_be_read_off_the_function_that_ran() -> None:
    source = source_of(Generation.step)
    assert source.name == "Generation.step"
    assert source.file == "model/generation.py"
    assert source.lines[0].startswith("def step(")
    assert list(source.stages) == ["mask", "choose", "append", "stop", "run"]
    for name, (first, last) in source.stages.items():
        assert source.lines[first].strip().startswith(f"# {name}: ")
        assert first < last < len(source.lines)
    starts = [first for first, _ in source.stages.values()]
    assert 10 <= source.stages["run"][1] - starts[0] + 1 <= 25
    file = Path(generation.__file__).read_text(encoding="utf-8").split("\n")
    assert file[source.first_line - 1].strip() == source.lines[0]
    assert not any(line.startswith("@") for line in source.lines)
