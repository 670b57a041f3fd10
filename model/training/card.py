"""The model card in Markdown: it states nothing that `measure.py` or the run did not find."""

import itertools
import json
from pathlib import Path
from typing import Any

from model.training.curve import draw_curves

Facts = dict[str, Any]

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
LIMITS = """## What it can't do
- It knows no facts worth trusting and follows no instructions: it continues stories.
- It learned English only; other text survives the tokenizer, but it cannot go on with it.
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
        svg = draw_curves(curves, "million tokens seen", "bits per byte, held-out sample")
        (folder / "curve.svg").write_text(svg, encoding="utf-8")
    text = json.dumps(facts | {"curve": curves}, indent=1, ensure_ascii=False)
    (folder / "measured.json").write_text(text + "\n", encoding="utf-8")
    measured = [head, architecture, data, training, quality, agreement, habits, samples]
    parts = [section(facts) for section in measured]
    parts[-1:-1] = [notes.strip(), LIMITS]
    body = "\n\n".join(part for part in parts if part)
    (folder / "README.md").write_text(body + "\n", encoding="utf-8")


def table(header: list[str], rows: list[list[str]], n_words: int = 1) -> str:
    """A Markdown table; the first columns hold words, the others numbers."""
    lines = [header, ["---"] * n_words + ["--:"] * (len(header) - n_words), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def head(facts: Facts) -> str:
    """Name and purpose."""
    return f"""---
language: en
license: other
pipeline_tag: text-generation
---
# {facts["name"]}

{facts["purpose"]}
Made from nothing by `python -m model.training {facts["recipe"]}`. Every number here was measured on
the files of this folder, or by the run that made them."""


def architecture(facts: Facts) -> str:
    """The shape."""
    config = facts["config"]
    return f"""## Architecture
A Llama of transformers (`LlamaForCausalLM`): {facts["parameters"]:,} parameters,
{config["num_hidden_layers"]} layers, hidden size {config["hidden_size"]},
{config["num_attention_heads"]} heads that share {config["num_key_value_heads"]} keys and values
(grouped-query attention), gated feed-forward of {config["intermediate_size"]}, rotary positions,
context {config["max_position_embeddings"]:,}, input and output embeddings tied. The weights are
stored in {facts["stored"]}, {facts["weight_bytes"] / 1e6:.1f} MB; `config.json` asks to
compute in float32.

The tokenizer is the family's own byte-level BPE of {config["vocab_size"]:,} entries.
`<|endoftext|>` (id 0) begins every text, ends it, and stood before every training document."""


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
    """What the run cost, and its curve."""
    run = facts["run"]
    return f"""## Training
{run["tokens"]:,} tokens in {run["step"]:,} steps and {run["seconds"] / 60:.0f} minutes on
{facts["hardware"]}. Muon for the matrices, AdamW for the rest, bfloat16 autocast, no dropout, one
seed. {facts["lesson"]}
The plan of a whole run: rows of 256 tokens from all sources first, later of 512 from the simple
ones, of 2,048 at the end; `model/training/family.py` has its numbers.

![Held-out bits per byte while training](curve.svg)

The curve is of a few held-out documents, cut at 3,000 characters; the table below is of all."""


def quality(facts: Facts) -> str:
    """Bits per byte, beside the baseline, and by position."""
    baseline = facts["ngram"]
    rows = [
        [name, f"{bits:.3f}", f"{baseline['bits_per_byte'][name]:.3f}"]
        for name, bits in facts["bits_per_byte"].items()
    ]
    text = f"""## How well it predicts
Bits per byte, lower is better: the bits of a document's tokens, each given `<|endoftext|>` and
what precedes it, the closing one included, over its bytes in UTF-8. All held-out documents,
each by itself, weights as shipped, in float32; beyond 2,048 tokens the windows overlap by half.

{table(["source", facts["name"], f"{baseline['order']}-gram, Kneser-Ney"], rows)}

The n-gram model counted the same training tokens, each document once."""
    for name, means in facts["bits_by_position"].items():
        if means:
            edges = [0, *(int(edge) for edge in means)]
            header = ["position", *(f"{a} to {b}" for a, b in itertools.pairwise(edges))]
            row = ["bits per token", *(f"{mean:.2f}" for mean in means.values())]
            text += f"\n\nBy position, held-out {name} of at least {edges[-1] + 1:,} tokens:\n\n"
            text += table(header, [row])
    return text


def agreement(facts: Facts) -> str:
    """How often the draft is believed; empty for a model that is no draft."""
    if "agreement" not in facts:
        return ""
    rows = [
        [name, f"{100 * each['greedy']:.1f} %", f"{100 * each['sampled']:.1f} %"]
        for name, each in facts["agreement"].items()
    ]
    header = ["held-out source", "same best token", "sum of min(target, draft), T = 1"]
    return f"## Agreement with its target\n{table(header, rows)}"


def habits(facts: Facts) -> str:
    """Whether stories end, and how much they repeat."""
    rows = []
    real = facts["corpus"]["real_habits"]
    for name, each in ((facts["name"], facts["habits"]), ("held-out tinystories", real)):
        if each:
            shares = [f"{100 * share:.0f} %" for share in each["distinct"].values()]
            ended = f"{100 * each['ended']:.0f} %" if each is not real else "all"
            rows.append(
                [name, f"{each['n_texts']}", ended, f"{each['median_tokens']:.0f}", *shares]
            )
    header = [
        "texts by",
        "texts",
        "ended",
        "median tokens",
        *(f"distinct {n}-grams" for n in facts["habits"]["distinct"]),
    ]
    return f"""## How it writes
Continuations of "Once upon a time" at temperature 0.8 and no other mask, cut at 600 tokens.
Distinct n-grams: how many of a text's n-grams differ from each other, the mean over texts.

{table(header, rows)}"""


def samples(facts: Facts) -> str:
    """Texts as they came."""
    parts = ["## Samples\nUnedited, prompt included; `generate` of transformers with torch's seed."]
    for each in facts["samples"]:
        how = (
            f"temperature {each['temperature']}, seed {each['seed']}"
            if each["temperature"]
            else "greedy"
        )
        end = "ended" if each["ended"] else "cut"
        quoted = "\n".join(f"> {line}" for line in each["text"].split("\n"))
        parts.append(f"**{how}, {end}**\n\n{quoted}")
    return "\n\n".join(parts)
