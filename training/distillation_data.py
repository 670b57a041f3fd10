"""What a teacher writes, and how sure it was of every next token: the text that a draft learns on.

On the text that it was trained on a teacher knows by heart what comes next, and is far surer than
it will be at work; what it writes itself is what its draft will meet (arXiv 2310.08461). Its best
next tokens and their probabilities are kept beside each token, so that a text is read by the
teacher once and by the draft as often as it likes.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm  # type: ignore[import-untyped]  # tqdm ships no types
from transformers import DynamicCache, PreTrainedModel

from model.kv_cache.block_cache import BlockLayer
from training.checkpoint import writing
from training.corpus import END_ID, CorpusError, Mixture

N_BEST = 64  # next tokens whose probability is kept; nineteen twentieths of all there is
ONE = 65_535  # a probability of 1, as it is kept
ROWS, TOKENS = 128, 256  # of one file
# most of it as it comes, some nearer to what greedy decoding writes
TEMPERATURES = (1.0, 1.0, 1.0, 0.6)
LESSONS = "lessons"  # their name in a mixture

LessonRows: TypeAlias = npt.NDArray[np.uint16]  # (rows, tokens, 1 + 2 N_BEST): id, best ids, probs


def write_lessons(teacher: PreTrainedModel, folder: Path, n_tokens: int, seed: int) -> None:
    """Lets the teacher write until so many tokens are there; goes on where an earlier call ended.

    Args:
        teacher: on its device, in the dtype to compute in.
        folder: of the files, one for 32,768 tokens.
        n_tokens: rounded up to whole files.
        seed: of the pointers; each file has its own.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for number in tqdm(range(-(-n_tokens // (ROWS * TOKENS)))):
        path = folder / f"{number:04}.npy"
        if not path.exists():
            rows = write_rows(teacher, seed * 100_000 + number)
            with writing(path):
                np.save(path.with_suffix(".part.npy"), rows)
                path.with_suffix(".part.npy").rename(path)


@torch.inference_mode()
def write_rows(teacher: PreTrainedModel, seed: int) -> LessonRows:
    """Writes one text a row, from an opening bos on; behind the end of a story begins another."""
    random = torch.Generator().manual_seed(seed)
    temperatures = torch.tensor(TEMPERATURES * (ROWS // len(TEMPERATURES)))[:, None]
    cache = DynamicCache()
    cache.layer_class_to_replicate = BlockLayer
    ids = torch.full((ROWS, 1), END_ID)
    kept = []
    for _ in range(TOKENS):
        # read: each text's last token, all texts in one pass
        passed = teacher(input_ids=ids.to(teacher.device), past_key_values=cache, use_cache=True)
        logits = passed.logits[:, -1].float().cpu()
        # keep: the token, and what the teacher thinks may follow it
        probs, best = logits.softmax(dim=-1).topk(N_BEST)
        kept.append(torch.cat([ids, best, (probs * ONE).round().long()], dim=1))
        # draw: a pointer falls on one of all tokens
        ends = (logits / temperatures).softmax(dim=-1).cumsum(dim=-1)
        pointer = torch.rand(ROWS, 1, generator=random) * ends[:, -1:]
        ids = torch.searchsorted(ends, pointer).clamp(max=ends.shape[1] - 1)
    return torch.stack(kept, dim=1).numpy().astype(np.uint16)


def read_lessons(folder: Path) -> LessonRows:
    """Reads all that was written.

    Raises:
        CorpusError: there is nothing.
    """
    paths = sorted(path for path in folder.glob("*.npy") if ".part" not in path.name)
    if not paths:
        raise CorpusError(
            f"There are no lessons in {folder}: write them with `python -m training lessons`."
        )
    return np.concatenate([np.load(path) for path in paths])


class Lessons:
    """Rows of lessons in a new order in every epoch, and rows of a corpus where a phase asks."""

    def __init__(self, rows: LessonRows, mixture: Mixture, seed: int) -> None:
        """Keeps both; the seed and an epoch's number decide its order."""
        self.lessons, self.mixture, self.seed = rows, mixture, seed
        self.n_taken = 0
        self._next = self._orders(self.n_taken)

    def rows(self, n_rows: int, n_tokens: int, weights: dict[str, float]) -> npt.NDArray[np.int64]:
        """Draws rows: of lessons, (n_rows, n_tokens - 1, 1 + 2 N_BEST), or of the corpus."""
        if LESSONS not in weights:
            return self.mixture.rows(n_rows, n_tokens, weights)
        self.n_taken += n_rows
        chosen = [next(self._next) for _ in range(n_rows)]
        return self.lessons[chosen, : n_tokens - 1].astype(np.int64)

    def _orders(self, n_taken: int) -> Iterator[int]:
        """Yields the lessons' numbers, epoch after epoch, from the n-th on."""
        n_rows = len(self.lessons)
        epoch, n_passed = divmod(n_taken, n_rows)
        while True:
            order = np.random.default_rng([self.seed, epoch]).permutation(n_rows)
            yield from order[n_passed:].tolist()
            epoch, n_passed = epoch + 1, 0

    def state(self) -> dict[str, Any]:
        """Tells where both stand, for a checkpoint."""
        return {"n_taken": self.n_taken, "mixture": self.mixture.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state noted earlier."""
        self.n_taken = state["n_taken"]
        self._next = self._orders(self.n_taken)
        self.mixture.restore(state["mixture"])
