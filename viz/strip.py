"""Tokens and texts as markup. Text is data: whatever is put in is escaped, unless it is Markup."""

from itertools import groupby
from operator import itemgetter
from typing import Literal, TypeAlias

from markupsafe import Markup

from viz.palette import Size, colour

SPACE = "␣"
HATCH = "var(--hatch)"  # the ground of what is rejected, as CSS
# of words that are still asked for: as long as they are, and not to be read
COVERED = f"background:{colour('line')};color:transparent;user-select:none;border-radius:4px"
Look: TypeAlias = Literal["filled", "open", "marked"]  # tinted; dashed and empty; tinted and dashed


def element(name: str, *children: str, **attributes: str) -> Markup:
    """Writes an element: `class_` is class, `aria_label` aria-label, an empty one is left out."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, Markup("").join(children))


def token(label: str) -> Markup:
    """Writes a token's label, its leading space stepped back."""
    if not label.startswith(SPACE) or label == SPACE:
        return Markup.escape(label)
    return element("i", SPACE, style="opacity:.45;font-style:normal") + label[1:]


def chip(
    label: str, role: str, look: Look = "filled", *, style: str = "", title: str = ""
) -> Markup:
    """Draws a token as a box.

    Args:
        label: As it is; spaces visible.
        role: Of the palette; what is rejected is hatched.
        look: How it differs from others of its role.
        style: More CSS.
        title: Shown under the pointer.
    """
    ground = "transparent" if look == "open" else colour(f"{role}-tint")
    if role == "rejected":
        ground = HATCH
    line = "solid" if look == "filled" else "dashed"
    style = (
        f"background:{ground};border:1.5px {line} {colour(role)};border-radius:4px;"
        f"padding:0 4px;font:var(--size-small)/1.5 var(--read);color:{colour('ink')};"
        "white-space:pre-wrap;"
        f"overflow-wrap:anywhere;forced-color-adjust:none;unicode-bidi:plaintext;{style}"
    )
    return element("span", token(label), style=style, title=title, translate="no")


def row(*children: str, gap: str = "3px", style: str = "") -> Markup:
    """Puts boxes beside each other, and what has no room in the next line."""
    return element("div", *children, style=f"display:flex;flex-wrap:wrap;gap:{gap};{style}")


def paragraph(*children: str, style: str = "") -> Markup:
    """Writes a text with its line breaks as they are; a browser may not translate it."""
    common = "margin:0;white-space:pre-wrap;line-height:1.5;overflow-wrap:anywhere;"
    return element("p", *children, style=common + style, translate="no")


def prose(*parts: tuple[str, str], size: Size = "row", is_wide: bool = False) -> Markup:
    """Writes a text large, to be read: each part with its role; what is given has none.

    Args:
        parts: The text.
        size: Of the type.
        is_wide: Whether it takes the whole width, as a story does.
    """
    spans: list[str] = []
    for role, alike in groupby(parts, key=itemgetter(1)):
        text = Markup("").join(text for text, _ in alike)
        word = text.lstrip(" ") if role else ""  # the space before a part is not underlined
        spans += [text.removesuffix(word)]
        spans += [element("span", word, style=underlined(role))] if word else []
    wide = "" if is_wide else "max-width:60ch;"
    style = (
        f"font-family:var(--read);font-size:var(--size-{size});color:{colour('ink')};"
        f"unicode-bidi:plaintext;{wide}"
    )
    return paragraph(*spans, style=style)


def underlined(role: str) -> str:
    """Writes the look of a part of a prose: a mishap differs from the rest by its dashes."""
    line = "dashed" if role == "error" else "solid"
    ground = f"background:{colour(f'{role}-tint')};border-bottom:3px {line} {colour(role)}"
    return f"{ground};forced-color-adjust:none"
