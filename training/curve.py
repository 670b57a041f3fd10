"""The loss curve of a model card, as a small SVG: no library, so it looks the same everywhere."""

import itertools
import math
from collections.abc import Mapping, Sequence

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 130, 32, 44
# colours that a colour-blind reader can tell apart, and a dash for those who see none
STROKES = (
    ("#b76e79", ""),
    ("#0072b2", "6 3"),
    ("#e69f00", "2 3"),
    ("#009e73", "9 3 2 3"),
    ("#56585c", "4 4"),
    ("#7b5ea7", "1 3"),
)


def draw_curves(curves: Mapping[str, Points], x_label: str, y_label: str) -> str:
    """Draws one line per name.

    Args:
        curves: points by name, x rising; lines without points are left out.
        x_label: what is counted to the right, with its unit.
        y_label: what is counted upwards, with its unit.
    """
    curves = {name: points for name, points in curves.items() if points}
    xs = [x for points in curves.values() for x, _ in points]
    ys = [y for points in curves.values() for _, y in points]
    x_ticks, y_ticks = ticks(0.0, max(xs)), ticks(min(ys), max(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        right = LEFT + (WIDTH - LEFT - RIGHT) * x / x_ticks[-1]
        span = y_ticks[-1] - y_ticks[0]
        return right, TOP + (HEIGHT - TOP - BOTTOM) * (y_ticks[-1] - y) / span

    parts = [axis_line(place(0, y), place(x_ticks[-1], y)) for y in y_ticks]
    parts += [label(LEFT - 8, place(0, y)[1] + 4, f"{y:g}", "end") for y in y_ticks]
    parts += [label(place(x, 0)[0], HEIGHT - BOTTOM + 18, f"{x:g}", "middle") for x in x_ticks]
    parts += [label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_label, "middle")]
    parts += [label(4, 12, y_label, "start")]
    heights = spread([place(*points[-1])[1] for points in curves.values()])
    for (name, points), height, (colour, dash) in zip(
        curves.items(), heights, STROKES, strict=False
    ):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{path}" {style}/>')
        parts.append(label(place(*points[-1])[0] + 6, height + 4, name, "start", colour))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join(
        [f'{head} font-family="sans-serif" font-size="12">', paper, *parts, "</svg>\n"]
    )


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers that enclose low and high, some `about` of them."""
    rough = max(high - low, 1e-9) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
    first = int(low // step)
    return [round(i * step, 10) for i in range(first, first + about + 4) if (i - 1) * step < high]


def spread(heights: Sequence[float], gap: float = 14.0) -> list[float]:
    """Moves labels apart that would lie on each other, keeping their order."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = list(heights)
    for above, below in itertools.pairwise(order):
        moved[below] = max(moved[below], moved[above] + gap)
    return moved


def axis_line(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A thin grey line."""
    return f'<path d="M{start[0]:.1f},{start[1]:.1f}L{end[0]:.1f},{end[1]:.1f}" stroke="#ddd"/>'


def label(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    """A word on the figure."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
