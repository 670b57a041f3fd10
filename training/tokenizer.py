"""The family's one tokenizer: byte-level BPE (arXiv 1508.07909) of exactly 4,096 entries.

All 256 bytes are in the alphabet and nothing is normalised, so any text comes back as it was. No
space is put before a text: " the" and "the" are two tokens, as in GPT-2. Every digit is a token.
"""

import random
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from training.corpus import END_OF_TEXT, Sources

VOCAB_SIZE = 4096
CONTEXT_LENGTH = 2048
PAD, MASK = "<|pad|>", "<|mask|>"
SENTINELS = [
    f"<extra_id_{i}>" for i in range(32)
]  # the gaps of span corruption (T5, arXiv 1910.10683)
SPECIALS = [END_OF_TEXT, PAD, MASK, *SENTINELS]

# GPT-2's pattern, but a number is cut into digits: " the", "'s", " 7", "!\"", white space
WORDS = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def train_tokenizer(sources: Sources, weights: dict[str, float], seed: int = 0) -> Tokenizer:
    """Learns the merges from a weighted sample of the corpus.

    Args:
        sources: documents by source.
        weights: how often each source is read: 3 is thrice, 0.2 a fifth of its documents; a source
            without a weight is read once.
        seed: chooses the sample.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=SPECIALS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    rng = random.Random(seed)
    sample: list[str] = []
    for name, documents in sources.items():
        whole, part = divmod(weights.get(name, 1.0), 1)
        sample += documents * int(whole) + rng.sample(documents, round(part * len(documents)))
    tokenizer.train_from_iterator(sample, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END_OF_TEXT} $A", pair=f"{END_OF_TEXT} $A $B", special_tokens=[(END_OF_TEXT, 0)]
    )
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> PreTrainedTokenizerFast:
    """Writes the files that `AutoTokenizer.from_pretrained(folder)` reads."""
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # it has no types
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=END_OF_TEXT,
        pad_token=PAD,
        mask_token=MASK,
        additional_special_tokens=SENTINELS,
        model_max_length=CONTEXT_LENGTH,
        clean_up_tokenization_spaces=False,
    )
    fast.save_pretrained(folder)
    return fast
