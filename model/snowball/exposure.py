"""Teacher forcing against free running: a model after true tokens, and after its own.

In training a model reads true text only; when it writes, it reads what it wrote itself. With a
judge J and a writer W the expected surprise of J at a draw of W is sum W(x) * -log J(x), exact at
each position, and KL(J || W) is how much the writer loses against the judge there (Arora et al.
2022, arXiv 2204.01171, who take a larger model for the truth as well).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.batch import Batch, read_whole
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.masks import LogProbs, divergence, log_softmax
from model.sampling import Settings
from model.snowball.records import Exposure, Floats
from model.tokenizing import shares_vocabulary

AFTER_TRUE = ("forced", "kl_forced", "writer_loss", "true_text")  # of the record
AFTER_OWN = ("free", "kl_free", "writer_loss_free")


def measure_exposure(
    writer: LanguageModel,
    judge: LanguageModel,
    stories: Sequence[Sequence[int]],
    *,
    n_prompt: int = 24,
    n_tokens: int = 96,
    temperature: float = 1.0,
    first_seed: int = 0,
) -> Work[Exposure]:
    """Judges a writer on some stories after true tokens, then after its own.

    The writer is examined by a judge of the same tokens, itself where there is no other. Both ways
    begin with `n_prompt` true tokens of each story; stories that are too short are left out.

    Raises:
        ValueError: where the two have different tokens, or no story is long enough.
    """
    if not shares_vocabulary(writer, judge):
        raise ValueError(
            f"{judge.name} has other tokens than {writer.name}: choose a judge of its family, or "
            "the writer itself."
        )
    length, settings = n_prompt + n_tokens, Settings(temperature=temperature)
    texts = np.array([story[:length] for story in stories if len(story) >= length])
    if not len(texts):
        raise ValueError(f"No story has {length} tokens: choose fewer positions.")
    n_stories = len(texts)
    shape, n_all = (n_stories, n_tokens), n_stories + n_tokens
    measured = {name: np.full(shape, np.nan) for name in (*AFTER_TRUE, *AFTER_OWN)}
    expected_forced, expected_free = np.full((2, 2, *shape), -1)  # by the writer, by the judge
    drawn = np.full(shape, -1)  # by the writer; none after an end

    def look() -> Exposure:
        copies = {name: values.copy() for name, values in measured.items()}
        return Exposure(
            writer.name,
            judge.name,
            temperature,
            **copies,
            expected_forced=expected_forced.copy(),
            expected_free=expected_free.copy(),
            stories=tuple(map(tuple, texts.tolist())),
            written=tuple(
                (*prompt, *own[own >= 0].tolist())
                for prompt, own in zip(texts[:, :n_prompt].tolist(), drawn, strict=True)
            ),
        )

    models = [writer] if judge is writer else [writer, judge]
    # teacher forcing: one pass over a true story gives all its positions at once
    for row, story in enumerate(texts):
        yield Progress(row, n_all, "stories with teacher forcing, then positions", look)
        own, *others = (read_whole(lm, story.tolist(), n_tokens + 1)[:-1] for lm in models)
        other = others[0] if others else own
        values = _judge(own, other, story[n_prompt:], temperature)
        for name, now in zip(AFTER_TRUE, values, strict=True):
            measured[name][row] = now
        expected_forced[:, row] = own.argmax(axis=-1), other.argmax(axis=-1)

    # free running: the same questions, after what the writer wrote itself
    batches: list[Batch] = []
    runs = np.ones(n_stories, dtype=bool)
    seeds = range(first_seed, first_seed + n_stories)
    for column in range(n_tokens):
        yield Progress(n_stories + column, n_all, "positions with free running", look)
        if not batches:
            batches = [Batch(lm, texts[:, :n_prompt].tolist()) for lm in models]
        else:
            chosen = batches[0].draw([settings] * n_stories, seeds, n_prompt)
            runs &= ~np.isin(chosen, list(writer.end_ids))
            drawn[runs, column - 1] = np.asarray(chosen)[runs]
            for batch in batches:
                batch.append(chosen)
        true_ids = texts[:, n_prompt + column]
        logprobs = [batch.logprobs_with(true_ids[:, None].tolist()) for batch in batches]
        values = _judge(logprobs[0], logprobs[-1], true_ids, temperature)
        for name, now in zip(AFTER_OWN, values, strict=False):
            measured[name][runs, column] = now[runs]
        own, other = logprobs[0][runs], logprobs[-1][runs]
        expected_free[:, runs, column] = own.argmax(axis=-1), other.argmax(axis=-1)
    return look()


def _judge(
    writer: LogProbs, judge: LogProbs, true_ids: npt.NDArray[np.int_], temperature: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Returns the judge's expected surprise, KL, and both losses."""
    truth = (np.arange(len(true_ids)), true_ids)
    surprise = expected_surprise(writer, judge, temperature)
    return surprise, divergence(judge, writer), -writer[truth], -judge[truth]


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
    surprise: Floats = -(weights * np.where(weights > 0, np.maximum(judge, -1e4), 0.0)).sum(axis=-1)
    return surprise
