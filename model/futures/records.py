"""The record of a text in the tree of continuations: what may follow it."""

from dataclasses import dataclass

from model.records import Distribution, IntArray

ROOT = -1  # parent of the prompt


@dataclass(frozen=True, eq=False)
class OpenedText:
    """A text after the prompt, and how likely each next token is."""

    parent: int  # place of the text that is one token shorter, or ROOT
    token_id: int  # its last token; -1 for the prompt itself
    depth: int  # tokens after the prompt
    logprob: float  # nats, of all of them, at temperature 1
    following: Distribution  # raw logits of the next token, its ids always given, best first
    log_weight: float  # log of the sum of exp(logit) over the whole vocabulary

    @property
    def next_ids(self) -> IntArray:
        """The next tokens that are held one by one, best first."""
        assert self.following.ids is not None
        return self.following.ids
