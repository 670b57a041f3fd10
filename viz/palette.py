"""The one file of colours, sizes and faces: every role, in light and in dark, and what it means.

A colour has one meaning here, in pictures and in prose. No colour stands alone: what is rejected is
dashed or hatched, prompt and generated differ by their border, the chosen token has an outline. The
tests hold every role to WCAG 2.2 contrast (1.4.3 text, 1.4.11 graphics), tell roles that share a
figure apart for colour-blind readers (Machado, Oliveira and Fernandes 2009,
doi:10.1109/TVCG.2009.113), and look at them on a washed-out projector.

Figures and markup name a role, `var(--kept)`; its code comes in where they are shown, by the
variables of the page's style or by `paint`. Type has five sizes and two faces (and that of code);
what is read from further away has another `--unit`. This module knows nothing of ours.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")


class Colour(NamedTuple):
    """One role's two hex codes."""

    light: str
    dark: str


ROLES: Final[Mapping[str, Colour]] = MappingProxyType(
    {
        # the page
        "paper": Colour("#ffffff", "#15181e"),  # what everything stands on
        "raised": Colour("#f7f5f4", "#1d2128"),  # a panel that stands out from the paper
        "ink": Colour("#1f2430", "#eceef2"),  # words and numbers
        "muted": Colour("#5c6370", "#a5acb8"),  # captions, units, axes
        "line": Colour("#dcd9d6", "#363c47"),  # hairlines and gridlines; never the only sign
        # what the masks did
        "kept": Colour("#b76e79", "#dd9ca6"),  # rose-gold: may still be drawn
        "kept-ink": Colour("#15181e", "#15181e"),  # words on it
        "kept-text": Colour("#94495a", "#e6b3bb"),  # the same meaning, as words
        "kept-tint": Colour("#f7e9eb", "#3a2a2f"),  # the same meaning, as a field under ink
        "rejected": Colour("#868c96", "#7c838e"),  # grey, dashed or hatched: cannot be drawn
        "rejected-tint": Colour("#eef0f2", "#23272f"),  # between the lines of the hatch
        "chosen": Colour("#1f2430", "#f4f5f7"),  # the one outline: this token was taken
        "pointer": Colour("#1f2430", "#f4f5f7"),  # the triangle on the cumulative bar
        # whose text it is, which phase ran
        "prompt": Colour("#1d46a0", "#6a9ff8"),  # blue: the reader's tokens, and prefill
        "prompt-tint": Colour("#e6edfa", "#1c2b47"),
        "generated": Colour("#0b7061", "#5ce0cf"),  # teal: the model's tokens, and decode
        "generated-tint": Colour("#e0f2ee", "#153530"),
        "surprise": Colour("#8746da", "#ab7ad0"),  # purple, by opacity: how unlikely it was
        # the cache
        "keys": Colour("#5f6a00", "#7f8b33"),  # dark olive: what a position answers to
        "keys-tint": Colour("#eff1d6", "#2a2e17"),
        "values": Colour("#66a01c", "#c3d663"),  # light lime: what a position hands on
        "values-tint": Colour("#eef7e0", "#30371b"),
        # the loop
        "stage": Colour("#cf7a00", "#f5c56b"),  # lamplight: the stage that runs now
        "stage-tint": Colour("#ffefcf", "#42341a"),
        # verdicts on claims, as words; always with a sign
        "holds": Colour("#00451f", "#7be8a0"),
        "partly": Colour("#9c5f00", "#f0b95c"),
        "fails": Colour("#c2185b", "#f2727f"),
        # mishaps
        "error": Colour("#ad1207", "#f0685c"),  # something went wrong; always with words
        "error-tint": Colour("#fdeae8", "#431f1d"),
    }
)

_CHINESE = "'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'WenQuanYi Zen Hei'"
# without one of them a browser asks Streamlit's web font for Chinese characters, in vain
FONT: Final = (
    "'One Token Sans', system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', "
    f"{_CHINESE}, sans-serif"
)
READ: Final = "'One Token Serif', ui-serif, Georgia, 'Liberation Serif', serif"  # of a model's text
MONO: Final = "ui-monospace, 'SF Mono', 'Cascadia Mono', Consolas, 'Liberation Mono', monospace"

Size: TypeAlias = Literal["small", "body", "lead", "row", "text"]
SIZES: Final[Mapping[Size, float]] = MappingProxyType(
    {
        "small": 0.87,  # captions, units, legends
        "body": 1,  # sentences, controls
        "lead": 1.2,  # headings, the numbers of a picture
        "row": 1.45,  # what a page claims or asks, and the tokens of a picture
        "text": 2.2,  # a model's text
    }
)

_NAMED: Final = re.compile(r"var\(--([a-z-]+)(?:,([\d.]+))?\)")


def colour(role: str) -> str:
    """Names a role as CSS does."""
    return f"var(--{role})"


def sheer(tone: str, opacity: float = 0.6) -> str:
    """Thins a role in a figure, so that a line in ink can be seen across it."""
    return f"{tone[:-1]},{opacity})"


def code(role: str, theme: Theme) -> str:
    """Gives the hex code of a role in a theme."""
    return ROLES[role].light if theme == "light" else ROLES[role].dark


def paint(named: str, theme: Theme) -> str:
    """Puts the code of a theme in the place of a role's name; other colours stay."""
    match = _NAMED.fullmatch(named)
    if match is None:
        return named
    tone = code(match[1], theme)
    red, green, blue = (int(tone[i : i + 2], 16) for i in (1, 3, 5))
    return tone if match[2] is None else f"rgba({red},{green},{blue},{match[2]})"


def sizes() -> str:
    """Writes the five sizes of type as CSS custom properties, in units of `--unit`."""
    return "".join(f"--size-{name}:calc({n}*var(--unit));" for name, n in SIZES.items())


def _hatch() -> str:
    """Writes the ground of what is rejected: tiles of whole pixels, all alike, without moiré."""
    dark, light = colour("rejected"), colour("rejected-tint")
    lines = f"{dark} 10%,{light} 10% 50%,{dark} 50% 60%,{light} 60%"
    return f"linear-gradient(135deg,{lines}) 0 0/10px 10px"


def root_rule() -> str:
    """Writes faces, sizes, roles and the hatch as CSS custom properties.

    Colours follow the scheme around.
    """
    roles = (f"--{role}:light-dark({tone.light}, {tone.dark});" for role, tone in ROLES.items())
    faces = f"--read:{READ};--sans:{FONT};--mono:{MONO};"
    return f":root{{{faces}--unit:1rem;{sizes()}{''.join(roles)}--hatch:{_hatch()};}}\n"
