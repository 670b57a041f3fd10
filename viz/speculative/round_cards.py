"""One round of speculative decoding as markup: the text, and a card for each token.

The draft's bar is open and dashed, the target's filled, both in the colour of what models write.
What is accepted is rose-gold, what is rejected grey and hatched, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from model.records import Piece
from model.speculative.records import DECIDE, VERIFY, Drawn, Proposal, Round
from viz.format import digits
from viz.palette import Theme, colour
from viz.strip import chip, element, hatch, row

OWNERS = {
    "prompt": "prompt",
    "draft": "proposed by the draft",
    "target": "chosen by the target",
}


def text_strip(pieces: Sequence[Piece], owners: Sequence[str], theme: Theme) -> Markup:
    """Writes the text as tokens, each in the dress of who wrote it, and what the dresses mean."""
    boxes = [_owned(piece.label, owner, theme) for piece, owner in zip(pieces, owners, strict=True)]
    legend = [_owned(words, owner, theme, "font-size:.75rem") for owner, words in OWNERS.items()]
    style = "justify-content:space-between;align-items:center"
    return row(row(*boxes), row(*legend, gap="8px"), gap="8px 24px", style=style)


def _owned(label: str, owner: str, theme: Theme, style: str = "") -> Markup:
    role = "prompt" if owner == "prompt" else "generated"
    return chip(label, role, theme, "open" if owner == "draft" else "filled", style=style)


def round_cards(one: Round, stage: int, theme: Theme) -> Markup:
    """Writes a card for every proposal, and one for the token that the target chose."""
    cards = []
    for place, proposal in enumerate(one.proposals, start=1):
        verdict = proposal.verdict if stage >= DECIDE else "open"
        body = _proposal_body(proposal, one.is_greedy, stage, theme)
        edge = "faded" if verdict == "not tested" else "line"
        token = _token(proposal.label, verdict, theme)
        cards.append(_card(f"draft token {place}", token, body, theme, edge))
    if one.drawn is not None and stage >= DECIDE:
        # right after the proposal that it replaces
        cards.insert(one.n_accepted + 1, _drawn_card(one, one.drawn, theme))
    elif not one.proposals:
        body = _line("The draft has nothing to propose.", theme)
        cards.append(_card("no draft token", "", body, theme))
    return row(*cards, gap="10px")


def _proposal_body(proposal: Proposal, is_greedy: bool, stage: int, theme: Theme) -> Markup:
    draft = _bar("draft", proposal.draft_prob, theme, is_open=True)
    if stage < VERIFY:
        return draft + _line("target: has not read it yet", theme)
    rows = draft + _bar("target", proposal.target_prob, theme)
    is_decided = stage >= DECIDE
    if is_decided and proposal.verdict == "not tested":
        return rows + _line("not tested: an earlier one was rejected", theme)
    coin = "" if is_greedy else f"coin {_number(proposal.coin)}: "
    if is_greedy:
        words = "the target’s best token, too" if proposal.accept_prob else "not the target’s best"
        rows += _line(words if is_decided else "greedy: all on the best token", theme)
    else:
        ratio = "≥ 1" if proposal.accept_prob == 1 else f"= {_number(proposal.accept_prob)}"
        rows += _line(f"target ÷ draft {ratio}", theme) + _coin_track(proposal, is_decided, theme)
    if not is_decided:
        return rows
    tone = colour("kept-text" if proposal.verdict == "accepted" else "ink", theme)
    style = f"color:{tone};font-weight:650;margin-top:4px"
    return rows + element("div", f"{coin}{proposal.verdict}", style=style)


def _coin_track(proposal: Proposal, has_fallen: bool, theme: Theme) -> Markup:
    """Draws the line from 0 to 1: below min(1, target / draft) the proposal is accepted."""
    bar = f"width:{100 * proposal.accept_prob:.2f}%;background:{colour('kept', theme)}"
    track = "height:14px;border-radius:3px;overflow:hidden;display:flex;background:"
    coin = (
        f"position:absolute;left:calc({100 * proposal.coin:.2f}% - 6px);top:14px;width:0;height:0;"
        "border:6px solid transparent;border-top:0;"
        f"border-bottom:9px solid {colour('coin', theme)}"
    )
    return element(
        "div",
        element("div", element("div", style=bar), style=track + hatch(theme)),
        element("div", style=coin) if has_fallen else "",
        style=f"position:relative;height:{24 if has_fallen else 14}px;margin-top:4px",
    )


def _drawn_card(one: Round, drawn: Drawn, theme: Theme) -> Markup:
    head, words = "instead", "drawn from the residual: max(0, target − draft)"
    if drawn.source == "residual" and one.is_greedy:
        words = "the target’s best token"
    elif drawn.source == "bonus":
        head, words = "bonus token", "nothing rejected, so the target adds a token of its own"
        if not one.proposals:
            words = "nothing was drafted: a plain step of the target"
    rows = _line(words, theme)
    if not one.is_greedy:
        rows += _bar("chance", drawn.prob, theme) + _line(f"coin {_number(drawn.coin)}", theme)
    return _card(head, _token(drawn.label, "drawn", theme), rows, theme, "chosen")


def _card(head: str, token: str, body: str, theme: Theme, edge: str = "line") -> Markup:
    """Draws a card; what was chosen has a strong edge, what was not tested a dashed one."""
    borders = {"chosen": ("2px solid", "chosen"), "faded": ("1px dashed", "rejected")}
    look, role = borders.get(edge, ("1px solid", "line"))
    style = (
        "flex:1 1 150px;max-width:215px;min-width:140px;padding:8px 10px 10px;border-radius:8px;"
        f"font-size:.8rem;border:{look} {colour(role, theme)};background:{colour('raised', theme)}"
    )
    title = element("div", head, style=f"color:{colour('muted', theme)};font-size:.75rem")
    return element("div", title, token, body, style=style)


def _token(label: str, verdict: str, theme: Theme) -> Markup:
    role = {"accepted": "kept", "rejected": "rejected"}.get(verdict, "generated")
    halo = ",".join([f"0 0 3px {colour('raised', theme)}"] * 4)  # so that a hatch leaves it legible
    style = (
        "display:block;width:fit-content;max-width:100%;margin:3px 0 7px;padding:1px 8px;"
        f"border-width:2px;font-size:1.15rem;text-shadow:{halo if role == 'rejected' else 'none'}"
    )
    is_decided = verdict in {"accepted", "rejected", "drawn"}
    return chip(label, role, theme, "filled" if is_decided else "open", style=style)


def _bar(name: str, prob: float, theme: Theme, *, is_open: bool = False) -> Markup:
    tone = colour("generated", theme)
    bar = (
        f"display:block;box-sizing:border-box;height:11px;width:max(2px,{100 * prob:.2f}%);"
        f"border-radius:2px;{f'border:1.5px dashed {tone}' if is_open else f'background:{tone}'}"
    )
    number = f"color:{colour('ink', theme)};font-variant-numeric:tabular-nums"
    return element(
        "div",
        element("span", name, style=f"width:3.2rem;color:{colour('muted', theme)}"),
        element("span", element("span", style=bar), style="flex:1;height:11px"),
        element("span", _number(prob), style=number),
        style="display:flex;align-items:center;gap:6px;margin:2px 0",
    )


def _line(words: str, theme: Theme) -> Markup:
    return element("div", words, style=f"color:{colour('muted', theme)};margin-top:3px")


def _number(prob: float) -> str:
    """Writes a probability in three characters or so; never 0 or 1 where it is not."""
    if prob in (0, 1):
        return f"{prob:.0f}"
    return f"{prob:.2f}" if 0.01 <= prob < 0.995 else digits(prob, 1 if prob < 0.01 else 4)
