"""Findings as words, as a file of data, and as a page that needs nothing else."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from model.claims.records import ClaimOutcome, Evidence, Finding, Quantity, QuantityUnit
from viz.format import THIN, count, digits, duration, nats, percent, size
from viz.palette import colour, root_rule
from viz.strip import element

# for each outcome a sign of its own and a colour, so that neither stands alone
LOOKS: Final[Mapping[ClaimOutcome, tuple[str, str]]] = {
    "holds here": ("✓", "holds"),
    "holds partly": ("◐", "partly"),
    "does not hold here": ("✗", "fails"),
    "not to be told apart from chance": ("≈", "muted"),
    "by definition": ("≡", "ink"),
    "not run": ("–", "muted"),
}
# what a claim is about, and so what its run can show
KINDS: Final[Mapping[str, str]] = {
    "definition": "True by definition",
    "computation": "Empirical, of any model",
    "learned": "Empirical, of a trained model",
}


@dataclass(frozen=True)
class Row:
    """One claim as the report shows it."""

    claim: str  # "C01"
    section: str
    says: str
    kind: str  # one of KINDS
    finding: Finding | None  # None where it was not run
    seconds: float = 0.0  # that the experiment took

    @property
    def outcome(self) -> ClaimOutcome:
        """What came of it; what is true by definition is not run."""
        if self.kind == "definition":
            return "by definition"
        return self.finding.outcome if self.finding else "not run"


def words(quantity: Quantity) -> str:
    """Writes one number in its unit; a ratio as how many times."""
    return WRITERS[quantity.unit](quantity.value)


def _number(value: float) -> str:
    """Writes small numbers with their power of ten: 5.7e-6."""
    if value != 0 and abs(value) < 1e-3:
        return f"{value:.1e}".replace("e-0", "e-")
    return f"−{digits(-value)}" if value < 0 else digits(value)


WRITERS: Final[Mapping[QuantityUnit, Callable[[Any], str]]] = {
    "count": count,
    "fraction": percent,
    "share": percent,
    "seconds": duration,
    "bytes": size,
    "nats": nats,
    "ratio": lambda times: f"{digits(times)}{THIN}times",
    "number": _number,
    "text": str,
}


def sentence(finding: Finding) -> str:
    """Writes a finding with its numbers in their places, and why where it does not simply hold."""
    parts = (_fill(finding, finding.says), finding.why)
    return " ".join(part for part in parts if part)


def control_words(finding: Finding) -> str:
    """Writes what the finding is held against; empty where there is nothing."""
    return f"Control: {_fill(finding, finding.control)}" if finding.control else ""


def _fill(finding: Finding, says: str) -> str:
    return says.format(**{name: words(number) for name, number in finding.quantities.items()})


def outcome_words(finding: Finding) -> str:
    """Writes the verdict; of one that chance may explain also how little was seen."""
    if finding.outcome != "not to be told apart from chance":
        return finding.outcome
    return f"{finding.outcome} with n = {min(part.n for part in finding.evidence)}"


def evidence_words(part: Evidence) -> str:
    """Writes one part of the evidence: what was measured, its interval, n, and the bar."""
    unit = "fraction" if part.unit == "share" else part.unit
    mean = measured(part.mean, unit)
    if part.unit == "share":
        mean = f"{count(round(part.mean * part.n))} of {count(part.n)} {part.of}"
    shown = []
    if part.interval is not None and not math.isnan(sum(part.interval)):
        low, high = (measured(end, unit) for end in part.interval)
        shown.append(f"95 % interval {low} to {high}")
    if part.unit != "share":
        shown.append(f"n = {count(part.n)} {part.of}")
    if part.bar is not None:
        upper = "" if part.below is None else f" and below {measured(part.below, unit)}"
        shown.append(f"asked for: above {measured(part.bar, unit)}{upper}")
    if part.seen_from is not None and not math.isnan(part.seen_from):
        shown.append(
            f"19 of 20 runs would see it from {measured(part.seen_from, unit)} {_end(part)}"
        )
    return f"{part.what}: {mean}" + (f" ({'; '.join(shown)})" if shown else "")


def _end(part: Evidence) -> str:
    """Writes where what a run would see ends: nowhere, or before an upper bar."""
    if part.seen_to is None or part.refused_from is None:
        return "on"
    to, refused = (measured(value, part.unit) for value in (part.seen_to, part.refused_from))
    return f"to {to}, and refuse it from {refused} on"


def measured(value: float, unit: QuantityUnit) -> str:
    """Writes a number that was measured n times: of a fraction one decimal, and a true minus."""
    is_share = unit == "fraction"  # which may be more than all: twice as much is 200 %
    written = f"{100 * abs(value):.1f}{THIN}%" if is_share else words(Quantity(abs(value), unit))
    return f"−{written}" if value < 0 else written


def tally(rows: Sequence[Row]) -> str:
    """Counts the outcomes: 12 hold here, 1 holds partly, 32 not run."""
    outcomes = [row.outcome for row in rows]
    counted = {outcome: outcomes.count(outcome) for outcome in LOOKS}
    return ", ".join(
        f"{count(n)} {_PLURALS.get(outcome, outcome) if n > 1 else outcome}"
        for outcome, n in counted.items()
        if n
    )


_PLURALS: Final[Mapping[str, str]] = {
    "holds here": "hold here",
    "holds partly": "hold partly",
    "does not hold here": "do not hold here",
}


def outcome_html(finding: Finding, recorded: bool = False) -> Markup:
    """Draws a verdict alone, in its colour and its word."""
    mark, role = LOOKS[finding.outcome]
    says = f"{mark} {_told(outcome_words(finding), recorded)}{', recorded' if recorded else ''}"
    return element("b", says, style=f"color:{colour(role)}")


def verdict_html(finding: Finding, seconds: float, recorded: str = "") -> Markup:
    """Draws a verdict in its colour and its word, and under it all that it rests on.

    Args:
        finding: That is drawn.
        seconds: That its experiment took.
        recorded: Where and when, if not here and now.
    """
    verdict = outcome_html(finding, bool(recorded))
    return element(
        "div",
        element("div", verdict, f" · {sentence(finding)}"),
        evidence_html(finding, seconds, recorded),
        style="overflow-wrap:anywhere;max-width:80ch",
    )


def evidence_html(finding: Finding, seconds: float, recorded: str = "") -> Markup:
    """Writes what a verdict rests on: every part, the control, and what it took."""
    small = f"color:{colour('muted')};font-size:var(--size-small)"
    is_one = len(finding.evidence) == 1  # its outcome is the verdict
    parts = [
        element("li", "" if is_one else _outcome_of(part, bool(recorded)), evidence_words(part))
        for part in finding.evidence
    ]
    ran = f"Ran on {finding.ran_on}. " if finding.ran_on else ""
    notes = f"{control_words(finding)} {ran}Took {duration(seconds)}{recorded}."
    return element(
        "div",
        element("ul", *parts, style=f"margin:0;padding-left:1.2em;{small}") if parts else "",
        element("div", notes.strip(), style=small),
        style="overflow-wrap:anywhere;max-width:80ch",
    )


def _told(words: str, is_recorded: bool) -> str:
    return words.replace(" here", "") if is_recorded else words


def _outcome_of(part: Evidence, is_recorded: bool) -> Markup:
    mark, role = LOOKS[part.outcome]
    told = _told(part.outcome, is_recorded)
    return element("b", f"{mark} {told}: ", style=f"color:{colour(role)}")


def to_json(rows: Sequence[Row], facts: Mapping[str, str]) -> str:
    """Writes the report as data: numbers stay numbers."""
    listed: list[dict[str, Any]] = [
        {
            "claim": row.claim,
            "section": row.section,
            "says": row.says,
            "kind": row.kind,
            "outcome": row.outcome,
            "seconds": row.seconds if row.finding else None,
            "finding": asdict(row.finding) | {"words": sentence(row.finding)}
            if row.finding
            else None,
        }
        for row in rows
    ]
    return json.dumps({"facts": dict(facts), "claims": listed}, ensure_ascii=False, indent=1)


def to_html(rows: Sequence[Row], facts: Mapping[str, str]) -> Markup:
    """Writes the report as a page that can be opened anywhere."""
    heads = ("claim", "what is said", "what was measured")
    head = element("tr", *(element("th", name) for name in heads))
    where = ", ".join(f"{name} {value}" for name, value in facts.items())
    return _PAGE.format(
        style=Markup(root_rule() + _STYLE),
        told=f"{tally(rows)}. Measured: {where}.",
        table=element("table", head, *map(_html_row, rows)),
    )


_STYLE = Path(__file__).with_name("report.css").read_text("utf-8")
_PAGE = Markup("""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What is said of generation, and what was measured</title>
<style>{style}</style>
<h1>What is said of generation, and what was measured</h1>
<p>{told}</p>
{table}</html>
""")


def _html_row(row: Row) -> Markup:
    about = f"{row.section}. {KINDS[row.kind]}."
    return element(
        "tr",
        element("td", row.claim),
        element("td", row.says, Markup("<br>"), element("small", about)),
        element("td", verdict_html(row.finding, row.seconds) if row.finding else row.outcome),
    )
