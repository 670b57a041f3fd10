"""Stop strings, and what of a text may be sent while it is written.

A stop string is not a mask: it is a test on the text, made after each token. It may be spread over
several tokens, begin in the middle of one and end in the middle of another, so that a client that
is not to see it is sent nothing that may be its beginning. A character whose bytes are not complete
waits as well. This module knows bytes, and neither tokens nor a model; only what was generated is
tested, as vLLM does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from model.records import Finish
from model.sentences import Sentence
from model.token_bytes import characters, n_unfinished

MAX_STRINGS = 4
MAX_CHARACTERS = 40  # of one string
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


@dataclass(frozen=True)
class Match:
    """A stop string in a text."""

    string: str
    begin: int  # bytes of the text before it
    end: int  # bytes of the text up to its end


@dataclass(frozen=True)
class StopStrings:
    """The strings of which the first to be complete ends a text."""

    strings: tuple[str, ...] = ()
    keep: bool = False  # whether the string stays in the text: vLLM's include_stop_str_in_output

    def __post_init__(self) -> None:
        """Raises ValueError, with the remedy, for strings that no text can be tested for."""
        if len(self.strings) > MAX_STRINGS:
            raise ValueError(
                Sentence(
                    "There are {n_strings} stop strings: use at most {most}.",
                    n_strings=len(self.strings),
                    most=MAX_STRINGS,
                )
            )
        for string in self.strings:
            if not 0 < len(string) <= MAX_CHARACTERS:
                raise ValueError(
                    Sentence(
                        "A stop string has {n_characters} characters: use 1 to {most}.",
                        n_characters=len(string),
                        most=MAX_CHARACTERS,
                    )
                )
            if any("\ud800" <= character <= "\udfff" for character in string):
                raise ValueError(Sentence("A stop string holds half a character: write it again."))

    @classmethod
    def of(cls, stop: StopStrings | str | Sequence[str]) -> StopStrings:
        """Returns strings, or a single one, as `StopStrings`."""
        if isinstance(stop, StopStrings):
            return stop
        return cls((stop,) if isinstance(stop, str) else tuple(stop))

    def find(self, text: bytes, n_tested: int = 0) -> Match | None:
        """Returns the match that is complete first; of those that end together, the longest.

        Args:
            text: All that was generated, or the end of it.
            n_tested: Bytes at the beginning in which no match may end.
        """
        matches = []
        for string in self.strings:
            sought = string.encode()
            begin = text.find(sought, max(0, n_tested - len(sought) + 1))
            if begin >= 0:
                matches.append(Match(string, begin, begin + len(sought)))
        return min(matches, key=lambda match: (match.end, match.begin), default=None)

    def completed(self, newest_first: Iterable[bytes]) -> str | None:
        """Returns the stop string that the newest token completes.

        Args:
            newest_first: The bytes of the generated tokens, from the last to the first; as many are
                read as a match can be spread over.
        """
        if not self.strings:
            return None
        longest = max(len(string.encode()) for string in self.strings)
        tokens = iter(newest_first)
        newest, before = next(tokens, b""), b""
        while newest and len(before) < longest - 1 and (token := next(tokens, None)) is not None:
            before = token + before
        match = self.find(before + newest, len(before))
        return match.string if match else None

    def n_begun(self, text: bytes) -> int:
        """Returns how many bytes at the end of a text may be the beginning of a stop string."""
        sought = [string.encode() for string in self.strings]
        starts = {whole[:n] for whole in sought for n in range(1, len(whole))}
        return max((len(start) for start in starts if text.endswith(start)), default=0)


NO_STOP = StopStrings()


@dataclass(frozen=True)
class Stream:
    """What a client was sent of a text, and what is held, after so many of its tokens.

    What was sent is never taken back: `sent` only grows.
    """

    stop: StopStrings = NO_STOP
    text: bytes = b""  # all that the model wrote
    n_sent: int = 0  # of these bytes
    match: Match | None = None  # that ended the text

    def after(self, token: bytes) -> Stream:
        """Returns the stream after another token; once a match was found nothing follows."""
        if self.match is not None:
            return self

        # test: is a stop string complete, with a byte of this token as its last?
        text = self.text + token
        match = self.stop.find(text, len(self.text))
        if match is not None:
            n_sent = match.end if self.stop.keep else match.begin
            return replace(self, text=text, n_sent=n_sent, match=match)

        # hold: the beginning of a stop string, or else of a character
        n_held = 0 if self.stop.keep else self.stop.n_begun(text)
        return replace(self, text=text, n_sent=len(text) - (n_held or n_unfinished(text)))

    def ended(self) -> Stream:
        """Returns the stream once no token follows: what is held is sent, but half a character."""
        if self.match is not None:
            return self
        return replace(self, n_sent=len(self.text) - n_unfinished(self.text))

    @property
    def sent(self) -> str:
        """The characters that the client has received."""
        return characters(self.text[: self.n_sent])

    @property
    def rest(self) -> bytes:
        """What the client does not have: it is held, or left out once a match was found."""
        return self.text[self.n_sent :]


def refuse_if_finished(finished: Finish | None) -> None:
    """Raises ValueError after the end of a text, for the reason of its end."""
    match finished:
        case "eos":
            raise ValueError(
                Sentence("The text is finished (an end token): go back, or start a new one.")
            )
        case "stop":
            raise ValueError(
                Sentence("The text is finished (a stop string): go back, or start a new one.")
            )
        case "length":
            raise ValueError(
                Sentence("The text is finished (the greatest length): go back, or start a new one.")
            )


def read_strings(lines: str) -> tuple[str, ...]:
    r"""Returns the stop strings of a field, one a line; `\n` is a line break, `\t` a tab."""
    return tuple(
        re.sub(r"\\([nt\\])", lambda found: _ESCAPES[found[1]], line)
        for line in lines.replace("\r\n", "\n").split("\n")
        if line
    )
