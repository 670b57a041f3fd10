"""The walk under a rule: for each token what the model wanted, and below it what the rule left."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from model.constraints.records import MaskedDistribution, MaskedToken
from viz.format import percent
from viz.palette import colour
from viz.strip import SPACE, element

N_PLACES = 4  # tokens that are in sight at most, the newest ones
FEW = 2  # tokens whose bars have room to be high
MAX_NAMED = 2  # allowed tokens with a segment of their own
DOT = "·"  # between the pieces of a word
ROOM = 0.028  # of a bar, for each letter of a name: so much a phone has
ROUNDING = 1e-5  # of a sum: less is no token
OUT = "out"
OTHERS = "other\N{NO-BREAK SPACE}tokens"
MODEL, RULE = "the model", "the rule leaves"
_HEIGHT = "clamp(1.25rem,min(1.9vw,2.75vh),1.6rem)"  # of a bar
_HIGH = "clamp(2.2rem,min(3.6vw,5vh),3rem)"  # where there are few
_GRID = (
    "display:grid;grid-template-columns:1ch clamp(7.2em,18vw,11.5em) 1fr;gap:3px .6em;"
    "align-items:center"
)
_BAR = "display:flex;height:var(--bar);box-sizing:border-box;forced-color-adjust:none"
# a number that has no room beside its name goes to a second line, which is not seen
_PART = (
    "box-sizing:border-box;min-width:0;overflow:hidden;text-align:center;white-space:normal;"
    "font:clamp(.875rem,1.3vw,var(--size-body)) var(--read);line-height:calc(var(--bar) - .1rem)"
)
# a narrow page has three lines for the sentences, a wide one needs one
_SAID = "margin:.4rem 0 0;min-height:clamp(1.4em,calc((640px - 100vw) * 99),4.2em);line-height:1.4"


@dataclass(frozen=True)
class WalkedToken:
    """What stood before a token, and which was taken of it.

    Attributes:
        seen: The distribution, and what the rule left of it.
        taken: The token's label; None where it is still to come.
        stem: What is written of its word already, its pieces parted by a dot.
    """

    seen: MaskedDistribution
    taken: str | None
    stem: str = ""


def walk_picture(
    tokens: Sequence[WalkedToken], said: Markup | str = "", n_places: int = N_PLACES
) -> Markup:
    """Draws two bars for each token; what the rule removes is a dashed outline.

    Args:
        tokens: Of the walk, the coming one last.
        said: A sentence about it.
        n_places: Tokens that there is room for; of a longer walk the newest are shown.
    """
    shown = tokens[-n_places:]
    first = max(0, len(tokens) - n_places) + 1
    places = [_place(one, first + i) for i, one in enumerate(shown)]
    places += [_empty(first + i) for i in range(len(places), n_places)]
    height = _HIGH if n_places <= FEW else _HEIGHT
    picture = element(
        "div",
        *places,
        style=f"--bar:{height};display:grid;gap:.45rem;color:{colour('ink')}",
        class_="walk",
        role="img",
        aria_label=_heard(shown),
        translate="no",
    )
    size = "font-size:clamp(1rem,1.3vw,var(--size-lead))"
    return picture + element("p", said, style=f"{_SAID};{size}")


def _place(one: WalkedToken, n: int) -> Markup:
    seen = one.seen
    allowed = [one for one in seen.tokens if one.is_allowed and one.label != SPACE][:MAX_NAMED]
    if one.taken is not None and one.taken not in {token.label for token in allowed}:
        rarer = [token for token in seen.tokens if token.is_allowed and token.label == one.taken]
        allowed = [*allowed[: MAX_NAMED - 1], *rarer[:1]]
    names = [name_of(token.label, one.stem) for token in allowed]
    before = [
        (_opened(name, names), token.prob) for name, token in zip(names, allowed, strict=True)
    ]
    others = max(0.0, seen.mass - sum(prob for _, prob in before))
    has_others = others > ROUNDING * seen.mass
    left = [*before, (OTHERS, others)] if has_others else before
    gone = max(0.0, 1.0 - seen.mass)
    wanted = _wanted(seen)
    named = 0.0 if wanted.is_allowed else wanted.prob
    removed = [(name_of(wanted.label, one.stem), named)] if named else []
    removed += [(OUT, gone - named)] if gone > named else []
    model = [_kept(name, share, False) for name, share in left]
    model += [_removed(name, share) for name, share in removed]
    scale = max(seen.mass, 1e-300)
    taken = None if one.taken is None else _opened(name_of(one.taken, one.stem), names)
    rule = [_kept(name, share / scale, name == taken) for name, share in left]
    return _pair(n, model, rule, left=f"{RULE} {percent(seen.mass)}")


def _wanted(seen: MaskedDistribution) -> MaskedToken:
    return max(seen.tokens, key=lambda token: token.prob)


def _pair(
    n: int, model: Sequence[Markup], rule: Sequence[Markup], tone: str = "ink", left: str = RULE
) -> Markup:
    """Draws the bars of the n-th token, below each other; the lower one says how much was left."""
    number = f"grid-row:span 2;font-size:var(--size-lead);color:{colour(tone)}"
    cells = [element("b", str(n), style=number)]
    for name, parts in zip((MODEL, left), (model, rule), strict=True):
        label = f"font-size:var(--size-body);line-height:1.1;color:{colour(tone)}"
        cells += [element("span", name, style=label), element("span", *parts, style=_BAR)]
    return element("div", *cells, style=_GRID)


def _empty(n: int) -> Markup:
    """Draws the place of a token that is covered, or still to come."""
    box = element("i", style=f"{_PART};flex:1;border:1px dashed {colour('line')}")
    return _pair(n, [box], [box], "muted")


def _kept(name: str, share: float, is_taken: bool) -> Markup:
    frame = f";outline:2px solid {colour('chosen')};outline-offset:-2px" if is_taken else ""
    stem, dot, piece = name.rpartition(DOT)
    look = f"background:{colour('kept-tint')};border:1px solid {colour('kept')}{frame}"
    new = element("span", piece, style="font-weight:600") if is_taken else piece
    return _part(
        name, share, look, f"{name}: {percent(share)}", Markup("{}{}{}").format(stem, dot, new)
    )


def _removed(name: str, share: float) -> Markup:
    look = f"border:1.3px dashed {colour('rejected')};color:{colour('muted')}"
    return _part(name, share, look, f"{name}: {percent(share)}, removed")


def _part(name: str, share: float, look: str, title: str, shown: Markup | str = "") -> Markup:
    style = f"{_PART};flex:0 1 {100 * share:.4f}%;{look}"
    words = (shown or name) if share >= ROOM * len(name) else ""
    if words:
        words = Markup("{} {}").format(words, percent(share))
    return element("span", words, style=style, title=title)


def name_of(label: str, stem: str = "") -> str:
    """Returns a token as it is read: what goes on with a word, with what is written of it."""
    if stem and label.isalpha():
        return f"{stem}{DOT}{label}"
    return label.strip(SPACE) or "a space"


def _opened(name: str, names: Sequence[str]) -> str:
    """Returns the name of a token, open at its end where it is the beginning of another one."""
    return f"{name}…" if any(one != name and one.startswith(name) for one in names) else name


def _heard(tokens: Sequence[WalkedToken]) -> str:
    """Says for each token what the picture shows."""
    said = []
    for one in tokens:
        taken = name_of(one.taken, one.stem) if one.taken else "nothing yet"
        wanted = _wanted(one.seen)
        said.append(
            f"The model wanted {name_of(wanted.label, one.stem)}, {percent(wanted.prob)}; the rule "
            f"left {percent(one.seen.mass)} of the whole; taken: {taken}."
        )
    return " ".join(said)
