"""Constrained decoding: a list of choices, a regular expression or a JSON schema as a mask.

Each becomes a finite automaton over the model's tokens (Willard and Louf, 2307.09702), compiled by
outlines-core. In every state some tokens may follow; the others' logits go to minus infinity and
what is left is scaled up. That looks one token ahead only, and may lead to a dead end, where all
that is allowed is unlikely. `ConstrainedBeamSearch` looks further.
"""

from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from outlines_core import Vocabulary  # type: ignore[import-untyped]  # ships no types

from model.beam_search import BeamSearch
from model.beam_search.records import ROOT, BeamNode
from model.constraints.patterns import MARK, Form, automaton, check_size, explain, pattern_of
from model.constraints.records import (
    ConstrainedStep,
    ConstrainedText,
    MaskedDistribution,
    MaskedToken,
)
from model.draw import best_ids, uniform_at
from model.generation import Generation, choose
from model.language_model import LanguageModel
from model.records import Stage
from model.sampling import Settings, process
from model.token_bytes import alphabet_of, token_bytes
from model.tokenizing import label, text_of

N_SHOWN = 6  # tokens of a distribution that are on record: the best, and the best allowed


class Constraint:
    """What may be written, as an automaton over one model's tokens.

    Attributes:
        pattern: the regular expression that all kinds come down to.
        start: the state before the first token.
    """

    def __init__(self, lm: LanguageModel, kind: Form, source: str) -> None:
        """Compiles a constraint.

        Args:
            lm: the model whose tokens are the automaton's letters.
            kind: "choices" takes one text to a line, "pattern" a regular expression, "schema" a
                JSON schema.
            source: as it was typed.

        Raises:
            ValueError: where it cannot be read, or nothing at all can satisfy it.
        """
        self.lm, self.pattern = lm, pattern_of(kind, source)
        check_size(self.pattern, lm.vocab_size)
        self._end_id = min(lm.end_ids, default=lm.vocab_size)
        try:
            self._index, self.start = automaton(self.pattern, _vocabulary(lm), _mark_id(lm))
        except ValueError as error:
            raise ValueError(explain(str(error))) from error

    def allowed(self, state: int) -> npt.NDArray[np.intp]:
        """Returns the ids that may follow in a state; the end token where the text is complete."""
        ids = self._index.get_allowed_tokens(state) or ()
        return np.array(sorted(i for i in ids if i < self.lm.vocab_size), dtype=np.intp)

    def after(self, state: int, token_id: int) -> int:
        """Returns the state after a token that is allowed."""
        following = self._index.get_next_state(state, token_id)
        return state if following is None else int(following)

    def is_complete(self, state: int) -> bool:
        """Tells whether the text satisfies the constraint as it stands."""
        return bool(self._index.is_final_state(state))

    def is_over(self, state: int) -> bool:
        """Tells whether the text is complete and nothing but an end may follow."""
        return self.is_complete(state) and not set(self.allowed(state)) - {self._end_id}


class ConstrainedGeneration:
    """A text that is generated under a constraint, step by step, back and forth.

    Attributes:
        text: the model's text; the constraint holds for what is generated.
        steps: one record per generated token.
    """

    def __init__(self, text: Generation, constraint: Constraint) -> None:
        """Begins after a prompt that was read; the text is this object’s from now on."""
        self.text, self.constraint = text, constraint
        self.steps: list[ConstrainedStep] = []
        self._states = [constraint.start]

    @property
    def state(self) -> int:
        """Where the automaton is."""
        return self._states[-1]

    @property
    def is_complete(self) -> bool:
        """Whether what is written satisfies the constraint."""
        ended = bool(self.text.steps) and self.text.finished == "eos"
        return ended or self.constraint.is_complete(self.state)

    @property
    def is_done(self) -> bool:
        """Whether nothing may follow."""
        return self.text.finished is not None or self.constraint.is_over(self.state)

    def look(self, settings: Settings) -> MaskedDistribution:
        """Returns the next distribution and what the constraint leaves of it."""
        logits, ids = self.text.logits, self.constraint.allowed(self.state)
        raw = process(logits, [], Settings())[0]
        last = self._masked(ids, settings)
        near = best_ids(logits, N_SHOWN)
        shown = {*near.tolist(), *ids[best_ids(logits[ids], N_SHOWN)].tolist()}
        is_allowed = set(ids.tolist())
        return MaskedDistribution(
            tokens=tuple(
                MaskedToken(
                    label=label(self.text.lm.tokenizer, i),
                    prob=float(raw.probs[i]),
                    masked_prob=float(last.probs[i]),
                    is_allowed=i in is_allowed,
                )
                for i in sorted(shown, key=lambda i: (-raw.probs[i], i))
            ),
            mass=float(raw.probs[ids].sum()),
            n_allowed=len(ids),
            n_vocab=len(logits),
        )

    def step(self, settings: Settings) -> ConstrainedStep:
        """Writes one token that the constraint allows."""
        # ask: which tokens may follow here
        ids = self.constraint.allowed(self.state)

        # Cut: all others to minus infinity; what is left is scaled up
        stage = self._masked(ids, settings)

        # Draw: as ever, from what is left
        chosen = choose([stage], uniform_at(self.text.seed, len(self.text.ids)))

        # advance: the automaton takes the token, and so does the model
        raw = process(self.text.logits, [], Settings())[0]
        best = int(best_ids(self.text.logits, 1)[0])
        step = ConstrainedStep(
            label=label(self.text.lm.tokenizer, chosen),
            prob=float(raw.probs[chosen]),
            mass=float(raw.probs[ids].sum()),
            wanted=label(self.text.lm.tokenizer, best),
            wanted_prob=float(raw.probs[best]),
        )
        self.text.step(token_id=chosen)
        self._states.append(self.constraint.after(self.state, chosen))
        self.steps.append(step)
        return step

    def back(self) -> None:
        """Takes the last token back."""
        self.text.rewind(1)
        self._states.pop()
        self.steps.pop()

    def result(self) -> ConstrainedText:
        """Sums up what was generated so far."""
        generated = self.text.ids[self.text.n_prompt :]
        text = text_of(self.text.lm.tokenizer, generated)
        return ConstrainedText(text, self.text.logprob, self.is_complete)

    def _masked(self, ids: npt.NDArray[np.intp], settings: Settings) -> Stage:
        scores = np.full_like(self.text.logits, -np.inf)
        scores[ids] = self.text.logits[ids]
        return process(scores, self.text.ids, settings, self.text.n_prompt)[-1]


class ConstrainedBeamSearch(BeamSearch):
    """Beam search under a constraint: it ranks whole prefixes, so it can turn back in time."""

    def __init__(
        self, start: Generation, constraint: Constraint, n_beams: int, max_new_tokens: int
    ) -> None:
        super().__init__(start, n_beams, max_new_tokens=max_new_tokens)
        self.constraint = constraint
        self._states = {ROOT: constraint.start}

    def allowed(self) -> npt.NDArray[np.bool_]:
        """Tells which tokens may follow which beam."""
        mask = np.zeros((len(self.beams), self.lm.vocab_size), dtype=np.bool_)
        for row, beam in enumerate(self.beams):
            mask[row, self.constraint.allowed(self._state(beam))] = True
        return mask

    def is_end(self, row: int, token_id: int) -> bool:
        """Tells whether nothing may follow a token after one of the beams."""
        after = self.constraint.after(self._state(self.beams[row]), token_id)
        return token_id in self.end_ids or self.constraint.is_over(after)

    def result(self) -> ConstrainedText:
        """Goes on to the end, and returns the likeliest text."""
        best = self.run()[0]
        return ConstrainedText(best.text, best.total, best.ended)

    def _is_end_of(self, node: BeamNode) -> bool:
        is_whole = self.constraint.is_complete(self._state(node.node_id))
        return is_whole or node.token_id in self.end_ids

    def _state(self, node_id: int) -> int:
        if node_id not in self._states:
            node = self.nodes[node_id]
            self._states[node_id] = self.constraint.after(self._state(node.parent), node.token_id)
        return self._states[node_id]


_VOCABULARIES: WeakKeyDictionary[LanguageModel, Vocabulary] = WeakKeyDictionary()


def _mark_id(lm: LanguageModel) -> int:
    """Returns an id of no token, which stands for MARK."""
    return lm.vocab_size + 1


def _vocabulary(lm: LanguageModel) -> Vocabulary:
    """Returns the bytes of every token but the special ones, made once per model."""
    if lm not in _VOCABULARIES:
        special = alphabet_of(lm.tokenizer).special_ids
        letters: dict[bytes, list[int]] = {MARK: [_mark_id(lm)]}
        for token_id in range(lm.vocab_size):
            token = lm.tokenizer.convert_ids_to_tokens(token_id)
            if token and token_id not in special:
                data = token_bytes(lm.tokenizer, token_id, str(token))
                letters.setdefault(data, []).append(token_id)
        letters.pop(b"", None)
        _VOCABULARIES[lm] = Vocabulary(min(lm.end_ids, default=lm.vocab_size), letters)
    return _VOCABULARIES[lm]
