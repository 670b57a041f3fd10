"""A text that is known to its end: its tokens are forced, so one pass can read a block of them.

As training reads (arXiv 1706.03762): the causal mask keeps each position from those after it, so
every position's logits are what reading token by token gives, but for rounding.
"""

from collections.abc import Sequence

from model import kv_cache
from model.kv_cache.block_cache import whole_blocks
from model.language_model import CachedText, LanguageModel
from model.local import LocalText
from model.machine.turns import TURNS
from model.passes import Logits
from model.records import Pass


def text_ahead(lm: LanguageModel, ids: Sequence[int]) -> CachedText:
    """Returns a text with nothing read, for a Generation whose steps will be forced to these ids.

    Where a cache takes one token at a time, or a server has it, it is read as any text is.
    """
    if lm.local is None or (lm.weights.cache_argument and not kv_cache.can_crop(lm.config)):
        return lm.backend.new_text(lm)
    return TextAhead(lm, ids)


class TextAhead(LocalText):
    """What was read of a known text, and the logits that wait for their step."""

    def __init__(self, lm: LanguageModel, ids: Sequence[int]) -> None:
        """Takes all ids of the text, prompt and generated."""
        super().__init__(lm)
        self._known, self._waiting = list(ids), dict[int, Logits]()

    def read(self, ids: Sequence[int]) -> tuple[Logits, Pass]:
        """Hands out the logits after the first ids; of the whole text, its last token is read.

        Returns:
            The logits for the position after the ids, (vocab,), and the pass of their block.
        """
        n_ids = len(ids)
        if n_ids >= len(self._known):
            return super().read(ids)
        if n_ids not in self._waiting:
            self._pass = self._read_block(n_ids)
        self.logits = self._waiting.pop(n_ids)
        return self.logits, self._pass

    def _read_block(self, n_ids: int) -> Pass:
        """Reads to the end of the cache's block that so many ids reach, but not the last token."""
        end = min(whole_blocks(n_ids), len(self._known) - 1)
        with self._budget.in_use(self), TURNS.step() as is_shared:
            unread = self._known[self.n_read : end]
            rows, seconds = self.lm.backend.read_rows(
                self.lm, [unread], self._cache, n_logits=end - n_ids + 1
            )
            self._ids = self._known[:end]
            self._weigh(0 if self._cache is None else end)
            self._waiting = dict(enumerate(rows[0], start=n_ids))
            return self._describe("prefill", seconds, len(unread), is_shared())
