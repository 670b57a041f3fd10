"""A constraint becomes one regular expression, or a sentence that says what is wrong with it.

The automaton of a short pattern can be huge, so each is first built over single bytes in a process
of its own, which can be ended.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeAlias

from outlines_core import Index, Vocabulary  # type: ignore[import-untyped]  # ships no types

from model.constraints.keywords import UNSATISFIABLE
from model.constraints.regex import literal, whole_text
from model.constraints.schema import MAX_CHARACTERS, pattern_of_schema
from model.machine.child import Child, EndedError, answer
from model.sentences import cut

Form: TypeAlias = Literal["choices", "pattern", "schema"]
MAX_CELLS = 50_000_000  # states times tokens: what an automaton over the tokens may weigh
TRIAL_SECONDS = 5.0  # for the automaton over bytes
MARK = b"\x00"  # stands before every text in the automaton, and in no answer of it


def pattern_of(kind: Form, source: str) -> str:
    """Writes any kind of constraint as a regular expression that the whole text has to match.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if not source.strip():
        raise ValueError("The constraint is empty: write what may follow.")
    if len(source) > MAX_CHARACTERS:
        raise ValueError(_too_long("constraint", source))
    try:
        source.encode()
        pattern = _WRITERS[kind](source)
    except UnicodeEncodeError:
        raise ValueError("The constraint holds half a character: paste it again.") from None
    except RecursionError:
        raise ValueError("The constraint is nested too deeply: make it flatter.") from None
    if len(pattern) > MAX_CHARACTERS:
        raise ValueError(_too_long("pattern of this constraint", pattern))
    return pattern


def _any_of(source: str) -> str:
    choices = (line.removesuffix("\r") for line in source.split("\n"))
    return "|".join(literal(line) for line in dict.fromkeys(choices) if line.strip())


_WRITERS: dict[Form, Callable[[str], str]] = {
    "choices": _any_of,
    "pattern": whole_text,
    "schema": pattern_of_schema,
}


def _too_long(name: str, text: str) -> str:
    return f"The {name} has {len(text):,} characters, at most {MAX_CHARACTERS:,} fit: shorten it."


def check_size(pattern: str, n_tokens: int) -> None:
    """Tries how many states a pattern has, before an automaton over all tokens is built.

    Raises:
        ValueError: where that would take too long.
    """
    n_states = _n_states(pattern)
    if n_states is None or n_states * n_tokens > MAX_CELLS:
        raise ValueError("The automaton of this pattern is too large: allow fewer repetitions.")


@lru_cache(maxsize=256)
def _n_states(pattern: str) -> int | None:
    """Counts the states over single bytes; None where it takes too long, 0 where it is broken."""
    with Child("model.constraints.patterns", TRIAL_SECONDS) as child:
        try:
            return int(child.ask(pattern=pattern))
        except EndedError:
            return None
        except ValueError:
            return 0


def count_states(pattern: str) -> int:
    """Counts the states of a pattern's automaton over single bytes, in another process."""
    return len(over_bytes(pattern)[0].get_transitions())


def over_bytes(pattern: str) -> tuple[Index, int]:
    """Returns the automaton of a pattern over single bytes, 256 for the end, and its start."""
    letters = Vocabulary(256, {bytes([byte]): [byte] for byte in range(256)})
    return automaton(pattern, letters, MARK[0])


def automaton(pattern: str, vocabulary: Vocabulary, mark_id: int) -> tuple[Index, int]:
    r"""Returns the automaton of a pattern over some tokens, and the state before the first.

    By itself the compiler prefers the first alternative that matches and forgets the others there:
    of `a|ab` it admits `a` alone. With `\z` a match counts only at the end of the text, so that no
    alternative has a rival. It then needs one byte before the pattern, the mark.

    Args:
        pattern: that the whole text has to match.
        vocabulary: the tokens, MARK among them.
        mark_id: the id of MARK.
    """
    index = Index(rf"\x00(?:{pattern})\z", vocabulary)
    return index, int(index.get_next_state(index.get_initial_state(), mark_id))


def explain(said: str) -> str:
    """Turns what the compiler says into one sentence with the remedy."""
    if "no transitions" in said:
        missing = re.search(r"characters: \[(.+)\]", said)
        return (
            f"No token of this model writes {cut(missing[1])}: leave it out."
            if missing
            else UNSATISFIABLE
        )
    return "The automaton of this pattern is too large: allow fewer repetitions."


if __name__ == "__main__":
    answer(count_states)
