"""A layer of the key-value cache with room behind it: a token is one write, and nothing is copied.

transformers' own layer concatenates: each token copies the keys and values of all before it. Here
room for 16 more positions is taken at a time, as paged caches take their blocks (arXiv 2309.06180),
and a token is written behind the last. Forks share the room as long as each only reads what was
there: the first to go on writes in place, the others take room of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import DynamicLayer

BLOCK = 16  # positions


@dataclass(eq=False, slots=True)
class Storage:
    """Storage that one layer, or several forks of it, write to."""

    keys: torch.Tensor  # (batch, KV heads, a multiple of BLOCK, head size)
    values: torch.Tensor
    n_written: int  # positions that somebody may still look at
    is_shared: bool = False


class BlockLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # half typed by transformers
    """Keys and values of one layer; what is seen of them is a view of the storage."""

    _storage: Storage | None = None

    def update(
        self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any]:
        """Writes new positions behind the old ones and returns all of them."""
        del args, kwargs
        n_old = self.get_seq_length()
        n_new = n_old + key_states.shape[-2]
        storage = self._storage
        if storage is None or not self._may_write(storage, n_old, n_new):
            storage = self._storage = self._move(key_states, value_states, n_old, n_new)
        storage.keys.narrow(2, n_old, n_new - n_old).copy_(key_states)
        storage.values.narrow(2, n_old, n_new - n_old).copy_(value_states)
        storage.n_written = n_new
        self.keys = storage.keys.narrow(2, 0, n_new)
        self.values = storage.values.narrow(2, 0, n_new)
        return self.keys, self.values

    def crop(self, tokens_to_remove: int) -> None:
        """Takes positions off the end; their room can be written again, unless a fork sees it."""
        super().crop(tokens_to_remove)
        storage = self._storage
        if storage is not None and not storage.is_shared:
            storage.n_written = self.get_seq_length()

    def __copy__(self) -> BlockLayer:
        """Returns a fork, which looks at the same room from now on."""
        if self._storage is not None:
            self._storage.is_shared = True
        twin: BlockLayer = object.__new__(type(self))
        vars(twin).update(vars(self))
        return twin

    def _may_write(self, storage: Storage, n_old: int, n_new: int) -> bool:
        """Tells whether the storage is what is looked at, free behind, and no block too large."""
        keys = self.keys
        if keys is None or storage.n_written != n_old:
            return False
        is_seen = keys.data_ptr() == storage.keys.data_ptr() and len(keys) == len(storage.keys)
        return is_seen and whole_blocks(n_new) == storage.keys.shape[2]

    def _move(self, key_states: Any, value_states: Any, n_old: int, n_new: int) -> Storage:
        """Takes new room, as large as needed, and copies what is old into it."""
        old: tuple[Any, ...] = (self.keys, self.values) if n_old else ()
        keys, values = (
            states.new_empty((*states.shape[:2], whole_blocks(n_new), states.shape[-1]))
            for states in (key_states, value_states)
        )
        for tensor, states in zip((keys, values), old, strict=False):
            tensor[:, :, :n_old] = states
        self.dtype, self.device, self.is_initialized = key_states.dtype, key_states.device, True
        return Storage(keys, values, n_old)


def whole_blocks(n_positions: int) -> int:
    """Returns the positions of as many blocks as hold so many."""
    return -(-n_positions // BLOCK) * BLOCK
