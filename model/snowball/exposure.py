"""Teacher forcing against free running: a model after true tokens, and after its own.

In training a model reads true text only; when it writes, it reads what it wrote itself. A second
model, or the story's own next tokens, say how much worse it gets for that. With a judge J and a
writer W the expected surprise of J at a draw of W is sum W(x) * -log J(x), exact at each position,
and KL(J || W) is how much the writer loses against the judge there (Arora et al. 2022, arXiv
2204.01171, who take a larger model for the truth as well). This module draws nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.batch import Batch, read_whole
from model.loading import LanguageModel
from model.masks import LogProbs, divergence, log_softmax
from model.sampling import Settings
from model.snowball.records import Exposure, Floats
from model.tokenizing import shares_vocabulary


class ExposureRun:
    """One writer on some stories, after true tokens and after its own, seen by a judge.

    Advances by one story read, then by one token written in all stories at once.
    """

    def __init__(
        self,
        writer: LanguageModel,
        judge: LanguageModel,
        stories: Sequence[Sequence[int]],
        *,
        n_prompt: int = 24,
        n_tokens: int = 96,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Keeps the stories that are long enough.

        Args:
            writer: the model that is looked at.
            judge: a model of the same tokens; the writer itself where there is no other.
            stories: ids of held-out texts.
            n_prompt: true tokens that both ways begin with.
            n_tokens: positions after them.
            temperature: at which the writer draws.
            seed: of the first story's coins; the next takes the next.

        Raises:
            ValueError: where the two speak of different tokens, or no story is long enough.
        """
        if not shares_vocabulary(writer, judge):
            raise ValueError(
                f"{judge.name} has other tokens than {writer.name}: choose a judge of its family."
            )
        length = n_prompt + n_tokens
        self.stories = [list(story[:length]) for story in stories if len(story) >= length]
        if not self.stories:
            raise ValueError(f"No story has {length} tokens: choose a shorter stretch.")
        self.writer, self.judge = writer, judge
        self.n_prompt, self.n_tokens, self.seed = n_prompt, n_tokens, seed
        self.settings = Settings(temperature=temperature)
        shape = (len(self.stories), n_tokens)
        names = (
            *("true_text", "forced", "free", "writer_loss", "writer_loss_free"),
            *("kl_forced", "kl_free"),
        )
        self._found: dict[str, Floats] = {name: np.full(shape, np.nan) for name in names}
        self._n_read = self._n_written = 0
        self._texts: tuple[Batch, ...] = ()
        self._runs = np.ones(len(self.stories), dtype=bool)

    @property
    def is_done(self) -> bool:
        """Whether every position is measured."""
        return self._n_written >= self.n_tokens

    @property
    def done(self) -> float:
        """The fraction that is measured."""
        n_all = len(self.stories) + self.n_tokens
        return (self._n_read + self._n_written) / n_all

    def advance(self) -> None:
        """Reads one more story, or writes one more token in all of them."""
        if self._n_read < len(self.stories):
            self._teach(self._n_read)
            self._n_read += 1
        else:
            if not self._texts:
                self._texts = self._begin()
            self._run_free(self._n_written)
            self._n_written += 1

    def exposure(self) -> Exposure:
        """Returns what is measured so far; NaN where nothing is yet."""
        return Exposure(
            writer=self.writer.name,
            judge=self.judge.name,
            n_prompt=self.n_prompt,
            temperature=self.settings.temperature,
            **{name: values.copy() for name, values in self._found.items()},
        )

    def _teach(self, row: int) -> None:
        """Teacher forcing: one pass over the true story gives every position at once."""
        story = self.stories[row]
        places = slice(self.n_prompt - 1, len(story) - 1)
        writer = read_whole(self.writer, story)[places]
        judge = writer if self.judge is self.writer else read_whole(self.judge, story)[places]
        true_ids = (np.arange(self.n_tokens), story[self.n_prompt :])
        self._found["true_text"][row] = -judge[true_ids]
        self._found["writer_loss"][row] = -writer[true_ids]
        self._found["forced"][row] = expected_surprise(writer, judge, self.settings.temperature)
        self._found["kl_forced"][row] = divergence(judge, writer)

    def _begin(self) -> tuple[Batch, ...]:
        prompts = [story[: self.n_prompt] for story in self.stories]
        models = [self.writer] if self.judge is self.writer else [self.writer, self.judge]
        return tuple(Batch(lm, prompts) for lm in models)

    def _run_free(self, column: int) -> None:
        """Free running: the same two questions, after what the writer wrote itself."""
        texts, runs = self._texts, self._runs
        writer, judge = texts[0].logprobs, texts[-1].logprobs
        surprise = expected_surprise(writer, judge, self.settings.temperature)
        self._found["free"][runs, column] = surprise[runs]
        self._found["kl_free"][runs, column] = divergence(judge, writer)[runs]
        true_ids = [story[self.n_prompt + column] for story in self.stories]
        loss = -writer[np.arange(len(true_ids)), true_ids]
        self._found["writer_loss_free"][runs, column] = loss[runs]
        if column + 1 == self.n_tokens:
            return
        n_rows = len(self.stories)
        seeds = range(self.seed, self.seed + n_rows)
        chosen = texts[0].draw([self.settings] * n_rows, list(seeds), self.n_prompt)
        self._runs = runs & ~np.isin(chosen, list(self.writer.end_ids))
        for each in texts:
            each.append(chosen)


def expected_surprise(writer: LogProbs, judge: LogProbs, temperature: float = 1.0) -> Floats:
    """Returns the judge's surprise at a draw of the writer, over all tokens that it could draw.

    Args:
        writer: (positions, vocab) log-probabilities at temperature 1.
        judge: the same of the judge.
        temperature: of the draw; 0 takes the best token.
    """
    if temperature == 0:
        best = writer.argmax(axis=-1)
        return -np.take_along_axis(judge, best[..., None], axis=-1)[..., 0]
    weights = np.exp(log_softmax(writer / temperature))
    # what is never drawn surprises nobody
    found: Floats = -(weights * np.where(weights > 0, np.maximum(judge, -1e4), 0.0)).sum(axis=-1)
    return found
