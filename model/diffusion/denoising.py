"""Masked diffusion: a whole page of masks, filled in K passes, many positions at once.

Every pass reads the whole sequence, both ways, and proposes a token for every position that is
still masked. Some proposals are committed and never change again; the others are forgotten, and the
next pass proposes anew, knowing what has been committed. What one pass commits is drawn for each
position alone, blind to the rest of the same pass. Committing the surest first is MaskGIT's
(arXiv 2202.04200) and LLaDA's (2502.09992); blocks from left to right are block diffusion's
(2503.09573); the idea of filling by passes is Mask-Predict's (1904.09324).
"""

import operator

import numpy as np
import numpy.typing as npt

from model.diffusion.layout import (
    frame_ids,
    mask_id_of,
    plan_passes,
    refuse_other_kinds,
    writable_ids,
)
from model.diffusion.records import DenoisePass, Order
from model.draw import draw_from, rank_order, uniform_at
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import Logits, check_context, forward
from model.sentences import Sentence
from model.tokenizing import text_of

ORDERS: tuple[Order, ...] = ("confidence", "random", "left to right")
_OTHER_STREAM = 0x5DEECE66D  # parts the pointers of the random order from those of the tokens


class Diffusion:
    """One page being filled by one masked model, pass by pass.

    Attributes:
        ids: the whole sequence: what is given, what is filled, the mask token where still open.
        start: where the positions to fill begin in `ids`; they are `length` in a row.
        plan: what each pass fills, those to come included.
    """

    def __init__(
        self,
        lm: LanguageModel,
        length: int = 64,
        prompt: str = "",
        ending: str = "",
        *,
        n_passes: int = 16,
        order: Order = "confidence",
        temperature: float = 0.0,
        block_length: int = 0,
        seed: int = 0,
    ) -> None:
        """Lays out the page; no pass runs here.

        Args:
            lm: a model of the masked kind.
            length: positions to fill.
            prompt: what stands before them; may be empty.
            ending: what stands after them, taken as it is: begin it with a space before a word.
            n_passes: K, from 1 to `length`: each pass fills about length / K positions.
            order: which proposals a pass commits: the surest, random ones, or the leftmost.
            temperature: of the draw of a token; 0 takes the best.
            block_length: positions of a block; blocks are filled one after another, from left to
                right. 0 is one block for all.
            seed: gives the pointers, together with a pass and a position.

        Raises:
            ValueError: where the model or a wish will not do; the message says what will.
        """
        refuse_other_kinds(lm)
        self.lm, self.order, self.temperature = lm, order, temperature
        self.length, self.seed = length, operator.index(seed)
        self.plan = plan_passes(length, n_passes, block_length)
        before, after = frame_ids(lm, prompt, ending)
        check_context(
            lm,
            length + len(before) + len(after),
            Sentence(
                "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
                "shorten what is given or filled."
            ),
        )
        self.start = len(before)
        self.ids = [*before, *[mask_id_of(lm)] * length, *after]
        self.passes: list[DenoisePass] = []
        self._words = writable_ids(lm)

    def step(self) -> DenoisePass:
        """Runs one pass: read all, propose everywhere, commit some."""
        plan, number = self.plan[len(self.passes)], len(self.passes) + 1
        open_at = np.flatnonzero(self.is_open)

        # read: one pass over the whole sequence, given and filled and masked, both ways
        logits, seconds = forward(
            self.lm, [self.ids], n_logits=0, at=(0, (self.start + open_at).tolist())
        )

        # propose: a token for every open position, each drawn alone by its own pointer
        logits[:, ~self._words] = -np.inf
        pointers = np.array(
            [pass_pointer(self.seed, number, position) for position in open_at.tolist()]
        )
        tokens, confidence = propose(logits, self.temperature, pointers)

        # choose: the positions of this pass's block that are to be committed
        in_block = (open_at >= plan.start) & (open_at < plan.end)
        places = self._choose(open_at[in_block], confidence[in_block], plan.n_commit)

        # commit: what is written now stays; the other proposals are forgotten
        proposals = np.array(self.filled_ids)
        proposals[open_at] = tokens
        certainty = np.full(self.length, np.nan)
        certainty[open_at] = confidence
        for place in places:
            self.ids[self.start + place] = int(proposals[place])

        record = DenoisePass(
            number=number,
            confidence=certainty,
            proposal_ids=proposals,
            committed=tuple(places),
            seconds=seconds,
        )
        self.passes.append(record)
        return record

    def back(self) -> None:
        """Takes the last pass back; the next step does the same again, by the same pointers."""
        for place in self.passes.pop().committed:
            self.ids[self.start + place] = mask_id_of(self.lm)

    @property
    def finished(self) -> bool:
        """Whether every position is filled."""
        return len(self.passes) == len(self.plan)

    @property
    def n_done(self) -> int:
        """Passes so far."""
        return len(self.passes)

    @property
    def positions(self) -> range:
        """The positions to fill, as places in `ids`."""
        return range(self.start, self.start + self.length)

    @property
    def filled_ids(self) -> list[int]:
        """The positions to fill as they stand: a token, or the mask token."""
        return self.ids[self.start : self.start + self.length]

    @property
    def filled_in(self) -> npt.NDArray[np.int64]:
        """The number of the pass that filled each position, (length,); 0 where it is open."""
        numbers = np.zeros(self.length, dtype=np.int64)
        for one in self.passes:
            numbers[list(one.committed)] = one.number
        return numbers

    @property
    def is_open(self) -> npt.NDArray[np.bool_]:
        """Which positions are still masked, (length,)."""
        still_open: npt.NDArray[np.bool_] = self.filled_in == 0
        return still_open

    @property
    def seconds(self) -> float:
        """Seconds of all passes so far, of the model alone."""
        return sum(one.seconds for one in self.passes)

    @property
    def text(self) -> str:
        """All of the text without special tokens; what is open is left out."""
        return text_of(self.lm.tokenizer, self.ids)

    @property
    def filled_text(self) -> str:
        """The filled part alone."""
        return text_of(self.lm.tokenizer, self.filled_ids)

    def _choose(
        self, places: npt.NDArray[np.intp], confidence: npt.NDArray[np.float64], n_commit: int
    ) -> list[int]:
        """Returns the positions to commit, first choice first; ties by position."""
        if self.order == "confidence":
            ranked = places[rank_order(confidence)]
        elif self.order == "random":
            stream = self.seed ^ _OTHER_STREAM
            ranked = places[np.argsort([uniform_at(stream, place) for place in places.tolist()])]
        else:
            ranked = places
        chosen: list[int] = ranked[:n_commit].tolist()
        return chosen


def fill_page(page: Diffusion) -> Diffusion:
    """Runs all passes that are left, and returns the same page, filled."""
    while not page.finished:
        page.step()
    return page


# One pass


def propose(
    logits: Logits, temperature: float, pointers: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Draws one token for each row, and says how sure the model is of it.

    Args:
        logits: (n, vocab), raw, -inf for what may not be written.
        temperature: 0 takes the best, the lowest id on ties.
        pointers: (n,) in [0, 1); at temperature 0 none of them matters.

    Returns:
        Tokens, (n,), and their probabilities at temperature 1, (n,).
    """
    probs = np.exp(log_softmax(logits))
    if temperature == 0:
        tokens = logits.argmax(axis=1)
    else:
        tempered = np.exp(log_softmax(logits / temperature)) if temperature != 1 else probs
        drawn = [draw_from(row, pointer) for row, pointer in zip(tempered, pointers, strict=True)]
        tokens = np.array(drawn, dtype=np.int64)
    return tokens, probs[np.arange(len(tokens)), tokens]


def pass_pointer(seed: int, number: int, position: int) -> float:
    """Returns the pointer of a pass at a position: a function of these three alone, in [0, 1)."""
    return uniform_at(int(uniform_at(seed, number) * (1 << 53)), position)
