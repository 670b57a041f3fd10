"""Writes the table of docs/measurements.md: one row a figure, one column a kind of machine.

    python -m benchmarks.table

The figures are those that `make bench` kept in measured.json, on whichever machine it ran.
"""

import json
from pathlib import Path
from typing import Any, TypeAlias

from tests.driving.harness import ROOT

Measured: TypeAlias = dict[str, dict[str, dict[str, Any]]]  # by machine and by name of the figure

MEASURED = Path(__file__).with_name("measured.json")
PAGE = ROOT / "docs" / "measurements.md"
BEGIN, END = "<!-- benchmarks/table.py: begin -->", "<!-- benchmarks/table.py: end -->"


def render(measured: Measured) -> str:
    """Returns a table of the processors and one of the GPUs, each with the commits it is of."""
    kinds = [
        {m: f for m, f in measured.items() if ("cores" in m) is is_cpu} for is_cpu in (True, False)
    ]
    return "\n\n".join(_table(kind) for kind in kinds if kind)


def _table(measured: Measured) -> str:
    names = dict.fromkeys(name for figures in measured.values() for name in figures)
    rows = [["what", "aim", *measured], ["---", "---", *["--:"] * len(measured)]]
    for name in names:
        figures = [kept.get(name, {}) for kept in measured.values()]
        aim = next((figure["aim"] for figure in figures if figure.get("aim")), "")
        rows.append([name, aim, *map(cell, figures)])
    commits = [
        f"{machine}: at {', '.join(dict.fromkeys(figure['commit'] for figure in kept.values()))}"
        for machine, kept in measured.items()
    ]
    table = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*table, "", f"† while other programs ran. Commits: {'; '.join(commits)}."])


def cell(figure: dict[str, Any]) -> str:
    """Returns what one machine has to say, with its verdict."""
    if not figure:
        return ""
    verdict = {True: ", met", False: ", **missed**", None: ""}[figure["is_met"]]
    return f"{figure['shown']}{verdict}{' †' if figure['is_busy'] else ''}"


def main() -> None:
    """Puts the table between its two marks."""
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page = f"{before}{BEGIN}\n\n{render(measured)}\n\n{END}{after}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
