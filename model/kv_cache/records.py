"""Records of the cache lesson: what lies in a cache, what it saves, what of it serves again."""

from dataclasses import dataclass

from model.records import FloatArray, Flops


@dataclass(frozen=True, eq=False)
class CacheGrid:
    """What lies in a cache, one number for each key and each value of a head."""

    keys: FloatArray  # (layers, KV heads, positions) root mean square of each key
    values: FloatArray  # (layers, KV heads, positions) root mean square of each value
    labels: tuple[str, ...]  # visible text of the token at each position
    n_prompt: int  # positions that the prefill added
    n_new: int  # positions that the last pass added
    key_bytes: int  # of one head at one position
    value_bytes: int  # of one head at one position
    is_latent: bool = False  # the two are a latent for keys and values, and a rotary key


@dataclass(frozen=True, eq=False)
class QueryKeyValue:
    """One head at the newest token: what it asks, what every token answers, what it takes."""

    layer: int  # the first is 1
    head: int  # of the query, the first is 1
    kv_head: int  # of the key and the value, which several query heads may share
    labels: tuple[str, ...]  # (tokens,) visible text, the newest token last
    query: FloatArray  # (d,) of the newest token
    keys: FloatArray  # (tokens, d)
    values: FloatArray  # (tokens, d)
    weights: FloatArray  # (tokens,) softmax of query · key ÷ √d, sum 1

    @property
    def output(self) -> FloatArray:
        """The values, mixed by the weights, (d,)."""
        mixed: FloatArray = self.weights @ self.values
        return mixed


@dataclass(frozen=True)
class CacheMoment:
    """The cache at one moment of a rewind."""

    name: str  # "before", "cropped", "after the next pass"
    n_tokens: int  # positions in use
    bytes_in_use: int
    bytes_held: int  # of the storage behind them


@dataclass(frozen=True)
class RaceStep:
    """One more token of a text, with and without the cache, on the same ids."""

    n_tokens: int  # length of the text after it
    cached_seconds: float  # median of the passes over the newest token alone
    recomputed_seconds: float  # median of the passes over the whole text
    logit_gap: float  # largest absolute difference of the two sides' logits
    logit_scale: float  # largest absolute logit of the recomputing side
    same_best: bool  # both sides' best token is the same


@dataclass(frozen=True)
class FlopCheck:
    """A pass that ran under torch's counter, beside the formula."""

    n_input: int
    n_past: int
    counted: Flops
    predicted: Flops


@dataclass(frozen=True)
class StateGap:
    """The largest differences between what was cached and what is computed anew."""

    keys: float
    values: float
    keys_scale: float  # largest absolute key
    values_scale: float  # largest absolute value


@dataclass(frozen=True)
class Race:
    """One text with the cache and without it, as far as it was read."""

    n_runs: int  # passes of each kind at each length, of which the median counts
    steps: tuple[RaceStep, ...]  # one for each token
    gap: StateGap | None = None  # None where there are no keys and values, or none compared yet
    checks: tuple[FlopCheck, ...] = ()  # empty before the end


@dataclass(frozen=True)
class Reread:
    """A text read from a kept beginning on, and the same text from nothing, in the same rounds."""

    n_tokens: int  # of the text
    n_kept: int  # positions that were in the cache: those before the first other token
    seconds: float  # median of the passes that read the rest
    whole_seconds: float  # median of the passes that read all
    logit_gap: float  # largest absolute difference of the two readings' logits
    same_best: bool

    @property
    def n_read(self) -> int:
        """Tokens that were read anew."""
        return self.n_tokens - self.n_kept


@dataclass(frozen=True)
class PrefixReuse:
    """Two prompts with a common start, and the first with a token changed here or there."""

    labels: tuple[str, ...]  # tokens of the second prompt
    n_common: int  # of them the first prompt has as well, at the same places
    n_first: int  # tokens of the first prompt
    n_runs: int  # rounds of which the seconds are medians
    first_seconds: float  # the first prompt, whole
    cache_bytes: int  # of the first prompt, in the tensors
    by_token: Reread  # the second prompt, token by token
    by_block: Reread  # the same where whole blocks are kept
    changes: tuple[Reread, ...]  # the first prompt with a token changed, from its start to its end


@dataclass(frozen=True)
class SharedPrefix:
    """What readers cost who send the same prompt, each alone or all on one common beginning."""

    n_readers: int
    bytes_per_token: float
    bytes_alone: float
    bytes_shared: float
    seconds_alone: float
    seconds_shared: float


@dataclass(frozen=True)
class CachePlan:
    """What one model's cache would take, by its published shape."""

    name: str
    attention: str  # "all heads kept", "8 heads to 1", ...
    numbers_per_token: int  # of keys and values, or of the latent, over all layers
    numbers_all_heads: int  # the same if every query head kept its own keys and values
    bytes_per_token: float  # 4 bits make half a byte
    bytes_per_sequence: float  # at the context asked for
    weight_bytes: float
    n_sequences: int  # that fit beside the weights; 0 where the weights alone do not fit
    context_length: int  # the most that it was made for


@dataclass(frozen=True)
class SmallCacheRun:
    """One cache in fewer bits or with a window: what it lost, what it took, what it wrote."""

    bits: int  # of each number
    window: int  # positions that are kept at least; 0 is all of them
    nats: float  # loss per token of the held-out texts
    n_bytes: int  # at the end of the longest of them, packed
    written: tuple[str, ...]  # visible text of the tokens that it wrote


@dataclass(frozen=True)
class FewerBits:
    """The same texts with every cache."""

    n_scored: int  # tokens of the held-out texts
    n_longest: int  # tokens of the longest of them
    runs: tuple[SmallCacheRun, ...]  # the first is the full cache

    def run(self, bits: int, window: int) -> SmallCacheRun:
        """Returns the run of one cache."""
        return next(run for run in self.runs if (run.bits, run.window) == (bits, window))
