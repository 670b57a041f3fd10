"""A constraint's automaton over single bytes, and the texts that it admits."""

import random
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from model.constraints.patterns import over_bytes


class Automaton:
    """What may follow in each state, by byte."""

    def __init__(self, pattern: str) -> None:
        index: Any
        index, self.start = over_bytes(pattern)
        self.following: dict[int, dict[int, int]] = index.get_transitions()
        self.is_final = index.is_final_state

    def admits(self, text: str) -> bool:
        """Whether a text satisfies the constraint."""
        state: int | None = self.start
        for byte in text.encode():
            state = self.following.get(state, {}).get(byte) if state is not None else None
        return state is not None and bool(self.is_final(state))

    def texts(self, alphabet: bytes, n_texts: int, n_most: int = 200) -> Iterator[str]:
        """The shortest texts of these bytes that it admits, among the first n_most prefixes."""
        return islice(self._texts(alphabet, n_most), n_texts)

    def _texts(self, alphabet: bytes, n_most: int) -> Iterator[str]:
        queue, ways = deque([(self.start, b"")]), self.ways(alphabet)
        for _ in range(n_most):
            if not queue:
                return
            state, text = queue.popleft()
            if self.is_final(state):
                yield text.decode()
            queue += [(after, text + bytes([byte])) for byte, after in ways.get(state, [])]

    def drawn(self, alphabet: bytes, n_texts: int, n_bytes: int = 60) -> Iterator[str]:
        """Longer texts: each a random walk that ends where a text may end."""
        rng, ways = random.Random(n_texts), self.ways(alphabet)
        for _ in range(n_texts):
            state, text = self.start, bytearray()
            while len(text) < n_bytes and (following := ways.get(state)):
                if self.is_final(state) and rng.random() < 0.3:
                    break
                byte, state = rng.choice(following)
                text.append(byte)
            if self.is_final(state):
                yield text.decode()

    def ways(self, alphabet: bytes) -> dict[int, list[tuple[int, int]]]:
        """The bytes that may follow in each state, and the states after them."""
        return {
            state: [
                (byte, after)
                for byte, after in sorted(following.items())
                if byte < 256 and byte in alphabet
            ]
            for state, following in self.following.items()
        }
