"""Figures of the guessing game: the score so far, Shannon's estimate.

The model's colour is that of generated text, people's that of the prompt: their own tokens. People
are told apart by the shape of their marks and by their names.
"""

from collections.abc import Sequence

from model.guess.records import MODEL, UNIFORM, EntropyBounds, GuessRound, GuessRow
from viz.chart import Chart, Table, add_bars, add_line, add_points, new_figure, number_axis
from viz.figure import Style
from viz.format import count, plural
from viz.labels import name_lines, place_rows, plain
from viz.palette import colour, sheer

SYMBOLS = ("diamond", "circle", "square", "triangle-up", "star", "cross")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MAX_NAME = 18  # characters of a token or a player
HEIGHT = 390  # pixels


def rows_to_draw(last: GuessRound, n_best: int, n_more: int) -> list[GuessRow]:
    """Chooses the model's likeliest tokens, the true one, then what people held for likeliest.

    Args:
        last: The word that was revealed.
        n_best: How many of the model's: their bars were there before the guess.
        n_more: How many others at most.
    """
    best, others = last.rows[:n_best], last.rows[n_best:]
    named = {guess.token_id for player in last.players for guess in player.guesses}
    more = [row for row in others if row.token_id in named | {last.token_id}]
    more.sort(key=lambda row: (row.token_id != last.token_id, -max(row.player_probs, default=0)))
    chosen = {row.token_id for row in more[:n_more]}
    return [*best, *(row for row in others if row.token_id in chosen)]


def running_figure(rounds: Sequence[GuessRound]) -> Chart:
    """Draws everyone's mean bits per token up to each round, of one or more: the lowest leads."""
    figure = new_figure(HEIGHT)
    lines, n_rounds = mean_bits(rounds), len(rounds)
    present = [player.name for player in rounds[-1].players]
    for name, points in lines.items():
        tone, dash, symbol = look_of(name, present)
        places, means = zip(*points, strict=True)
        shown = f"{plain(name, MAX_NAME)}: {means[-1]:.1f}"
        marker = {"symbol": symbol, "size": 10, "color": tone}
        look: Style = {"width": 3, "dash": dash, "marker": marker}
        look["symbol"] = symbol if n_rounds <= 30 else None
        hover = "token %{x}: %{y:.2f} bits"
        add_line(figure, shown, places, means, tone, hover=hover, **look)
    top = max(y for points in lines.values() for _, y in points)
    figure.update_xaxes(title_text="tokens guessed", range=[0.8, n_rounds + 0.2])
    if n_rounds <= 12:
        figure.update_xaxes(tickvals=list(range(1, n_rounds + 1)))
    figure.update_yaxes(number_axis(top, "bits per token, mean so far"))
    name_lines(figure)
    caption = f"Measured over {plural(n_rounds, 'token')}: the lower, the better."
    return Chart(figure, "The score so far", caption)


def mean_bits(rounds: Sequence[GuessRound]) -> dict[str, list[tuple[int, float]]]:
    """Gives everyone's mean bits up to each round in which they played: (round, mean) by name."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for n, done in enumerate(rounds, start=1):
        for name, cost in done.costs.items():
            line = lines.setdefault(name, [])
            n_before, mean = len(line), line[-1][1] if line else 0.0
            line.append((n, mean + (cost - mean) / (n_before + 1)))
    return lines


def look_of(name: str, players: Sequence[str]) -> tuple[str, str, str | None]:
    """Gives a predictor's colour, dash and symbol; a player is told by the place at the table."""
    if name == UNIFORM:
        return colour("muted"), "dot", None
    if name == MODEL:
        return colour("generated"), "solid", "circle-open"
    if name not in players:  # who has left the table
        return colour("prompt"), "dot", None
    place = list(players).index(name) % len(SYMBOLS)
    return colour("prompt"), DASHES[place], SYMBOLS[place]


def rounds_table(rounds: Sequence[GuessRound]) -> Table:
    """Writes every round: the token, its rank and bits for the model, and everyone's bits."""
    return [
        {"token": done.label, "model’s rank": done.model_rank}
        | {f"bits: {name}": cost for name, cost in done.costs.items()}
        for done in rounds
    ]


def bounds_figure(bounds: Sequence[EntropyBounds]) -> Chart:
    """Draws for every predictor the interval of Shannon's estimate, and the log score."""
    figure = new_figure()
    tones = [look_of(bound.name, [])[0] for bound in bounds]
    places, widths = list(range(len(bounds))), [bound.upper - bound.lower for bound in bounds]
    words = [f"{bound.lower:.1f} to {bound.upper:.1f}" for bound in bounds]
    look: Style = {
        "base": [bound.lower for bound in bounds],
        "marker": {"color": list(map(sheer, tones)), "line": {"color": tones, "width": 2}},
        "textposition": "inside",
        "insidetextanchor": "middle",
    }
    add_bars(figure, "Shannon’s bounds", places, widths, words, "%{text} bits", **look)
    marker = {"symbol": "line-ns", "size": 26, "line": {"color": colour("ink"), "width": 4}}
    scores = [bound.scored for bound in bounds]
    add_points(figure, "log score", scores, places, marker, "%{x:.2f} bits")
    top = max(max(bound.upper, bound.scored) for bound in bounds)
    figure.update_xaxes(number_axis(top, "bits per token", room=1.04))
    place_rows(figure, [plain(bound.name, MAX_NAME) for bound in bounds])
    figure.update_layout(height=110 + 54 * len(bounds), bargap=0.4)
    caption = "Derived from the ranks: " + "; ".join(_bounds_words(bound) for bound in bounds) + "."
    return Chart(figure, "Shannon’s estimate", caption)


def _bounds_words(bound: EntropyBounds) -> str:
    interval = f"{bound.name} {bound.lower:.2f} to {bound.upper:.2f} bits"
    n_missed, n_rounds = count(bound.n_missed), count(bound.n_rounds)
    missed = f", {n_missed} of {n_rounds} missed" if bound.n_missed else ""
    return f"{interval}, log score {bound.scored:.2f}{missed}"
