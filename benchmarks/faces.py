"""The two faces of the app's type, of those that Streamlit brings: the same on every machine.

    python -m benchmarks.faces

Takes Source Sans and Source Serif (SIL Open Font License 1.1), keeps the letters, signs and weights
that pages use, and writes pages/frame/{sans,serif}.woff2 under names of
their own, as the licence asks. To be made anew when Streamlit brings others.
"""

from dataclasses import dataclass
from pathlib import Path

from fontTools.subset import Options, Subsetter, save_font
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from pages.frame.assets import FACES, SERVED
from tests.driving.harness import ROOT

# letters of our languages but those of Chinese and Arabic, spaces and punctuation, super- and
# subscripts, arrows, signs of arithmetic
KEPT = (
    (0x20, 0x7E),
    (0xA0, 0xFF),
    (0x152, 0x153),
    (0x178, 0x178),
    (0x2000, 0x206F),
    (0x2070, 0x209F),
)
SIGNS = (0x2190, 0x2193), (0x2212, 0x2212), (0x2248, 0x2248), (0x2260, 0x2265)
FEATURES = ["ccmp", "kern", "liga", "locl"]


@dataclass(frozen=True)
class Face:
    """How one of Streamlit's fonts becomes one of ours."""

    source: str  # below the folder that Streamlit serves
    name: str
    weights: tuple[int, int] | int
    units: int  # of the font's own in an em: fewer make larger letters
    ascent: float  # of the line, in ems
    descent: float


MADE = {
    # as tall in its small letters as the faces of the systems, of which 13 pixels can be read
    "sans": Face("SourceSansVF-Upright.*.woff2", "One Token Sans", (400, 600), 926, 0.95, 0.25),
    "serif": Face("SourceSerifVariable-Roman.*.woff2", "One Token Serif", 400, 1030, 0.9, 0.25),
}


def made(face: Face) -> TTFont:
    """Returns a face, cut from Streamlit's."""
    options = Options(
        layout_features=FEATURES, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], hinting=False
    )
    (source,) = SERVED.glob(f"static/media/{face.source}")
    font = TTFont(str(source))
    subsetter = Subsetter(options)
    subsetter.populate(
        unicodes={code for first, last in KEPT + SIGNS for code in range(first, last + 1)}
    )
    subsetter.subset(font)
    limits = {"wght": face.weights, "opsz": 36}  # as drawn for large type, in which a text stands
    axes = {axis.axisTag for axis in font["fvar"].axes}
    instantiateVariableFont(font, {axis: limits[axis] for axis in axes}, inplace=True)
    _rename(font, face.name)
    font["head"].unitsPerEm = face.units
    ascent, descent = round(face.ascent * face.units), round(face.descent * face.units)
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = ascent, -descent, 0
    system = font["OS/2"]
    system.sTypoAscender, system.sTypoDescender, system.sTypoLineGap = ascent, -descent, 0
    system.usWinAscent, system.usWinDescent = ascent, descent
    return font


def _rename(font: TTFont, name: str) -> None:
    plain = {1: name, 2: "Regular", 3: name, 4: name, 6: name.replace(" ", "")}
    for record in font["name"].names:
        if record.nameID in plain:
            record.string = plain[record.nameID]


def write() -> None:
    """Writes both faces, and prints what they weigh."""
    for role, face in MADE.items():
        path: Path = FACES[role]
        save_font(made(face), str(path), Options(flavor="woff2"))
        print(f"{path.stat().st_size:,} bytes: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    write()
