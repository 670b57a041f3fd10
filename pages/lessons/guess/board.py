"""The board of the guessing game, a component of our own: what it is given, and what it tells."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model.guess.game import points_at_stake
from model.guess.records import GuessRound, GuessRow
from pages.frame.assets import SHARED
from pages.frame.component import component, trigger_value
from pages.frame.layout import is_presenting
from pages.lessons.guess.settings import SETTINGS
from pages.lessons.guess.state import N_ROUND, SURENESS, GuessLesson, line_of
from viz.guess.score_charts import rows_to_draw
from viz.guess.words import as_word, end_words, gains, rule_words, spread_words, totals, verdict

KEY = "guess_board"
N_BEST, N_MORE = 5, 2  # tokens with a bar of their own: before the guess, and with it
_FOLDER = Path(__file__).parent
_board = component("guess", _FOLDER / "mount.js", SHARED, _FOLDER)


def show_board(lesson: GuessLesson, on_other_text: Any) -> None:
    """Draws the text, the question and what came of the last guess.

    Args:
        lesson: What the reader has on the page.
        on_other_text: Begins with another text.
    """
    _board(
        key=KEY,
        data=board_data(lesson),
        height="content",
        on_guess_change=lambda: take_guess(lesson, trigger_value(KEY, "guess")),
        on_skip_change=lesson.skip,
        on_go_on_change=lesson.go_on,
        on_other_text_change=on_other_text,
        on_restore_change=lambda: lesson.restore(trigger_value(KEY, "restore")),
    )


def take_guess(lesson: GuessLesson, told: Any) -> None:
    """Scores what was written, unless it is of a word that came meanwhile.

    Args:
        lesson: What the reader has on the page.
        told: By the browser: of which position it is, what each player wrote and how sure they are.
    """
    if not isinstance(told, dict) or told.get("position") != lesson.game.position:
        return
    written = zip(lesson.names, told.get("written", ()), strict=False)
    lines = {
        name: line_of(str(one["typed"]), one["sure"] if one["sure"] in SURENESS else None)
        for name, one in written
    }
    lesson.play(lines)


def board_data(lesson: GuessLesson) -> dict[str, Any]:
    """Returns what the board shows: records of pages/lessons/guess/types.d.ts."""
    game, rounds = lesson.game, lesson.round
    best = () if game.is_over else game.best()
    hidden, is_over = game.hidden_text, lesson.is_round_over
    named = {one.position: any(p.rank for p in one.players) for one in game.rounds}
    first = game.position - len(hidden.shown)  # of what is shown: special tokens are not
    return {
        "text": [
            {"words": words, "bits": bits, "isNamed": named.get(first + i, False)}
            for i, (words, bits) in enumerate(zip(hidden.shown, hidden.bits, strict=True))
        ],
        "nHidden": hidden.n_hidden,
        "position": game.position,
        "offered": list(game.offered()),
        "players": list(lesson.names),
        "unit": lesson.unit,
        "stakes": [_stake(share, lesson.lm.vocab_size) for share in SURENESS],
        "number": min(len(rounds) + (not is_over), N_ROUND),
        "nWords": N_ROUND,
        "totals": [
            {"name": name, "points": won, "gain": gains(rounds[-1]).get(name) if rounds else None}
            for name, won in totals(rounds, lesson.names).items()
        ],
        "last": _last(game.rounds[-1], len(rounds) or N_ROUND) if game.rounds else None,
        "rule": rule_words(game.rounds[-1].model_prob if rounds else None),
        "spread": spread_words(rounds[-1] if rounds else None),
        "others": "all others",
        "covered": [row.model_prob for row in best[:N_BEST]],
        "end": end_words(rounds, lesson.names) if is_over and rounds else [],
        "best": lesson.best,
        "isOver": game.is_over,
        "isRoundOver": is_over,
        "notice": lesson.problem or lesson.hint or "",
        "model": lesson.lm.name,
        "isPresenting": is_presenting(),
        "isVeiled": SETTINGS["veil"],
        "saved": {"model": lesson.lm.name, **lesson.saved()},
    }


def _stake(share: float, n_vocab: int) -> dict[str, Any]:
    right, wrong = points_at_stake(share, n_vocab)
    return {"share": share, "right": right, "wrong": wrong}


def _last(done: GuessRound, number: int) -> dict[str, Any]:
    rows = rows_to_draw(done, N_BEST, N_MORE)
    rest = max(0.0, 1 - sum(row.model_prob for row in rows))
    return {
        "position": done.position,
        "number": number,
        "said": verdict(done),
        "hits": [player.rank is not None for player in done.players],
        "rows": [_row(row, done) for row in rows],
        "rest": rest,
    }


def _row(row: GuessRow, done: GuessRound) -> dict[str, Any]:
    marks: Sequence[tuple[int, float]] = [
        (k, player.shares[row.token_id])
        for k, player in enumerate(done.players)
        if row.token_id in player.shares
    ]
    return {
        "word": as_word(row.label),
        "prob": row.model_prob,
        "isTrue": row.token_id == done.token_id,
        "marks": marks,
    }
