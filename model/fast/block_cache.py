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
class Room:
    """Storage that one layer, or several forks of it, write to."""

    keys: torch.Tensor  # (batch, KV heads, a multiple of BLOCK, head size)
    values: torch.Tensor
    n_written: int = 0  # positions that somebody may still look at
    is_shared: bool = False


class RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # half typed by transformers
    """Keys and values of one layer; what is seen of them is a view of the room."""

    _room: Room | None = None

    def update(
        self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any]:
        """Writes new positions behind the old ones and returns all of them."""
        del args, kwargs
        n_old = self.get_seq_length()
        n_new = n_old + key_states.shape[-2]
        room = self._room
        if room is None or not self._may_write(room, n_old, n_new):
            room = self._room = self._move(key_states, value_states, n_old, n_new)
        room.keys.narrow(2, n_old, n_new - n_old).copy_(key_states)
        room.values.narrow(2, n_old, n_new - n_old).copy_(value_states)
        room.n_written = n_new
        self.keys = room.keys.narrow(2, 0, n_new)
        self.values = room.values.narrow(2, 0, n_new)
        return self.keys, self.values

    def crop(self, tokens_to_remove: int) -> None:
        """Takes positions off the end; their room can be written again, unless a fork sees it."""
        super().crop(tokens_to_remove)
        room = self._room
        if room is not None and not room.is_shared:
            room.n_written = self.get_seq_length()

    def share(self) -> None:
        """Tells that a fork looks at the same room from now on."""
        if self._room is not None:
            self._room.is_shared = True

    def _may_write(self, room: Room, n_old: int, n_new: int) -> bool:
        """Whether the room is still what is looked at, free behind that, and no block too large."""
        keys = self.keys
        if keys is None or room.n_written != n_old:
            return False
        is_seen = keys.data_ptr() == room.keys.data_ptr() and len(keys) == len(room.keys)
        return is_seen and whole_blocks(n_new) == room.keys.shape[2]

    def _move(self, key_states: Any, value_states: Any, n_old: int, n_new: int) -> Room:
        """Takes new room, as large as needed, and copies what is old into it."""
        old: tuple[Any, ...] = (self.keys, self.values) if n_old else ()
        found = []
        for states in (key_states, value_states):
            shape = (*states.shape[:2], whole_blocks(n_new), states.shape[-1])
            found.append(states.new_empty(shape))
        for storage, states in zip(found, old, strict=False):
            storage[:, :, :n_old] = states
        self.dtype, self.device, self.is_initialized = key_states.dtype, key_states.device, True
        return Room(*found)


def whole_blocks(n_positions: int) -> int:
    """Returns the positions of as many blocks as hold so many."""
    return -(-n_positions // BLOCK) * BLOCK
