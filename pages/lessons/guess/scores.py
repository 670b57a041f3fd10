"""What opens after a guess: the distribution, everyone's bits, Shannon's estimate, the rules."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from model.guess.records import GuessRound
from pages.frame.figures import show_chart, theme_now
from pages.lessons.guess.component import Tile, score_tiles
from pages.lessons.guess.state import GuessLesson
from viz.format import count, percent, plural
from viz.guess.bounds_chart import bounds_figure
from viz.guess.score_charts import (
    MODEL,
    UNIFORM,
    bits,
    mean_bits,
    opened_figure,
    rounds_table,
    running_figure,
)

ENOUGH = 5  # tokens, for a first estimate


def show_opened(lesson: GuessLesson, *, presenter: bool) -> None:
    """Show the newest round: who gave what, in bits, and the score so far."""
    rounds = lesson.rounds
    if not rounds:
        return
    last, theme = rounds[-1], theme_now()
    _tiles(rounds, presenter=presenter)
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(opened_figure(last, theme, large=presenter), "guess_opened")
    with right:
        show_chart(running_figure(rounds, theme, large=presenter), "guess_running")
    with st.expander("Every token so far", key="guess_rounds"):
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


def show_bounds(lesson: GuessLesson, *, presenter: bool) -> None:
    """Show Shannon's estimate over all tokens that were guessed."""
    n_rounds = len(lesson.rounds)
    if not n_rounds:
        return
    st.header("Shannon’s estimate", anchor=False)
    st.markdown(
        "**How often the first guess is right, the second, and so on, tells how much there is to "
        "know: the entropy lies between two numbers.** It needs the order of the guesses only, no "
        "confidence."
    )
    if n_rounds < ENOUGH:
        st.caption(f"It shows once {ENOUGH} tokens have been guessed; {n_rounds} so far.")
        return
    show_chart(bounds_figure(lesson.bounds(), theme_now(), large=presenter), "guess_bounds")
    st.caption(
        f"From {plural(n_rounds, 'token')}: a game this short says little, Shannon had a hundred "
        "letters for each of his figures. The bounds hold for a predictor whose guesses come in "
        "the best order; counts that rise with the rank are evened out first. A miss, whose rank "
        "nobody knows, counts for the lower bound as the next guess and for the upper one as any "
        "of the tokens that were not guessed. The upright line is the mean log score: to the right "
        "of its bar, the confidences told less than the order. "
        "C. E. Shannon (1951), Prediction and entropy of printed English."
    )


def show_scoring(lesson: GuessLesson) -> None:
    """Say how guesses are read and scored, in numbers of this model."""
    n_vocab = lesson.lm.vocab_size
    st.header("What is fair about the score", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(
            "**Bits are what surprise costs.** Who gave the token that came the probability p pays "
            "log₂ 1/p: 1 bit at 50 %, 3.3 at 10 %, 6.6 at 1 %. The rule is *proper*: on average "
            "nobody pays less than by writing what they believe.\n\n"
            "**Nobody pays infinitely much.** What you keep back is spread evenly over all other "
            f"tokens of the {count(n_vocab)}, and 1 % at least is always kept back: 100 is read as "
            "99. By hands, one more hand points to all other tokens together. Guesses without a "
            "number share half of what is left; a field left empty spreads all evenly.\n\n"
            f"**It favours the model.** It holds {count(n_vocab)} numbers in its head and you a "
            "handful, so your misses cost more than they would if you could write them all. "
            "Shannon’s estimate asks for the order only."
        )
    with right:
        st.markdown(
            "**The model guesses tokens, you write words.** What you type is set behind the text "
            "so far, and the model’s tokenizer reads both. Where your word is several tokens, its "
            "first one counts, and words that begin with the same token are one guess.\n\n"
            "**Both see the same.** The model reads the text as it opens, one pass for each token, "
            "and what came is appended for it too, whatever it had guessed. Tokens that nobody can "
            "type, such as a lone space or half a character, open by themselves."
        )
        _how_it_was_read(lesson)


def _how_it_was_read(lesson: GuessLesson) -> None:
    """Show what became of the newest guesses: token, confidence, and how many tokens each has."""
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
    st.caption("How the newest guesses were read:")
    st.dataframe(rows, hide_index=True, key="guess_read")
