"""The laboratory of the guessing game: the scores in bits, Shannon's estimate, the rules."""

import streamlit as st

from model.guess.shannon import estimate
from pages.frame.figures import show_chart, show_folded, show_table
from pages.frame.second_run import is_whole
from pages.lessons.guess.state import GuessLesson
from viz.format import count, percent, plural
from viz.guess.score_charts import bounds_figure, rounds_table, running_figure

MIN_ROUNDS = 5  # tokens, for a first estimate
COST = (
    "Points are the laboratory’s *bits* turned round: 100 less ten a bit. Who gave the true token "
    "probability p pays log₂ 1/p bits for it: 1 bit at 50 %, 2 at 25 %. The fewest bits win."
)


def show_laboratory(lesson: GuessLesson) -> None:
    """Shows all rounds, and what they say of the text and of the players, in a fold."""
    fold = st.expander(
        "In the laboratory: bits, Shannon’s estimate, the rules",
        key="guess_laboratory",
        on_change="rerun",
    )
    if not (fold.open or is_whole()):
        return
    with fold:
        rounds = lesson.game.rounds
        st.markdown(COST)
        if rounds:
            show_chart(running_figure(rounds), "guess_running")
            show_table(rounds_table(rounds), "guess_table")
        _show_bounds(lesson)
        _show_scoring(lesson)


def _show_bounds(lesson: GuessLesson) -> None:
    """Shows Shannon's estimate over all tokens that were guessed."""
    n_rounds = len(lesson.game.rounds)
    st.subheader("Shannon’s estimate", anchor=False)
    st.markdown(
        "How often the first guess is right, the second, and so on, bounds the entropy of the "
        "text from below and from above. The estimate needs the order of the guesses, not their "
        "confidence."
    )
    if n_rounds < MIN_ROUNDS:
        st.caption(f"The estimate needs {MIN_ROUNDS} guessed tokens; {n_rounds} so far.")
        return
    show_chart(bounds_figure(estimate(lesson.game.rounds)), "guess_bounds")
    show_folded(
        f"From {plural(n_rounds, 'token')}. A game this short says little: Shannon used a hundred "
        "letters for each of his figures. The bounds hold for a predictor whose guesses come in "
        "the best order, so an isotonic fit first removes any rise of the counts with the rank. "
        "The rank of a miss is unknown: the lower bound takes it for the next guess, the upper "
        "bound for any of the tokens that were not guessed. The upright line is the mean log "
        "score; to the right of its bar, the confidences told less than the order. "
        "C. E. Shannon (1951), Prediction and entropy of printed English.",
        "guess_bounds_terms",
    )


def _show_scoring(lesson: GuessLesson) -> None:
    """Says how guesses are scored, and in a fold how they are read, in numbers of this model."""
    n_vocab = count(lesson.lm.vocab_size)
    st.subheader("A proper scoring rule", anchor=False)
    st.markdown(
        "The rule is *proper*: on average nobody pays less than by saying what they believe.\n"
        "- **What a guess may be.** `-ing` continues the word before; `,` and `.` are guesses "
        "too; capitals count.\n"
        "- **No penalty is infinite.** What you keep back is spread evenly over all other "
        f"tokens of the {n_vocab}, at least 1 %: 100 is read as 99. In a show of hands, one "
        "extra hand counts for all other tokens together.\n"
        "- **Guesses without a number** share half of what is left; an empty field spreads all "
        "evenly.\n"
        "- **The four words favour you.** One of them is right, and the model is not told which "
        "four they are. In turn your misses cost more: it gives a probability to each of "
        f"{n_vocab} tokens and you to a handful.\n"
        "- **The model predicts tokens, you write words.** Its tokenizer reads what you type "
        "after the text so far. Of a word of several tokens the first counts; words that begin "
        "with the same token are one guess.\n"
        "- **Both see the same text.** The true token is appended whatever was predicted. What "
        "nobody can type, such as a lone space or half a character, is revealed by itself."
    )
    if lesson.game.rounds:
        _parsed_guesses(lesson)


def _parsed_guesses(lesson: GuessLesson) -> None:
    """Shows how the last guesses were read: token, confidence, and how many tokens each has."""
    rows = [
        {
            "player": player.name,
            "typed": guess.typed,
            "read as": guess.label,
            "tokens": guess.n_tokens,
            "share": percent(guess.share),
        }
        for player in lesson.game.rounds[-1].players
        for guess in player.guesses
    ]
    st.caption("How the tokenizer read the last guesses:")
    show_table(rows, "guess_read")
