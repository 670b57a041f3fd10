"""What is said of a guess in plain words: what came, what it cost, and who won a round."""

from collections.abc import Mapping, Sequence

from model.guess.records import CERTAIN, MODEL, GuessRound, PlayerRound, points
from viz.format import THIN, count, percent, plural
from viz.strip import SPACE

YOU = "You"


def as_word(label: str) -> str:
    """Writes a token's label as a person would: "the" of "␣the", "…ing" within a word."""
    word = label.replace(SPACE, " ").strip()
    is_piece = not label.startswith(SPACE) and word[:1].isalnum()
    return f"…{word}" if is_piece else word


def points_in_words(n: int) -> str:
    """Writes points with a true minus sign: −30 points."""
    return f"{'−' if n < 0 else ''}{plural(abs(n), 'point')}"


def number(n: int) -> str:
    """Writes a whole number with a true minus sign."""
    return f"{'−' if n < 0 else ''}{count(abs(n))}"


def verdict(done: GuessRound) -> list[str]:
    """Says what came, what each player gave it, and what the model did."""
    word, model = f"“{as_word(done.label)}”", percent(done.model_prob)
    if len(done.players) == 1:
        (player,) = done.players
        if player.rank is not None:
            said = f"{word} came: {_name(player)} gave it {_share(player.prob)}"
            return [f"{said}, {MODEL} {model}."]
        return [f"{_missed(player)[:-1]}; it was {word}. The model gave it {model}."]
    players = [
        f"{player.name} gave it {_share(player.prob)}."
        if player.rank is not None
        else _missed(player)
        for player in done.players
    ]
    players[0] = f"{word} came. {players[0]}"
    return [*players, f"The model gave it {model}."]


def _name(player: PlayerRound) -> str:
    return player.name.lower() if player.name == YOU else player.name


def _missed(player: PlayerRound) -> str:
    if not player.guesses:
        return f"{player.name} wrote nothing."
    named = " and ".join(f"“{as_word(guess.label)}”" for guess in player.guesses)
    return f"{player.name} said {named}."


def _share(share: float) -> str:
    """Writes what a player gave: a whole percentage, as it was pressed."""
    return percent(share).replace(f".0{THIN}", THIN)


def totals(rounds: Sequence[GuessRound], names: Sequence[str]) -> dict[str, int]:
    """Adds up everyone's points over some words: the players', then the model's."""
    people = {
        name: sum(p.points for one in rounds for p in one.players if p.name == name)
        for name in names
    }
    return people | {MODEL: sum(points(one.model_prob) for one in rounds)}


def gains(done: GuessRound) -> dict[str, int]:
    """Returns what one word brought everyone: the players, then the model."""
    people = {player.name: player.points for player in done.players}
    return people | {MODEL: points(done.model_prob)}


def spread_words(done: GuessRound | None = None) -> str:
    """Says why the points differ: the model's share is spread over all words, a player's over few.

    Args:
        done: The last word; before the first one, what is so of who names one word.
    """
    if done is None or [len(player.guesses) for player in done.players] == [1]:
        return f"{MODEL.capitalize()} lays a share on every word; you laid yours on one."
    return f"{MODEL.capitalize()} lays a share on every word; a player on those that they name."


def rule_words(model_prob: float | None = None) -> str:
    """Says what a share of the word that came has in points.

    Args:
        model_prob: The share that the model gave the last word; what it earns is said, too.
    """
    half, quarter = points(0.5), points(0.25)
    whole = f"100{THIN}% on the word that came is {CERTAIN} points, and each halving takes"
    rule = f"{whole} {CERTAIN - half} away: 50{THIN}% is {half}, 25{THIN}% is {quarter}"
    if model_prob is None:
        return f"{rule}, and so on."
    return f"{rule}, and so on to the model’s {percent(model_prob)}: {number(points(model_prob))}."


def end_words(rounds: Sequence[GuessRound], names: Sequence[str]) -> list[str]:
    """Says who has won some words."""
    won = totals(rounds, names)
    if len(names) > 1:
        return [_ranked(won)]
    (name,) = names
    n_named = sum(p.rank is not None for one in rounds for p in one.players)
    n_first = sum(one.model_rank == 1 for one in rounds)
    named = f"{name} had {n_named} of {plural(len(rounds), 'word')} right, {MODEL}’s favourite"
    score = f"{points_in_words(won[name])} to {MODEL}’s {number(won[MODEL])}."
    if won[name] > won[MODEL]:
        return [f"{named} {count(n_first)}.", f"{name} won: {score}"]
    return [f"{named} {count(n_first)}.", score]


def _ranked(won: Mapping[str, int]) -> str:
    ordered = sorted(won.items(), key=lambda one: -one[1])
    (first, most), *others = ordered
    rest = ", ".join(f"{name} {number(n)}" for name, n in others)
    return f"{first[0].upper()}{first[1:]} won with {points_in_words(most)}; {rest}."
