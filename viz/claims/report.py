"""Findings as words, as a file of data, and as a page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from markupsafe import Markup

from model.claims.records import Finding, Quantity, Verdict
from viz.format import THIN, count, digits, duration, nats, percent, size
from viz.palette import FONT, declarations
from viz.strip import element

# a sign of its own for each verdict, so that colour never stands alone
MARKS: Final[Mapping[Verdict, str]] = {
    "holds": "✓",
    "holds partly": "◐",
    "does not hold": "✗",
    "not run": "–",
}


@dataclass(frozen=True)
class Row:
    """One claim as the report shows it."""

    claim: str  # "C01"
    section: str
    says: str
    finding: Finding | None  # None where it was not run
    seconds: float = 0.0  # that the experiment took


def words(quantity: Quantity) -> str:
    """Writes one number in its unit; a ratio as how many times."""
    value = quantity.value
    if isinstance(value, str):
        return value
    writers = {
        "count": lambda: count(int(value)),
        "fraction": lambda: percent(value),
        "seconds": lambda: duration(value),
        "bytes": lambda: size(int(value)),
        "nats": lambda: nats(value),
        "ratio": lambda: f"{digits(value)}{THIN}times",
        "number": lambda: _number(value),
    }
    return writers[quantity.unit]()


def _number(value: float) -> str:
    """Writes small numbers with their power of ten: 5.7e-6."""
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}".replace("e-0", "e-")
    return f"−{digits(-value)}" if value < 0 else digits(value)


def sentence(finding: Finding) -> str:
    """Writes a finding with its numbers in their places, and why where it does not simply hold."""
    named = {name: words(quantity) for name, quantity in finding.quantities.items()}
    return " ".join(part for part in (finding.says.format(**named), finding.why) if part)


def tally(rows: Sequence[Row]) -> str:
    """Counts the verdicts: 12 hold, 1 holds partly, 32 not yet run."""
    verdicts = [row.finding.verdict if row.finding else "not run" for row in rows]
    n_hold, n_partly = verdicts.count("holds"), verdicts.count("holds partly")
    n_fail, n_open = verdicts.count("does not hold"), verdicts.count("not run")
    parts = [f"{count(n_hold)} {'holds' if n_hold == 1 else 'hold'} here"]
    if n_partly:
        parts.append(f"{count(n_partly)} {'holds' if n_partly == 1 else 'hold'} partly")
    if n_fail:
        parts.append(f"{count(n_fail)} {'does' if n_fail == 1 else 'do'} not hold on this device")
    if n_open:
        parts.append(f"{count(n_open)} not run")
    return ", ".join(parts)


def to_json(rows: Sequence[Row], facts: Mapping[str, str]) -> str:
    """Writes the report as data: numbers stay numbers."""
    listed: list[dict[str, Any]] = [
        {
            "claim": row.claim,
            "section": row.section,
            "says": row.says,
            "seconds": row.seconds,
            "finding": asdict(row.finding) | {"words": sentence(row.finding)}
            if row.finding
            else None,
        }
        for row in rows
    ]
    return json.dumps({"facts": dict(facts), "claims": listed}, ensure_ascii=False, indent=1)


def to_html(rows: Sequence[Row], facts: Mapping[str, str]) -> Markup:
    """Writes the report as a page that can be opened anywhere."""
    heads = ("claim", "what is said", "verdict", "what was measured")
    head = element("tr", *(element("th", name) for name in heads))
    where = ", ".join(f"{name} {value}" for name, value in facts.items())
    return _PAGE.format(
        light=Markup(declarations("light")),
        dark=Markup(declarations("dark")),
        font=Markup(FONT),
        told=f"{tally(rows)}. Measured: {where}.",
        table=element("table", head, *map(_html_row, rows)),
    )


_PAGE = Markup("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What is said of generation, and what was measured</title>
<style>
:root {{{light} color-scheme: light dark}}
@media (prefers-color-scheme: dark) {{:root {{{dark}}}}}
body {{font: 16px/1.45 {font}; background: var(--paper); color: var(--ink);
 max-width: 70rem; margin: 2rem auto; padding: 0 1rem}}
table {{border-collapse: collapse; width: 100%}}
td, th {{text-align: left; vertical-align: top; padding: .5rem .6rem;
 border-bottom: 1px solid var(--line)}}
p, td small {{color: var(--muted)}}
td:nth-child(3) {{white-space: nowrap}}
</style>
<h1>What is said of generation, and what was measured</h1>
<p>{told}</p>
{table}</html>
""")


def _html_row(row: Row) -> Markup:
    verdict: Verdict = row.finding.verdict if row.finding else "not run"
    return element(
        "tr",
        element("td", row.claim),
        element("td", row.says, Markup("<br>"), element("small", row.section)),
        element("td", f"{MARKS[verdict]} {verdict}"),
        element("td", sentence(row.finding) if row.finding else ""),
    )
