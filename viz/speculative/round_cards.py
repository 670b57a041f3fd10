"""One round of speculative decoding as markup: the text, and a card for each token.

The draft's guess is an open, dashed bar and the target's word a filled one, both in the colour of
what models write. What stays is rose-gold, what goes is grey and hatched, as everywhere. Labels are
data and are escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from model.records import Piece
from model.speculative.records import Drawn, Proposal, Round
from viz.format import digits
from viz.palette import MONO, Theme, colour

VERIFY, DECIDE, CROP = 2, 3, 4  # stages from which more is shown
OWNERS = {
    "prompt": "prompt",
    "draft": "guessed by the draft",
    "target": "chosen by the target",
}


def text_strip(pieces: Sequence[Piece], owners: Sequence[str], theme: Theme) -> str:
    """Writes the text as tokens, each in the dress of who wrote it, and what the dresses mean."""
    boxes = [
        f'<span style="{_dress(owner, theme)}">{html.escape(piece.label)}</span>'
        for piece, owner in zip(pieces, owners, strict=True)
    ]
    legend = " ".join(
        f'<span style="{_dress(owner, theme)};font-size:.75rem">{words}</span>'
        for owner, words in OWNERS.items()
    )
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:8px 24px;justify-content:space-between;'
        f'align-items:center"><div style="display:flex;flex-wrap:wrap;gap:3px">{"".join(boxes)}'
        f'</div><div style="display:flex;flex-wrap:wrap;gap:8px">{legend}</div></div>'
    )


def _dress(owner: str, theme: Theme) -> str:
    role = "prompt" if owner == "prompt" else "generated"
    line = "dashed" if owner == "draft" else "solid"
    ground = "transparent" if owner == "draft" else colour(f"{role}-tint", theme)
    return (
        f"background:{ground};border:1.5px {line} {colour(role, theme)};border-radius:4px;"
        f"padding:0 4px;font-size:.9rem;font-family:{_quoted(MONO)};color:{colour('ink', theme)};"
        "white-space:pre"
    )


def round_cards(one: Round, stage: int, theme: Theme) -> str:
    """Writes a card for every proposal, and one for the token that the target chose."""
    cards = [
        _card(
            f"guess {place}",
            _token(proposal.label, proposal.verdict if stage >= DECIDE else "open", theme),
            _proposal_body(proposal, one.is_greedy, stage, theme),
            faded=stage >= DECIDE and proposal.verdict == "not tested",
            theme=theme,
        )
        for place, proposal in enumerate(one.proposals, start=1)
    ]
    if one.drawn is not None and stage >= DECIDE:
        cards.insert(_place_of(one), _drawn_card(one, one.drawn, theme))
    if not one.proposals and stage < DECIDE:
        cards.append(
            _card("no guess", "", _line("The draft has nothing to propose.", theme), theme)
        )
    return f'<div style="display:flex;flex-wrap:wrap;gap:10px">{"".join(cards)}</div>'


def _place_of(one: Round) -> int:
    """Returns where the target's own token stands: right after the guess that it replaces."""
    return min(one.n_accepted + 1, len(one.proposals))


def _proposal_body(proposal: Proposal, is_greedy: bool, stage: int, theme: Theme) -> str:
    rows = [_bar("draft", proposal.draft_prob, theme, is_open=True)]
    if stage < VERIFY:
        rows.append(_line("target: has not read it yet", theme))
        return "".join(rows)
    rows.append(_bar("target", proposal.target_prob, theme, is_open=False))
    if stage >= DECIDE and proposal.verdict == "not tested":
        rows.append(_line("not looked at: an earlier guess was rejected", theme))
        return "".join(rows)
    if is_greedy:
        words = "the target’s best token, too" if proposal.accept_prob else "not the target’s best"
        rows.append(_line(words if stage >= DECIDE else "greedy: all on the best token", theme))
    else:
        ratio = "≥ 1" if proposal.accept_prob == 1 else f"= {_number(proposal.accept_prob)}"
        rows.append(_line(f"target ÷ draft {ratio}", theme))
        rows.append(_coin_track(proposal, stage >= DECIDE, theme))
    if stage >= DECIDE:
        rows.append(_verdict(proposal, is_greedy, theme))
    return "".join(rows)


def _verdict(proposal: Proposal, is_greedy: bool, theme: Theme) -> str:
    is_kept = proposal.verdict == "accepted"
    coin = "" if is_greedy else f"coin {_number(proposal.coin)}: "
    tone = colour("kept-text" if is_kept else "ink", theme)
    return (
        f'<div style="color:{tone};font-weight:650;margin-top:4px">{coin}{proposal.verdict}</div>'
    )


def _coin_track(proposal: Proposal, has_fallen: bool, theme: Theme) -> str:
    """Draws the line from 0 to 1: below min(1, target / draft) the guess stays."""
    width = 100 * proposal.accept_prob
    coin = (
        f'<div style="position:absolute;left:calc({100 * proposal.coin:.2f}% - 6px);top:14px;'
        f"width:0;height:0;border:6px solid transparent;border-top:0;border-bottom:9px solid "
        f'{colour("coin", theme)}"></div>'
        if has_fallen
        else ""
    )
    return (
        f'<div style="position:relative;height:{24 if has_fallen else 14}px;margin-top:4px">'
        f'<div style="height:14px;border-radius:3px;overflow:hidden;display:flex;{hatch(theme)}">'
        f'<div style="width:{width:.2f}%;background:{colour("kept", theme)}"></div></div>{coin}'
        "</div>"
    )


def _drawn_card(one: Round, drawn: Drawn, theme: Theme) -> str:
    if drawn.source == "bonus":
        head, words = "one more", "nothing rejected, so the target adds a token of its own"
        if not one.proposals:
            words = "nothing was guessed: a plain step of the target"
    else:
        head, words = "instead", "drawn from what the draft left: max(0, target − draft)"
    if one.is_greedy:
        words = "the target’s best token" if drawn.source == "residual" else words
        rows = _line(words, theme)
    else:
        rows = (
            _line(words, theme)
            + _bar("chance", drawn.prob, theme, is_open=False)
            + _line(f"coin {_number(drawn.coin)}", theme)
        )
    return _card(head, _token(drawn.label, "drawn", theme), rows, theme, edge="chosen")


def _card(
    head: str, token: str, body: str, theme: Theme, *, faded: bool = False, edge: str = "line"
) -> str:
    width = 2 if edge == "chosen" else 1
    return (
        f'<div style="flex:1 1 150px;max-width:215px;min-width:140px;padding:8px 10px 10px;'
        f"border:{width}px solid {colour(edge, theme)};border-radius:8px;"
        f'background:{colour("raised", theme)};opacity:{0.5 if faded else 1};font-size:.8rem">'
        f'<div style="color:{colour("muted", theme)};font-size:.75rem">{head}</div>{token}{body}'
        "</div>"
    )


def _token(label: str, verdict: str, theme: Theme) -> str:
    looks = {
        "accepted": (
            f"background:{colour('kept-tint', theme)};border:2px solid {colour('kept', theme)}"
        ),
        "rejected": (
            f"{hatch(theme)};border:2px solid {colour('rejected', theme)};"
            f"text-shadow:{_halo(theme)}"
        ),
        "drawn": (
            f"background:{colour('generated-tint', theme)};"
            f"border:2px solid {colour('generated', theme)}"
        ),
    }
    look = looks.get(verdict, f"border:2px dashed {colour('generated', theme)}")
    return (
        f'<div style="{look};border-radius:5px;padding:1px 8px;margin:3px 0 7px;font-size:1.15rem;'
        f"font-family:{_quoted(MONO)};color:{colour('ink', theme)};overflow-wrap:anywhere;"
        f'width:fit-content;max-width:100%;white-space:pre-wrap">{html.escape(label)}</div>'
    )


def _bar(name: str, prob: float, theme: Theme, *, is_open: bool) -> str:
    tone = colour("generated", theme)
    look = f"border:1.5px dashed {tone}" if is_open else f"background:{tone}"
    return (
        '<div style="display:flex;align-items:center;gap:6px;margin:2px 0">'
        f'<span style="width:3.2rem;color:{colour("muted", theme)}">{name}</span>'
        f'<span style="flex:1;height:11px"><span style="display:block;box-sizing:border-box;'
        f'height:11px;width:max(2px,{100 * prob:.2f}%);{look};border-radius:2px"></span></span>'
        f'<span style="color:{colour("ink", theme)};font-variant-numeric:tabular-nums">'
        f"{_number(prob)}</span></div>"
    )


def _line(words: str, theme: Theme) -> str:
    return f'<div style="color:{colour("muted", theme)};margin-top:3px">{words}</div>'


def hatch(theme: Theme) -> str:
    """Writes the ground of what is rejected as CSS."""
    dark, light = colour("rejected", theme), colour("rejected-tint", theme)
    return f"background:repeating-linear-gradient(45deg,{light} 0 4px,{dark} 4px 5px)"


def _halo(theme: Theme) -> str:
    """Writes a ring around letters as CSS, so that they can be read on a hatch."""
    ground = colour("raised", theme)
    return ",".join([f"0 0 3px {ground}"] * 4)


def _number(prob: float) -> str:
    """Writes a probability in three characters or so; never 0 or 1 where it is not."""
    if prob in (0, 1):
        return f"{prob:.0f}"
    return f"{prob:.2f}" if 0.01 <= prob < 0.995 else digits(prob, 1 if prob < 0.01 else 4)


def _quoted(fonts: str) -> str:
    return fonts.replace('"', "'")
