"""What is shown after a guess: the distribution, all scores, Shannon's estimate, the rules."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from model.guess.records import MODEL, UNIFORM, GuessRound
from model.guess.shannon import estimate
from pages.frame.figures import show_chart, theme_now
from pages.lessons.guess.component import Tile, score_tiles
from pages.lessons.guess.state import GuessLesson
from viz.format import count, percent, plural
from viz.guess.bounds_chart import bounds_figure
from viz.guess.score_charts import (
    MAX_ROWS,
    MAX_ROWS_LARGE,
    bits,
    mean_bits,
    revealed_figure,
    rounds_table,
    running_figure,
)

MIN_ROUNDS = 5  # tokens, for a first estimate


def show_revealed(lesson: GuessLesson, *, presenter: bool) -> None:
    """Show the newest round: who gave what, in bits, and the score so far."""
    rounds = lesson.rounds
    if not rounds:
        return
    last, theme = rounds[-1], theme_now()
    _tiles(rounds, presenter=presenter)
    left, right = st.columns(2, gap="large")
    with left:
        n_rows = MAX_ROWS_LARGE if presenter else MAX_ROWS
        show_chart(revealed_figure(last, theme, n_rows), "guess_revealed")
    with right:
        show_chart(running_figure(rounds, theme), "guess_running")
    with st.expander("All rounds", key="guess_rounds"):
        st.dataframe(rounds_table(rounds), hide_index=True, key="guess_table")


def _tiles(rounds: list[GuessRound], *, presenter: bool) -> None:
    """Show everyone's bits for the newest token, and the mean so far beside them."""
    last = rounds[-1]
    means = {name: points[-1][1] for name, points in mean_bits(rounds).items()}
    costs = {player.name: player.bits for player in last.players}
    costs |= {MODEL: last.model_bits, UNIFORM: last.uniform_bits}
    roles: dict[str, Literal["model", "uniform"]] = {MODEL: "model", UNIFORM: "uniform"}
    tiles = [
        Tile(
            name=name[0].upper() + name[1:],
            now=bits(cost),
            mean=f"{means[name]:.1f}",
            best=cost == min(costs.values()),
            role=roles.get(name, "person"),
        )
        for name, cost in costs.items()
    ]
    score_tiles(tiles, presenter=presenter)


def show_bounds(lesson: GuessLesson) -> None:
    """Show Shannon's estimate over all tokens that were guessed."""
    n_rounds = len(lesson.rounds)
    if not n_rounds:
        return
    st.header("Shannon’s estimate", anchor=False)
    st.markdown(
        "**How often the first guess is right, the second, and so on, bounds the entropy of the "
        "text from below and from above.** The estimate needs the order of the guesses, not their "
        "confidence."
    )
    if n_rounds < MIN_ROUNDS:
        st.caption(f"The estimate needs {MIN_ROUNDS} guessed tokens; {n_rounds} so far.")
        return
    show_chart(bounds_figure(estimate(lesson.rounds), theme_now()), "guess_bounds")
    st.caption(
        f"From {plural(n_rounds, 'token')}. A game this short says little: Shannon used a hundred "
        "letters for each of his figures. The bounds hold for a predictor whose guesses come in "
        "the best order, so an isotonic fit first removes any rise of the counts with the rank. "
        "The rank of a miss is unknown: the lower bound takes it for the next guess, the upper "
        "bound for any of the tokens that were not guessed. The upright line is the mean log "
        "score; to the right of its bar, the confidences told less than the order. "
        "C. E. Shannon (1951), Prediction and entropy of printed English."
    )


def show_scoring(lesson: GuessLesson) -> None:
    """Say how guesses are read and scored, in numbers of this model."""
    n_vocab = lesson.lm.vocab_size
    st.header("A proper scoring rule", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(
            "**Bits measure surprise.** Whoever gave the true token the probability p pays "
            "log₂ 1/p bits: 1 at 50 %, 3.3 at 10 %, 6.6 at 1 %. The rule is *proper*: on average "
            "nobody pays less than by writing what they believe.\n\n"
            "**No penalty is infinite.** What you keep back is spread evenly over all other "
            f"tokens of the {count(n_vocab)}, and at least 1 % is always kept back: 100 is read as "
            "99. In a show of hands, one extra hand counts for all other tokens together. Guesses "
            "without a number share half of what is left; an empty field spreads all evenly.\n\n"
            f"**The score favours the model.** It gives a probability to each of {count(n_vocab)} "
            "tokens and you to a handful, so your misses cost more than they would if you could "
            "write them all. Shannon’s estimate needs only the order of the guesses."
        )
    with right:
        st.markdown(
            "**The model predicts tokens, you write words.** What you type is appended to the "
            "text so far, and the model’s tokenizer reads both. If your word is several tokens, "
            "its first one counts; words that begin with the same token are one guess.\n\n"
            "**Both see the same text.** The model reads the text as it is revealed, one pass for "
            "each token, and the true token is appended whatever it predicted. Tokens that nobody "
            "can type, such as a lone space or half a character, are revealed by themselves."
        )
        _parsed_guesses(lesson)


def _parsed_guesses(lesson: GuessLesson) -> None:
    """Show how the last guesses were read: token, confidence, and how many tokens each has."""
    if not lesson.rounds:
        return
    rows = [
        {
            "player": player.name,
            "typed": guess.typed,
            "read as": guess.label,
            "tokens": guess.n_tokens,
            "share": percent(guess.share),
        }
        for player in lesson.rounds[-1].players
        for guess in player.guesses
    ]
    st.caption("How the tokenizer read the last guesses:")
    st.dataframe(rows, hide_index=True, key="guess_read")
