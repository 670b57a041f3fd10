"""What is said of a guess in plain words: what came, what it cost, and who won a round."""

import math
from collections.abc import Mapping, Sequence

from model.guess.records import MODEL, GuessRound, PlayerRound, points
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
    """Says what came, what each player's guess was worth and why, and what the model's was."""
    players = [_of_player(player, done) for player in done.players]
    players[0] = f"“{as_word(done.label)}” came. {players[0]}"
    model = f"The model gave it {percent(done.model_prob)}: "
    return [*players, f"{model}{points_in_words(points(done.model_prob))}."]


def _of_player(player: PlayerRound, done: GuessRound) -> str:
    name, worth = player.name, points_in_words(player.points)
    if player.rank is not None:
        return f"{name} gave it {_share(player.prob)}: {worth}."
    if not player.guesses:
        return f"{name} wrote nothing, so it had {percent(player.prob)}: {worth}."
    given = math.fsum(player.shares.values())
    named = " and ".join(f"“{as_word(guess.label)}”" for guess in player.guesses)
    others = f"{count(done.n_vocab - len(player.guesses))} other tokens"
    return (
        f"{name} gave {named} {_share(given)}. {others} share {_share(1 - given)}, so "
        f"“{as_word(done.label)}” had {percent(player.prob)}: {worth}."
    )


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


def end_words(rounds: Sequence[GuessRound], names: Sequence[str]) -> str:
    """Says who has won some words, and what made the difference."""
    won = totals(rounds, names)
    if len(names) > 1:
        return _ranked(won)
    (name,) = names
    mine, models = won[name], won[MODEL]
    n, n_named = len(rounds), sum(p.rank is not None for one in rounds for p in one.players)
    n_first = sum(one.model_rank == 1 for one in rounds)
    score = f"{name} {points_in_words(mine)}, {MODEL} {number(models)}."
    named = f"{name} named {n_named} of {plural(n, 'word')}"
    if mine > models:
        return f"{score} {name} won! {named}; {MODEL}’s first choice was right {_times(n_first)}."
    reason = f"{named}, {MODEL}’s first choice was right {_times(n_first)}"
    return f"{score} {reason}. {_where_missed(rounds, name)}"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _where_missed(rounds: Sequence[GuessRound], name: str) -> str:
    """Says what a miss cost on average, if that is what the model was better at."""
    mine = [p.points for one in rounds for p in one.players if p.rank is None]
    models = [points(one.model_prob) for one in rounds if one.model_rank > 1]
    if not mine or not models:
        return "It was surer of what came."
    a_miss, its_miss = round(sum(mine) / len(mine)), round(sum(models) / len(models))
    if its_miss <= a_miss:
        return "It was surer of what came."
    return (
        f"It gives every word a little: where it was wrong it still had {number(its_miss)} a word; "
        f"{'your' if name == YOU else f'{name}’s'} misses had {number(a_miss)}."
    )


def _ranked(won: Mapping[str, int]) -> str:
    ordered = sorted(won.items(), key=lambda one: -one[1])
    (first, most), *others = ordered
    rest = ", ".join(f"{name} {number(n)}" for name, n in others)
    return f"{first[0].upper()}{first[1:]} won with {points_in_words(most)}; {rest}."
