"""Records of a text with gaps, and of the two caches of the model that fills them."""

from dataclasses import dataclass
from typing import Literal

from model.records import FloatArray


@dataclass(frozen=True)
class Segment:
    """A piece of a text with gaps: given, or a gap as far as it has been filled."""

    text: str
    kind: Literal["given", "written", "open"]


@dataclass(frozen=True, eq=False)
class TwoCaches:
    """An encoder-decoder's caches after a step: what was read once, and what grows."""

    cross: FloatArray  # (layers, heads, source) root mean square of each key
    own: FloatArray  # (layers, heads, written) root mean square of each key
    source_labels: tuple[str, ...]  # (source,) what the encoder read
    written_labels: tuple[str, ...]  # (written,) what the decoder read, its start token first
    cross_bytes: tuple[int, ...]  # after each step, counted in the tensors
    own_bytes: tuple[int, ...]  # after each step, counted in the tensors
    encoder_seconds: float  # of its one pass
    n_encoder_passes: int  # counted as they ran
    drift: float  # largest change of the encoder's states and cross keys since the first step
