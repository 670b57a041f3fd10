"""Where the lab's distribution comes from: a model, a list typed by hand, or a shape made up."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from model.generation import Generation
from model.loading import LanguageModel
from model.records import FloatArray
from model.sentences import cut
from model.tokenizing import vocabulary_labels
from pages.frame.fields import echo
from pages.frame.values import number_of

Unit = Literal["probabilities", "logits"]
UNITS: tuple[Unit, ...] = ("probabilities", "logits")

TEXTBOOK = """\
mat: 0.35
sofa: 0.15
a: 0.10
floor: 0.09
rug: 0.08
bed: 0.07
roof: 0.05
chair: 0.04
table: 0.03
desk: 0.025
lap: 0.015"""
TEXTBOOK_TEXT = "The king sat on the"
MAX_LINES = 500
MAX_VALUE = 1e6  # of a number typed by hand
N_SHAPED = 200  # tokens of the shapes made up


@dataclass(frozen=True, eq=False)
class Given:
    """The distribution that the lab works on."""

    logits: FloatArray  # (vocab,) float32, raw
    labels: tuple[str, ...] | None  # visible text of every id; None: those of the model
    caption: str  # what it is and where its numbers come from, in a sentence
    notice: str | None = None  # what the reader should know of how it was read
    text: str = ""  # that the token would follow, as much as is shown of it

    def label(self, token_id: int, lm: LanguageModel) -> str:
        """Returns the visible text of a token."""
        return (vocabulary_labels(lm) if self.labels is None else self.labels)[token_id]


def from_generation(generation: Generation) -> Given:
    """Takes the next token's logits of a text."""
    lm = generation.lm
    text = generation.text
    shown = text if len(text) <= 70 else f"…{text[-70:]}"
    caption = f"Measured with the model {lm.shown}: what may follow “{shown}”."
    return Given(generation.all_logits().copy(), None, caption, text=shown)


def from_lines(text: str, unit: Unit) -> Given:
    """Reads a distribution typed by hand, one `token: number` to a line.

    Args:
        text: the lines; the last colon of each parts token and number.
        unit: what the numbers are; probabilities are divided by their sum.

    Raises:
        ValueError: One sentence that names the line and the remedy.
    """
    lines = [
        (number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()
    ]
    if len(lines) < 2:
        raise ValueError("Write at least two tokens, one to a line, such as mat: 0.35.")
    if len(lines) > MAX_LINES:
        raise ValueError(f"There are {len(lines)} lines: keep {MAX_LINES} or fewer.")
    labels, values = [], []
    for number, line in lines:
        token, value = _read_line(number, line, unit)
        if token in labels:
            raise ValueError(f"Line {number} has {echo(token)} again: write each token once.")
        labels.append(token)
        values.append(value)
    named = "logits" if unit == "logits" else "probabilities"
    caption = f"Illustrative: {len(labels)} tokens with {named} typed by hand."
    if unit == "logits":
        return Given(np.array(values, dtype=np.float32), tuple(labels), caption)
    total = math.fsum(values)
    if total == 0:
        raise ValueError("All probabilities are 0: give at least one token a chance.")
    with np.errstate(divide="ignore"):
        logits = np.log(np.array(values) / total).astype(np.float32)
    is_whole = abs(total - 1) < 1e-6
    notice = None if is_whole else f"The probabilities sum to {total:g}: each was divided by that."
    return Given(logits, tuple(labels), caption, notice)


def _read_line(number: int, line: str, unit: Unit) -> tuple[str, float]:
    token, colon, written = line.rpartition(":")
    token = token.strip()
    if not colon or not token:
        raise ValueError(f"Line {number} has no token and number: write it as mat: 0.35.")
    value = number_of(written.strip())
    if value is None:
        raise ValueError(
            f"Line {number} ends in {echo(written)}, which is no number: write it as "
            f"{cut(token, 20)}: 0.35."
        )
    if abs(value) > MAX_VALUE:
        raise ValueError(f"Line {number} has {echo(written)}: choose a number up to 10^6.")
    if unit == "probabilities" and not 0 <= value <= 1:
        raise ValueError(
            f"Line {number} has {echo(written)}: a probability lies from 0 to 1 (or choose logits)."
        )
    return token, value


def _shape(name: str, says: str, log_weight: Callable[[FloatArray], FloatArray]) -> Given:
    """Makes up a distribution over numbered tokens from the logarithm of their weights."""
    ranks = np.arange(1, N_SHAPED + 1, dtype=np.float64)
    logits = log_weight(ranks).astype(np.float32)
    labels = tuple(f"token {rank}" for rank in range(1, N_SHAPED + 1))
    return Given(logits, labels, f"Illustrative, {name}: {N_SHAPED} tokens, {says}.")


SHAPES: dict[str, Given] = {
    "flat": _shape("flat", "each nearly as likely as the next", lambda rank: -0.002 * rank),
    "peaked": _shape(
        "peaked", "each a fifth as likely as the one before", lambda rank: -1.6 * rank
    ),
    "heavy": _shape("heavy-tailed", "the n-th as likely as 1/n (Zipf)", lambda rank: -np.log(rank)),
    "textbook": replace(
        from_lines(TEXTBOOK, "probabilities"),
        caption=f"Illustrative: eleven tokens that might follow “{TEXTBOOK_TEXT}”.",
        text=TEXTBOOK_TEXT,
    ),
}
