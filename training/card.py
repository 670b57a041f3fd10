"""The model card in Markdown: it states nothing that `measure.py` or the run did not find."""

import json
from pathlib import Path
from typing import Any

from training.card_sections import (
    Facts,
    agreement,
    architecture,
    habits,
    quality,
    samples,
    table,
)
from training.curve import draw_curves
from training.distillation_data import LESSONS

# source: what it is, licence, whom to credit
SOURCES = {
    "tinystories": (
        "short stories in a three-year-old's words (Eldan and Li 2023, arXiv 2305.07759)",
        "CDLA-Sharing-1.0",
        "Ronen Eldan and Yuanzhi Li",
    ),
    "fables": (
        "short fables from openly licensed models (TinyFabulist / TF1)",
        "MIT",
        "TinyFabulist",
    ),
    "storybooks": (
        "African Storybook and Pratham Books stories",
        "CC BY 4.0",
        "the African Storybook Project, Pratham Books' StoryWeaver and their authors",
    ),
    "sentences": ("everyday English sentences", "CC BY 2.0 FR", "Tatoeba"),
    "fairy_tales": ("fairy tales and children's classics", "public domain", ""),
    "childrens_books": (
        "chapters of children's novels, mostly of the 19th century",
        "public domain",
        "",
    ),
}
PIPELINES = {
    "causal": "text-generation",
    "masked": "fill-mask",
    "seq2seq": "text2text-generation",
}
LIMITS = """## What it can't do
- It knows no facts worth trusting and follows no instructions: it knows simple stories.
- It learned English only; other text survives the tokenizer, but the model makes nothing of it.
- It loses the thread: who is who and what happened change within a story.
- It repeats what its corpus repeats. Old children's books carry the views of their time, and
  nothing filters what the model writes.
- It is made to be looked into, not to be relied on."""


def write_card(folder: Path, facts: Facts, log: list[dict[str, Any]], notes: str = "") -> None:
    """Writes README.md, curve.svg and measured.json beside the weights."""
    judged = [note for note in log if note["held_out"]]
    names = list(judged[0]["held_out"]) if judged else []
    curves = {n: [(j["tokens"] / 1e6, j["held_out"][n]) for j in judged] for n in names}
    if judged:
        svg = draw_curves(curves, "million tokens seen", f"{facts['curve_unit']}, held-out sample")
        (folder / "curve.svg").write_text(svg, encoding="utf-8")
    text = json.dumps(facts | {"curve": curves}, indent=1, ensure_ascii=False)
    (folder / "measured.json").write_text(text + "\n", encoding="utf-8")
    measured = [head, architecture, data, training, quality, agreement, habits, samples]
    parts = [section(facts) for section in measured]
    parts[-1:-1] = [notes.strip(), LIMITS]
    body = "\n\n".join(part for part in parts if part)
    (folder / "README.md").write_text(body + "\n", encoding="utf-8")


def head(facts: Facts) -> str:
    """Names and purpose."""
    return f"""---
language: en
license: other
pipeline_tag: {PIPELINES[facts["kind"]]}
---
# {facts["name"]}

{facts["purpose"]}
Made by `python -m training {facts["recipe"]}`. Every number here was measured on the files of
this folder, or by the run that made them."""


def data(facts: Facts) -> str:
    """Sources with licences and credits, and what was held out."""
    sources = facts["corpus"]["sources"]
    origins, splits = [], []
    for name, source in sources.items():
        origins.append([name, *SOURCES.get(name, ("not described", "unknown to this card", ""))])
        spread = [f"{100 * share:.1f} %" for share in source["overlap"].values()]
        sizes = [f"{source[key]:,}" for key in ("train_tokens", "held_out_documents", "dropped")]
        splits.append([name, *sizes, *spread])
    columns = ["source", "training tokens", "held out", "dropped"]
    return f"""## Data
{table(["source", "what", "licence", "credit"], origins, n_words=4)}

Two per cent of each source's documents, drawn once with a fixed seed, are held out of everything,
the training of the tokenizer included. The last columns are the *overlap*: the share of a held-out
document's word 8-grams that occur anywhere in training. Documents above 25 % were dropped from both
sides. A document of `sentences` is twelve of its lines.

{table([*columns, "least", "quarter", "median", "three quarters", "most"], splits)}

To the best of our knowledge no text here was written by a model whose licence binds the models
trained on it. The text is not part of this folder."""


def training(facts: Facts) -> str:
    """What the run cost, its plan, and its curve."""
    run = facts["run"]
    rows = [
        [
            f"{100 * phase['start']:.0f} %",
            f"{phase['n_rows']} x {phase['n_tokens']:,}",
            sources(phase["weights"], has_lessons="lessons" in facts),
        ]
        for phase in facts["phases"]
    ]
    minutes = run["seconds"] / 60
    openings = f"Of the rows {100 * facts['openings']:.0f} % begin where a document does.\n"
    return f"""## Training
{taught(facts)}{run["tokens"]:,} tokens in {run["step"]:,} steps and {minutes:.0f} minutes on
{facts["hardware"]}. Muon for the matrices, AdamW for the rest, bfloat16 autocast, no dropout, one
seed. {facts["lesson"]}
{openings if facts["openings"] else ""}
{table(["from", "rows x tokens", "sources, per cent of rows"], rows, n_words=3)}

![{facts["curve_unit"]} while training](curve.svg)

The curve is of a few held-out documents, read in part; the table below is of all."""


def sources(weights: dict[str, float], *, has_lessons: bool) -> str:
    """Where the rows of a phase are from."""
    if has_lessons and LESSONS in weights:
        return "lessons"
    shares = {name: share for name, share in weights.items() if name != LESSONS}
    return ", ".join(f"{name} {100 * share:.0f}" for name, share in shares.items())


def taught(facts: Facts) -> str:
    """What the lessons are that a draft learned from."""
    if "lessons" not in facts:
        return ""
    n_tokens, n_best = facts["lessons"]["tokens"], facts["lessons"]["best"]
    return f"""The lessons are {n_tokens:,} tokens that the teacher wrote itself, at
temperatures from 0.6 to 1, with its {n_best} best next tokens and their probabilities beside each:
on its own training text it is far surer than at work, where its draft meets it.

"""
