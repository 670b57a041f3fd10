"""How well the two members that fill do it: pages of masks, judged, and texts with gaps.

A page is judged by the mean log-probability that a causal model gives its tokens. That model likes
text which repeats itself, so the share of different pairs of tokens stands beside it.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from model.diffusion.denoising import Diffusion, fill_page
from model.diffusion.quality import judge_tokens
from model.diffusion.records import Order
from model.encoder_decoder.infilling import Infilling
from model.loading import LanguageModel, load_model
from training.corpus import Document, cut_openings
from training.evaluate import masked_bits_per_byte, opening_bits_per_byte, score_gaps
from training.measure import Facts, Held, measure_weights
from training.writing import habits

OPENING_TOKENS, GAPPED_TOKENS = 128, 64  # of a held-out document: read, and read with gaps

EXACT: dict[str, Any] = {"dtype": torch.float32, "local_files_only": True}
PAGE_TOKENS = 64
N_PAGES = 32
PASSES = (1, 8, 16, 64)
WAYS: tuple[tuple[Order, float], ...] = (("random", 1.0), ("confidence", 0.7))
PAGE_SAMPLES = ((8, 0), (64, 0), (64, 1))  # passes, seed
GAPPED = (
    "The little dog ran to the ___. He saw a big ___ and was very ___.",
    "Once upon a time, there was a little ___ named Lily. She loved to play in the ___.",
    'Tom was sad because he lost his ___. His mom said, "___" Tom smiled and hugged her.',
    "One day, a cat ___. The bird was scared and flew ___. The end.",
)


def measure_masked(folder: Path, judge: Path | None, held_out: Held, words: Tokenizer) -> Facts:
    """Measures an exported masked model; a causal one judges its pages, where there is one."""
    model = AutoModelForMaskedLM.from_pretrained(folder, **EXACT)
    openings = {name: cut_openings(words, docs, OPENING_TOKENS) for name, docs in held_out.items()}
    bounds = {name: masked_bits_per_byte(model, docs, 16) for name, docs in openings.items()}
    facts = {"opening_tokens": OPENING_TOKENS, "bound": bounds, "samples": sample_pages(folder)}
    if judge:
        reader = AutoModelForCausalLM.from_pretrained(judge, **EXACT)
        bits = {name: opening_bits_per_byte(reader, docs) for name, docs in openings.items()}
        pages = measure_pages(folder, judge, held_out.get("tinystories", []))
        facts |= {"judge_bits_per_byte": bits, "pages": pages}
    return measure_weights(folder, model) | facts


def measure_seq2seq(folder: Path, held_out: Held, words: Tokenizer) -> Facts:
    """Measures an exported encoder-decoder on pieces cut out of held-out text."""
    model = AutoModelForSeq2SeqLM.from_pretrained(folder, **EXACT)
    scores = {
        name: asdict(score_gaps(model, cut_openings(words, docs, GAPPED_TOKENS)))
        for name, docs in held_out.items()
    }
    facts = {"opening_tokens": GAPPED_TOKENS, "gaps": scores, "samples": sample_gaps(folder)}
    return measure_weights(folder, model) | facts


def measure_pages(folder: Path, judge: Path, stories: Sequence[Document]) -> Facts:
    """Fills pages from nothing in K passes, and has them and the openings of stories judged."""
    lm, reader = load_model(str(folder), "cpu"), load_model(str(judge), "cpu")
    rows = []
    for order, temperature in WAYS:
        for n_passes in PASSES:
            pages = [
                filled(lm, n_passes, order, temperature, seed).filled_ids for seed in range(N_PAGES)
            ]
            how = {"order": order, "temperature": temperature, "n_passes": n_passes}
            rows.append(how | judged(reader, pages))
    long = [document.ids for document in stories if len(document.ids) > PAGE_TOKENS]
    real = [ids[1 : PAGE_TOKENS + 1].tolist() for ids in long]
    return {
        "judge": judge.name,
        "page_tokens": PAGE_TOKENS,
        "rows": rows,
        "real": judged(reader, real) if real else {},
    }


def filled(
    lm: LanguageModel, n_passes: int, order: Order, temperature: float, seed: int
) -> Diffusion:
    """A page filled from masks alone."""
    page = Diffusion(
        lm, PAGE_TOKENS, n_passes=n_passes, order=order, temperature=temperature, seed=seed
    )
    return fill_page(page)


def judged(reader: LanguageModel, pages: Sequence[Sequence[int]]) -> Facts:
    """What a causal model thinks of pages, each behind a bos, and how much they repeat."""
    means = np.array([judge_tokens(reader, [reader.bos_id or 0], ids).mean() for ids in pages])
    return {
        "n_pages": len(pages),
        "logprob": float(means.mean()),  # nats per token
        "standard_error": float(means.std(ddof=1) / len(pages) ** 0.5) if len(pages) > 1 else 0.0,
        "distinct_pairs": habits(pages, 0, (2,)).distinct[2],
    }


def sample_pages(folder: Path) -> list[Facts]:
    """Some pages as they came."""
    lm, (order, temperature) = load_model(str(folder), "cpu"), WAYS[-1]
    return [
        {
            "how": f"{n} passes, {order} first, temperature {temperature}, seed {seed}",
            "text": filled(lm, n, order, temperature, seed).filled_text,
        }
        for n, seed in PAGE_SAMPLES
    ]


def sample_gaps(folder: Path) -> list[Facts]:
    """Some texts whose gaps were filled greedily."""
    lm = load_model(str(folder), "cpu")
    found = []
    for text in GAPPED:
        infilling = Infilling(lm, text)
        while infilling.finished is None:
            infilling.step()
        found.append({"how": text, "text": infilling.filled_text})
    return found
