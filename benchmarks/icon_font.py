"""The icons that this app can show, as a font of its own: 10 kB of Streamlit's 375.

    python -m benchmarks.icon_font

Takes from Streamlit's font (Material Symbols, Apache License 2.0) the icons that its scripts and
our pages name, and writes pages/frame/icons.woff2, which is served in its place. To be made anew
when Streamlit is another or a page names a new icon: tests/frame/test_icons.py tells.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase, digits

from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont

from pages.frame.assets import ALL_ICONS, ICONS, SERVED
from tests.driving.harness import ROOT

LETTERS = f"{ascii_lowercase}{digits}_"  # of the names of icons
_NAMED = re.compile(r"\bmaterial/([a-z0-9_]+)")


def named_icons() -> set[str]:
    """Returns the icons that Streamlit's scripts and our pages name."""
    scripts = [*SERVED.rglob("*.js"), ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    return {name for path in scripts for name in _NAMED.findall(path.read_text("utf-8"))}


def ligatures(font: TTFont) -> Iterator[tuple[str, str]]:
    """Yields the name of each icon, and of the glyph that is shown where the name is written."""
    letter_of = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            table = getattr(table, "ExtSubTable", table)
            for first, found in getattr(table, "ligatures", {}).items():
                for ligature in found:
                    letters = (first, *ligature.Component)
                    if all(letter in letter_of for letter in letters):
                        yield "".join(map(letter_of.__getitem__, letters)), ligature.LigGlyph


def write(path: Path) -> int:
    """Writes the font; returns how many icons are in it."""
    options = Options(layout_closure=False, flavor="woff2", layout_features=["*"], hinting=False)
    (source,) = SERVED.glob(ALL_ICONS)
    font = load_font(str(source), options)
    glyph_of = dict(ligatures(font))
    known = sorted(named_icons() & glyph_of.keys())
    subsetter = Subsetter(options)
    subsetter.populate(text=LETTERS, glyphs=[glyph_of[name] for name in known])
    subsetter.subset(font)
    save_font(font, str(path), options)
    return len(known)


if __name__ == "__main__":
    n_icons = write(ICONS)
    print(f"{n_icons} icons, {ICONS.stat().st_size:,} bytes: {ICONS.relative_to(ROOT)}")
