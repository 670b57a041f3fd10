"""Figures are kept by machine, and the table says of each whether its aim is met."""

import json
from pathlib import Path

import pytest

from benchmarks import figures, table
from benchmarks.figures import FILE, machine_kind, record


def test_a_figure_is_printed_and_kept_where_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(FILE, raising=False)
    record("a press", "12 ms", "10 ms", is_met=False)
    assert "missed" in capsys.readouterr().out
    path = tmp_path / "measured.json"
    path.write_text('{"another machine": {"a press": {}}}')
    monkeypatch.setenv(FILE, str(path))
    monkeypatch.setattr(figures, "busy_by_others", lambda: figures.MAX_BUSY + 1.0)
    record("a press", "9 ms", "10 ms", is_met=True)
    kept = json.loads(path.read_text())
    assert set(kept) == {"another machine", machine_kind()}
    figure = kept[machine_kind()]["a press"]
    assert (figure["shown"], figure["is_met"], figure["is_busy"]) == ("9 ms", True, True)


def test_the_page_has_the_table_of_the_figures_that_are_kept() -> None:
    measured = json.loads(table.MEASURED.read_text(encoding="utf-8"))
    assert table.render(measured) in table.PAGE.read_text(encoding="utf-8")
    n_missed = sum(
        figure["is_met"] is False for kept in measured.values() for figure in kept.values()
    )
    assert table.render(measured).count("**missed**") == n_missed
    heads = [line for line in table.render(measured).splitlines() if line.startswith("| what |")]
    assert len(heads) == 2, "a processor's figures in one table, a GPU's in another"
    for machine in measured:
        assert [machine in head for head in heads] == ["cores" in machine, "cores" not in machine]
