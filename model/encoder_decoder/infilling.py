"""Filling gaps with an encoder-decoder: the input is read once, the answer is written by the loop.

The encoder reads the whole text, both ways, in one pass. The decoder then writes token by token and
looks at the encoder's states through cross-attention. So there are two caches: the keys and values
of the encoder's states, which are made once and never change, and those of the decoder's own
tokens, which grow by one position a step.
"""

import numpy as np
import torch
from transformers import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput

from model import kv_cache
from model.encoder_decoder.gaps import GAP, segments, sentinel_ids, with_sentinels
from model.encoder_decoder.records import Segment, TwoCaches
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.passes import Logits, check_context, run_pass
from model.records import FloatArray
from model.tokenizing import START, encode, labels_of, labels_of_text, text_of

MAX_TOKENS = 48  # that are written, unless said otherwise


class Infilling:
    """One text with gaps and what is written into them, token by token.

    Attributes:
        source_ids: what the encoder reads.
        states: what it made of it, (1, source, hidden): read once, used by every step.
        ids: what the decoder has read or is about to, its start token first.
        finished: None, "eos" after an end token, "gaps" after a sentinel that no gap of the text
            has, or "length" where there is no room for more.
    """

    def __init__(self, lm: LanguageModel, text: str, max_new_tokens: int = MAX_TOKENS) -> None:
        """Reads the text: the encoder's one pass runs here.

        A gap is two or more underscores: "The ___ sat on the ___."

        Raises:
            ValueError: where the model or the text will not do; the message says what will.
        """
        if lm.kind != "seq2seq":
            raise ValueError(
                f"{lm.shown} is a {lm.kind} model, which has no encoder: choose one with an "
                "encoder and a decoder, such as gapfiller."
            )
        self.lm, self.max_new_tokens, self.text = lm, max_new_tokens, text
        self.source_ids = encode(lm, with_sentinels(lm, text))
        check_context(lm, len(self.source_ids))
        self._sentinels = sentinel_ids(lm)
        self.ids: list[int] = [lm.model.config.decoder_start_token_id]
        self.n_encoder_passes = 0
        self._first_states, self.encoder_seconds = self._encode()
        self._first_keys: list[torch.Tensor] = []
        self._cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        self._bytes = [(0, 0)]  # of the cross-attention cache and of the decoder's own
        self.finished: str | None = None

    def step(self) -> int:
        """Writes one token, the likeliest, and returns it."""
        # Read: one pass over the newest token; the rest comes from the two caches
        logits = self._decode(self.ids[-1])

        # Draw: the likeliest token, the lowest id on ties
        chosen = int(logits.argmax())

        # Append: it is the decoder's next input
        self.ids.append(chosen)
        self._bytes.append(self._count_bytes())
        if chosen in self.lm.end_ids:
            self.finished = "eos"
        elif chosen in self._sentinels[len(GAP.findall(self.text)) :]:
            self.finished = "gaps"
        elif len(self.written_ids) >= self.max_new_tokens:
            self.finished = "length"
        return chosen

    def back(self) -> None:
        """Takes the last token back; only the decoder's own cache is cropped."""
        kv_cache.crop(self._cache.self_attention_cache, 1)
        self.finished = None
        del self.ids[-1], self._bytes[-1]

    @property
    def n_done(self) -> int:
        """Tokens written so far."""
        return len(self.ids) - 1

    @property
    def is_at_sentinel(self) -> bool:
        """Whether the newest token begins a gap's piece and is no word of it."""
        return self.ids[-1] in self._sentinels

    @property
    def written_ids(self) -> list[int]:
        """What has been written so far."""
        return self.ids[1:]

    @property
    def filled_text(self) -> str:
        """The text with its gaps filled, as far as they have been written."""
        return "".join(one.text for one in self.segments)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The same text in pieces: what was given, what was written, what is open."""
        return segments(self.text, self.answers)

    @property
    def answers(self) -> list[str]:
        """What has been written for each gap, up to the last one that has been begun.

        A gap's own sentinel says where its piece begins; where it comes again, the first counts.
        """
        pieces: dict[int, list[int]] = {}
        piece: list[int] = []  # what comes before the first sentinel is for no gap
        for token_id in self.written_ids:
            if token_id in self._sentinels:
                piece = []
                pieces.setdefault(self._sentinels.index(token_id), piece)
            else:
                piece.append(token_id)
        n_gaps = len(GAP.findall(self.text))
        last = max((gap for gap in pieces if gap < n_gaps), default=-1)
        return [text_of(self.lm.tokenizer, pieces.get(gap, [])) for gap in range(last + 1)]

    def look(self) -> TwoCaches:
        """Returns both caches as they stand, with their bytes after every step."""
        cross, own = (self._cache.cross_attention_cache, self._cache.self_attention_cache)
        return TwoCaches(
            cross=_sizes(cross),
            own=_sizes(own),
            source_labels=labels_of_text(self.lm, self.source_ids),
            written_labels=(START, *labels_of(self.lm, self.ids[1:]))[: len(self._bytes) - 1],
            cross_bytes=tuple(one for one, _ in self._bytes),
            own_bytes=tuple(one for _, one in self._bytes),
            encoder_seconds=self.encoder_seconds,
            n_encoder_passes=self.n_encoder_passes,
            drift=self._drift(),
        )

    @torch.inference_mode()
    def _encode(self) -> tuple[Logits, float]:
        """Runs the encoder over the text; returns a copy of its states, and the seconds."""

        def read() -> torch.Tensor:
            inputs = torch.tensor([self.source_ids], device=self.lm.device)
            self.states = self.lm.model.get_encoder()(inputs).last_hidden_state
            first: torch.Tensor = self.states[0]
            return first

        self.n_encoder_passes += 1
        return run_pass(self.lm, len(self.source_ids), read)

    def _decode(self, token_id: int) -> Logits:
        """Runs the decoder over one more token."""
        states = BaseModelOutput(last_hidden_state=self.states)
        logits, _ = run_pass(
            self.lm,
            1,
            lambda: self.lm.model(
                encoder_outputs=states,
                decoder_input_ids=torch.tensor([[token_id]], device=self.lm.device),
                past_key_values=self._cache,
                use_cache=True,
            ).logits[0, -1],
        )
        if not self._first_keys:
            now = _keys(self._cache.cross_attention_cache)
            with lock_of(self.lm.device):
                self._first_keys = [keys.clone() for keys in now]
        return logits

    def _count_bytes(self) -> tuple[int, int]:
        cross, own = self._cache.cross_attention_cache, self._cache.self_attention_cache
        return (
            kv_cache.bytes_in_use(cross, len(self.source_ids)),
            kv_cache.bytes_in_use(own, len(self.written_ids)),
        )

    @torch.inference_mode()
    def _drift(self) -> float:
        """Returns how far the states and the cross-attention keys are from what they were."""
        pairs = zip(_keys(self._cache.cross_attention_cache), self._first_keys, strict=True)
        with lock_of(self.lm.device):
            gaps = [np.abs(self.states[0].float().cpu().numpy() - self._first_states).max()]
            return max(map(float, [*gaps, *((keys - first).abs().max() for keys, first in pairs)]))


def _keys(cache: DynamicCache) -> list[torch.Tensor]:
    """Lists the keys of each layer, (1, heads, positions, size); none before the first step."""
    found = (getattr(layer, "keys", None) for layer in cache.layers)
    return [keys for keys in found if isinstance(keys, torch.Tensor)]


def _sizes(cache: DynamicCache) -> FloatArray:
    """Returns the root mean square of each key, (layers, heads, positions)."""
    sizes = [kv_cache.head_sizes(keys) for keys in _keys(cache)]
    return np.stack(sizes) if sizes else np.zeros((0, 0, 0), dtype=np.float32)
