"""A text as it streams: the bytes of its tokens, what is held, and what the client sees."""

from collections.abc import Sequence

from markupsafe import Markup

from model.stopping.records import Moment
from viz.palette import colour
from viz.strip import element, paragraph, row, token

WHY = {
    "": "nothing",
    "stop": "it may be the beginning of a stop string",
    "character": "a character that is not complete yet",
}
SPACES = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})


def stream_picture(moments: Sequence[Moment], n_shown: int, stop: Sequence[str]) -> Markup:
    """Draws three bands: tokens with their bytes, the bytes that are held, the client's text.

    Args:
        moments: Of the whole text; those that are to come stand faint in their places.
        n_shown: How many of them have come.
        stop: The stop strings.
    """
    now = moments[n_shown - 1] if n_shown else None
    n_sent = now.n_sent if now else 0
    boxes, begin = [], 0
    for i, moment in enumerate(moments):
        boxes.append(_box(moment, begin, n_sent, is_here=i < n_shown, has_ended=_ended(now)))
        begin += len(moment.data)
    held = now.held if now else b""
    tray = [_byte(byte, "held") for byte in held]
    why = WHY[now.why] if now else WHY[""]
    end = _end_words(now, stop)
    return Markup("").join(
        (
            _band("The model has", "tokens and their bytes", row(*boxes, gap="5px")),
            _band("Held", "it may still change", row(*tray, _muted(why), gap="5px"), "2.4rem"),
            _band("The client sees", "it is never taken back", _client(now, end), "5rem"),
        )
    )


def moments_table(moments: Sequence[Moment], n_shown: int) -> Markup:
    """Draws a row for each token: what goes out with it, and what is held after it."""
    head = element("tr", *(element("th", name, scope="col", style=_CELL) for name in _COLUMNS))
    rows = [
        element("tr", *(element("td", cell, style=_CELL) for cell in _cells(moment, i < n_shown)))
        for i, moment in enumerate(moments)
    ]
    look = f"border-collapse:collapse;font-size:var(--size-body);color:{colour('ink')}"
    table = element("table", head, *rows, style=look, translate="no")
    return element("div", table, style="max-height:22rem;overflow:auto", tabindex="0")


_COLUMNS = ("token", "goes out", "held after it")
_CELL = f"text-align:left;padding:2px 14px 2px 0;border-bottom:1px solid {colour('line')};"


def _cells(moment: Moment, is_here: bool) -> tuple[str, str, str]:
    if not is_here:
        return token(moment.label), "", ""
    held = " ".join(f"{byte:02x}" for byte in moment.held) or "–"
    return token(moment.label), moment.new.translate(SPACES) or "–", held


def _ended(now: Moment | None) -> bool:
    return now is not None and (now.match is not None or now.is_end)


def _band(title: str, says: str, content: str, least: str = "auto") -> Markup:
    name = element("b", title, style="display:block") + element("small", says)
    side = f"flex:0 0 9.5rem;color:{colour('muted')}"
    main = f"flex:1 1 14rem;min-width:0;min-height:{least}"
    line = f"border-top:1px solid {colour('line')};padding:10px 0;color:{colour('ink')}"
    return element(
        "div",
        element("div", name, style=side),
        element("div", content, style=main),
        style=f"display:flex;flex-wrap:wrap;gap:6px 18px;{line}",
    )


def _box(moment: Moment, begin: int, n_sent: int, *, is_here: bool, has_ended: bool) -> Markup:
    """Draws a token over its bytes: sent, held, or left out once the text has ended."""
    kind = "left out" if has_ended else "held"
    bytes_ = [
        _byte(byte, "" if not is_here else "sent" if begin + i < n_sent else kind)
        for i, byte in enumerate(moment.data)
    ]
    name = element("span", token(moment.label), style="display:block;min-height:1.5em")
    look = (
        f"border:1.5px {'solid' if is_here else 'dashed'} {colour('generated')};border-radius:6px;"
        f"padding:2px 5px;font:var(--size-body)/1.5 var(--read);white-space:pre;text-align:center;"
        f"background:{colour('generated-tint') if is_here else 'transparent'};"
        f"opacity:{1 if is_here else 0.75};forced-color-adjust:none"
    )
    return element("span", name, *bytes_, style=look, translate="no")


def _byte(byte: int, state: str) -> Markup:
    """Draws a byte as two digits, framed if it is held, struck through if it is left out."""
    looks = {
        "held": f"background:{colour('stage-tint')};outline:1.5px solid {colour('stage')};",
        "left out": f"color:{colour('error')};text-decoration:line-through;",
        "sent": f"background:{colour('paper')};",
    }
    style = "font:var(--size-small)/1.4 var(--mono);padding:0 3px;margin:0 1px;border-radius:3px;"
    title = f"{state}: 0x{byte:02X}" if state else ""
    return element("span", f"{byte:02x}", style=style + looks.get(state, ""), title=title)


def _client(now: Moment | None, end: str) -> Markup:
    text = now.sent if now else ""
    caret = element("span", "", style=f"border-right:3px solid {colour('ink')};margin-left:1px")
    words = element(
        "span", text, style="font:var(--size-row)/1.5 var(--read);unicode-bidi:plaintext"
    )
    return paragraph(words, "" if end else caret) + element(
        "p", end, style=f"margin:0;font-weight:600;min-height:1.5em;color:{colour('ink')}"
    )


def _end_words(now: Moment | None, stop: Sequence[str]) -> str:
    if now is None or not _ended(now):
        return ""
    if now.match is None:
        left = " A stop string was not complete." if stop else ""
        return f"Ended by the end token: what was held goes out.{left}"
    return f"Ended by the stop string “{now.match.translate(SPACES)}”."


def _muted(text: str) -> Markup:
    return element("span", text, style=f"color:{colour('muted')};align-self:center")
