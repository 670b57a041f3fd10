"""The text of a class: what stands there, what the model offers to come next, and how it goes on.

Knows nothing of a room.
"""

import math
import random
from collections.abc import Sequence
from urllib.parse import urlencode

from model.classroom.names import as_word
from model.classroom.records import DrawBar, WordsAndRoles
from model.draw import best_ids
from model.generation import Generation
from model.language_model import LanguageModel
from model.records import FloatArray
from model.sampling import Settings
from model.sentences import Numeral, Sentence
from model.tokenizing import encode, label
from viz.format import count

# as the first page begins: a phone that takes the text over finds the same draws there
DRAWING = Settings(temperature=0.8, top_p=0.9)
N_OFFERED = 5  # buttons of a question for the next token
# what to remember of a pointer each
OF_CHANCE = Sentence("The model makes the segments. Where a pointer falls is chance.")
N_SEGMENTS = 4  # tokens of the draw bar that have a segment of their own


class ClassText:
    """A text that a class and a model write together.

    Attributes:
        generation: What was written, and what the model makes of it.
        prompt: What it began with.
    """

    def __init__(self, lm: LanguageModel, prompt: str, continuation: str = "") -> None:
        """Reads the text to begin with.

        Args:
            lm: The model.
            prompt: What the class sees.
            continuation: How the text really goes on, if that is known; the class does not see it.

        Raises:
            ValueError: One sentence, where the text cannot be read.
        """
        self.lm, self.prompt = lm, prompt
        self.generation = Generation(lm, prompt)
        self._true_ids = encode(lm, prompt + continuation) if continuation.strip() else []

    @property
    def ids(self) -> list[int]:
        """The text as tokens."""
        return self.generation.ids

    @property
    def true_id(self) -> int | None:
        """The token that comes next in the true text; None where there is none."""
        n = len(self.ids)
        is_on_it = self._true_ids[:n] == self.ids
        return self._true_ids[n] if is_on_it and n < len(self._true_ids) else None

    def offer(self) -> list[int]:
        """Returns tokens to choose from: the model's best ones, and the true one, shuffled."""
        self._check_end()
        best: list[int] = best_ids(self.generation.logits, N_OFFERED).tolist()
        if self.true_id is not None and self.true_id not in best:
            best[-1] = self.true_id
        random.Random(len(self.ids)).shuffle(best)
        return best

    def segments(self, settings: Settings = DRAWING, n_segments: int = N_SEGMENTS) -> DrawBar:
        """Returns the draw bar: words and their shares, the last one that of all others."""
        self._check_end()
        self.generation.logits_for(settings)  # a server is asked for what it left out
        last = self.generation.stages_for(settings)[-1]
        n_segments += len(last.order) == n_segments + 1  # one alone is no rest
        shares = last.best_probs[:n_segments].tolist()
        names = self.words(last.order[:n_segments].tolist())
        setting = _setting(settings)
        n_others = len(last.order) - len(names)
        if n_others or len(names) < 2:
            others = Sentence("{n} others", n=count(n_others))
            rest = max(0.0, 1 - math.fsum(shares))
            return DrawBar((*names, others), (*shares, rest), has_rest=True, setting=setting)
        return DrawBar(tuple(names), tuple(shares), setting=setting)

    def logits(self, token_id: int | None) -> FloatArray:
        """Returns the logits from which the next token is drawn, or the given one is taken."""
        self._check_end()
        return self.generation.logits_for(DRAWING, token_id=token_id)

    def append(self, token_id: int | None) -> int:
        """Appends a token: the given one, or the one that the model draws; returns it."""
        self._check_end()
        return self.generation.step(DRAWING, token_id).token_id

    def words(self, ids: Sequence[int]) -> list[str]:
        """Returns tokens as a person writes them."""
        return [
            Sentence("the end") if i in self.lm.end_ids else as_word(label(self.lm.tokenizer, i))
            for i in ids
        ]

    def story(self) -> WordsAndRoles:
        """Returns the prompt and what was appended to it; nothing where nothing was."""
        if not self.generation.steps:
            return ()
        return (self.prompt, ""), (self.generation.text[len(self.prompt) :], "drawn")

    def link(self) -> str:
        """Returns the query of the home page that shows this text, there to be taken over."""
        parts = {"model": self.lm.name, "prompt": self.prompt, "hold": "1"}  # each step stays
        if steps := self.generation.steps:
            chosen = [f"{i}:{step.token_id}" for i, step in enumerate(steps) if step.forced]
            parts |= {"run": str(len(steps))} | ({"forced": ",".join(chosen)} if chosen else {})
        return "?" + urlencode(parts)

    def _check_end(self) -> None:
        if self.generation.finished:
            raise ValueError(
                Sentence("The text has ended: take the last token back, or begin another one.")
            )


def _setting(settings: Settings) -> str:
    """Says what shaped a bar; nothing where it is the distribution as the model gives it."""
    if settings == Settings():
        return ""
    temperature = Numeral(f"{settings.temperature:g}")
    if settings.top_p == 1:
        return Sentence("temperature {n}", n=temperature)
    return Sentence("temperature {n}, top-p {p}", n=temperature, p=Numeral(f"{settings.top_p:g}"))
