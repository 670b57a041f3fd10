"""One round of speculative decoding as markup: the text, a card for each token, both caches.

The draft's bar is open and dashed, the target's filled, both in the colour of what models write.
What is accepted is rose-gold, what is rejected grey and hatched, as everywhere. A cell of a cache
is one position; its look is named in the words above it by a small swatch of the same look.
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from model.speculative.records import CROP, DECIDE, VERIFY, CacheMark, Drawn, Proposal, Round
from viz.format import count, digits, percent, plural, size
from viz.palette import colour
from viz.strip import chip, element, row

OWNERS = {"prompt": "prompt", "draft": "proposed by the draft", "target": "chosen by the target"}
STYLE = Path(__file__).with_name("round.css").read_text("utf-8")
MAX_CELLS = 28  # positions of a cache that are drawn one by one


# The text


def text_strip(labels: Sequence[str], owners: Sequence[str]) -> Markup:
    """Writes the text as tokens, each in the dress of who wrote it, and what the dresses mean."""
    boxes = [_owned(label, owner) for label, owner in zip(labels, owners, strict=True)]
    legend = [
        _owned(words, owner, "font-size:var(--size-small)") for owner, words in OWNERS.items()
    ]
    apart = "justify-content:space-between"
    return element("div", row(*boxes), row(*legend, gap="8px"), class_="round", style=apart)


def _owned(label: str, owner: str, style: str = "") -> Markup:
    role = "prompt" if owner == "prompt" else "generated"
    return chip(label, role, "open" if owner == "draft" else "filled", style=style)


# A card for each token


def round_cards(one: Round, stage: int, *, with_sums: bool = True) -> Markup:
    """Writes a card for every proposal, and one for the token that the target chose.

    Args:
        one: The round.
        stage: How far it is.
        with_sums: Whether the cards say how their chances are computed.
    """
    cards = []
    for place, proposal in enumerate(one.proposals, start=1):
        verdict = proposal.verdict if stage >= DECIDE else "open"
        body = _proposal_body(proposal, one, stage, with_sums=with_sums)
        kind = "untested" if verdict == "not tested" else ""
        token = _token(proposal.label, verdict)
        cards.append(_card(f"draft token {place}", token, body, kind))
    if one.drawn is not None and stage >= DECIDE:
        # right after the proposal that it replaces
        cards.insert(one.n_accepted + 1, _drawn_card(one, one.drawn, with_sums=with_sums))
    elif not one.proposals:
        cards.append(_card("no draft token", "", _note("The draft has nothing to propose.")))
    return element("div", *cards, class_="round")


def _proposal_body(proposal: Proposal, one: Round, stage: int, *, with_sums: bool) -> Markup:
    draft = _bar("draft", proposal.draft_prob, "bar open")
    if stage < VERIFY:
        return draft + _note("target: has not read it yet")
    rows = draft + _bar("target", proposal.target_prob)
    is_decided = stage >= DECIDE
    if is_decided and proposal.verdict == "not tested":
        why = "an earlier one was rejected" if one.drawn else "the text ended before it"
        return rows + _note(f"not tested: {why}")
    pointer = "" if one.is_greedy else f"pointer {_number(proposal.pointer)}: "
    if one.is_greedy:
        words = "the target’s best token, too" if proposal.accept_prob else "not the target’s best"
        rows += _note(words if is_decided else "greedy: all on the best token")
    else:
        ratio = "≥ 1" if proposal.accept_prob == 1 else f"= {_number(proposal.accept_prob)}"
        places = f"--p:{100 * proposal.accept_prob:.2f}%"
        places += f";--pointer-at:{100 * proposal.pointer:.2f}%" * is_decided
        track = element("div", class_="track fallen" if is_decided else "track", style=places)
        rows += (_note(f"target ÷ draft {ratio}") if with_sums else Markup()) + track
    verdict = element("div", f"{pointer}{proposal.verdict}", class_=f"verdict {proposal.verdict}")
    return rows + verdict if is_decided else rows


def _drawn_card(one: Round, drawn: Drawn, *, with_sums: bool) -> Markup:
    head, words = "instead", "drawn from the residual: max(0, target − draft)"
    if not with_sums:
        words = "drawn by the target itself"
    if drawn.source == "residual" and one.is_greedy:
        words = "the target’s best token"
    elif drawn.source == "bonus":
        head, words = "bonus token", "nothing rejected, so the target adds a token of its own"
        if not one.proposals:
            words = "nothing was drafted: a plain step of the target"
    rows = _note(words)
    if not one.is_greedy:
        rows += _bar("chance", drawn.prob) + _note(f"pointer {_number(drawn.pointer)}")
    return _card(head, _token(drawn.label, "drawn"), rows, "chosen")


def _card(head: str, token: str, body: str, kind: str = "") -> Markup:
    title = element("div", head, class_="head")
    return element("div", title, token, body, class_=f"card {kind}")


def _token(label: str, verdict: str) -> Markup:
    role = {"accepted": "kept", "rejected": "rejected"}.get(verdict, "generated")
    halo = ",".join([f"0 0 3px {colour('raised')}"] * 4)  # so that a hatch leaves it legible
    style = (
        "display:block;width:fit-content;max-width:100%;margin:3px 0 7px;padding:1px 8px;"
        "border-width:2px;font-size:var(--size-lead);"
        f"text-shadow:{halo if role == 'rejected' else 'none'}"
    )
    is_decided = verdict in {"accepted", "rejected", "drawn"}
    return chip(label, role, "filled" if is_decided else "open", style=style)


def _bar(name: str, prob: float, kind: str = "bar") -> Markup:
    bar = element("i", style=f"--p:{100 * prob:.2f}%")
    return element("div", element("span", name), bar, element("span", percent(prob)), class_=kind)


def _note(words: str) -> Markup:
    return element("div", words, class_="note")


def _number(prob: float) -> str:
    """Writes a probability in three characters or so; never 0 or 1 where it is not."""
    if prob in (0, 1):
        return f"{prob:.0f}"
    return f"{prob:.2f}" if 0.01 <= prob < 0.995 else digits(prob, 1 if prob < 0.01 else 4)


# Both caches


def caches(one: Round, stage: int) -> Markup:
    """Draws both caches: what they held before the round, what was read, what was cropped."""
    boxes = (_cache(mark, stage, is_draft=i > 0) for i, mark in enumerate(one.caches))
    return element("div", *boxes, class_="round")


def _cache(mark: CacheMark, stage: int, *, is_draft: bool) -> Markup:
    parts = [("held", mark.n_before, "before the round")]
    if stage >= CROP:
        parts.append(("read", mark.n_kept - mark.n_before, "read and kept"))
        parts.append(("cropped", mark.n_read - mark.n_kept, "read and cropped"))
    elif stage >= VERIFY or is_draft:
        parts.append(("read", mark.n_read - mark.n_before, "read in it"))
    said = [element("b", mark.name), "’s cache: "]
    for look, n, words in parts:
        said += [element("span", class_=f"cell {look}"), f" {count(n)} {words}, "]
    if len(parts) == 1:
        said.append("nothing read yet, ")
    n_used = mark.n_kept if stage >= CROP else sum(n for _, n, _ in parts)
    said.append(f"{size(n_used * mark.bytes_per_token)} in use")
    if stage >= CROP:
        said.append(f", {size(mark.bytes_held)} held")
    first = max(0, mark.n_read - MAX_CELLS)
    looks = [look for look, n, _ in parts for _ in range(n)][first:]
    cells = [
        element("span", class_=f"cell {look}", title=f"position {place}")
        for place, look in enumerate(looks, start=first)
    ]
    hidden = f"{plural(first, 'position')} … " if first else ""
    row_of_cells = element("div", hidden, *cells, class_="cells")
    return element("div", element("div", *said), row_of_cells, class_="cache")
