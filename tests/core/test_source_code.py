"""The code shown beside the numbers is the code that made them."""

from model.generation import Generation
from model.source_code import source_of
from tests.architecture.sources import read


def test_the_loop_can_be_read_off_the_function_that_ran() -> None:
    source = source_of(Generation.step)
    assert (source.name, source.file) == ("Generation.step", "model/generation.py")
    assert source.lines[0].startswith("def step(")
    assert read(source.file).split("\n")[source.first_line - 1].strip() == source.lines[0]
    assert list(source.stages) == ["cut", "draw", "append", "stop", "read", "score"]
    for name, (first, last) in source.stages.items():
        assert source.lines[first].strip().startswith(f"# {name.capitalize()}: ")
        assert first < last < len(source.lines)
    assert 10 <= source.stages["score"][1] - source.stages["cut"][0] + 1 <= 25
