"""The sections of a model card that differ between the members: shape, quality, samples.

A causal model is judged by its bits per byte, a masked one by a bound of them and by its pages, an
encoder-decoder by the pieces that it was asked for.
"""

import itertools
from typing import Any

Facts = dict[str, Any]


def table(header: list[str], rows: list[list[str]], n_words: int = 1) -> str:
    """A Markdown table; the first columns hold words, the others numbers."""
    lines = [header, ["---"] * n_words + ["--:"] * (len(header) - n_words), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def architecture(facts: Facts) -> str:
    """The shape."""
    shape = {"masked": shape_of_masked, "seq2seq": shape_of_seq2seq}.get(
        facts["kind"], shape_of_causal
    )
    return f"""## Architecture
{shape(facts["config"], facts["parameters"])}
The weights are stored in {facts["stored"]}, {facts["weight_bytes"] / 1e6:.1f} MB; `config.json`
asks to compute in float32.

The tokenizer is the family's own byte-level BPE of {facts["config"]["vocab_size"]:,} entries.
`<|endoftext|>` (id 0) begins every text, ends it, and stood before every training document."""


def shape_of_causal(config: Facts, n_parameters: int) -> str:
    """A Llama in words."""
    n_kv = config["num_key_value_heads"]
    keys = f"{n_kv} keys and values" if n_kv > 1 else "one key and value"
    ties = "tied" if config["tie_word_embeddings"] else "each its own"
    return f"""A Llama of transformers (`LlamaForCausalLM`): {n_parameters:,} parameters,
{config["num_hidden_layers"]} layers, hidden size {config["hidden_size"]},
{config["num_attention_heads"]} heads of {config["head_dim"]} that share {keys}
(grouped-query attention), gated feed-forward of {config["intermediate_size"]}, rotary positions,
context {config["max_position_embeddings"]:,}, input and output embeddings {ties}."""


def shape_of_masked(config: Facts, n_parameters: int) -> str:
    """A ModernBERT in words."""
    return f"""A ModernBERT of transformers (`ModernBertForMaskedLM`): {n_parameters:,} parameters,
{config["num_hidden_layers"]} layers, hidden size {config["hidden_size"]},
{config["num_attention_heads"]} heads, gated feed-forward of {config["intermediate_size"]}, rotary
positions, at most {config["max_position_embeddings"]:,} tokens, input and output embeddings tied.
Every layer sees the whole text, both ways: no position is masked from another, and there is no
key-value cache."""


def shape_of_seq2seq(config: Facts, n_parameters: int) -> str:
    """A T5 in words."""
    return f"""A T5 1.1 of transformers (`T5ForConditionalGeneration`): {n_parameters:,} parameters,
an encoder of {config["num_layers"]} layers that sees the whole text, a decoder of
{config["num_decoder_layers"]} that sees the encoder's states and what it has written itself, hidden
size {config["d_model"]}, {config["num_heads"]} heads, gated feed-forward of {config["d_ff"]},
relative positions, embeddings tied. A sentinel, `<extra_id_0>` and on, stands in the text for each
gap; the decoder begins with `<|pad|>` and writes each sentinel, what its gap held, and the end."""


def quality(facts: Facts) -> str:
    """How well it does what it is for."""
    kinds = {"masked": quality_of_masked, "seq2seq": quality_of_seq2seq}
    return kinds.get(facts["kind"], quality_of_causal)(facts)


def quality_of_causal(facts: Facts) -> str:
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


def quality_of_masked(facts: Facts) -> str:
    """The bound, and the pages."""
    n, pages = facts["opening_tokens"], facts.get("pages")
    judge = [pages["judge"]] if pages else []
    rows = [
        [name, f"{bound:.3f}", *(f"{facts['judge_bits_per_byte'][name]:.3f}" for _ in judge)]
        for name, bound in facts["bound"].items()
    ]
    return f"""## How well it predicts
A masked-diffusion model gives no text a probability that could be read off; what it has is an upper
bound of the bits (arXiv 2502.09992, eq. 4), here estimated with 16 hidden shares, evenly spread
from 0 to 1, for the first {n} tokens of each held-out document, given its `<|endoftext|>`. Bits per
byte, lower is better; weights as shipped, in float32. Beside it what a causal model needs for the
very same tokens.

{table(["source", "bound", *judge], rows)}""" + (pages_table(pages) if pages else "")


def pages_table(pages: Facts) -> str:
    """The quality of pages by the number of passes."""
    rows = [
        [each["order"], f"{each['temperature']:g}", str(each["n_passes"]), *page_numbers(each)]
        for each in pages["rows"]
    ]
    if pages["real"]:
        rows.append(["real stories", "", "", *page_numbers(pages["real"])])
    header = ["order", "temperature", "passes K", "log-probability", "±", "distinct pairs", "pages"]
    return f"""

## How well it fills a page
{pages["page_tokens"]} masks behind `<|endoftext|>`, filled in K passes of about
{pages["page_tokens"]}/K tokens each, no end allowed. The log-probability is the mean that
`{pages["judge"]}` gives a token of a page, in nats, with its standard error over pages: higher is
better, and real stories are the first {pages["page_tokens"]} tokens of held-out `tinystories`. That
judge likes a text that repeats itself, so the share of a page's pairs of neighbours that differ
from each other stands beside it. *confidence* commits the surest proposals of a pass, *random* any.

{table(header, rows, n_words=1)}"""


def page_numbers(each: Facts) -> list[str]:
    """The last columns of a row."""
    pairs = f"{100 * each['distinct_pairs']:.0f} %"
    return [f"{each['logprob']:.2f}", f"{each['standard_error']:.2f}", pairs, str(each["n_pages"])]


def quality_of_seq2seq(facts: Facts) -> str:
    """What the missing pieces cost."""
    rows = [
        [
            name,
            f"{each['bits'] / each['n_tokens']:.2f}",
            f"{100 * each['n_best'] / each['n_tokens']:.1f} %",
            f"{each['n_tokens']:,}",
        ]
        for name, each in facts["gaps"].items()
    ]
    header = ["source", "bits per missing token", "best guess right", "missing tokens"]
    return f"""## How well it fills gaps
From the first {facts["opening_tokens"]} tokens of each held-out document a fifth is cut out in
pieces of three on average. A missing token is asked for given the text with its gaps and the true
tokens of the pieces before it; sentinels and the end are not counted. Weights as shipped, in
float32. Bits per byte of whole documents are not defined for such a model.

{table(header, rows)}"""


def agreement(facts: Facts) -> str:
    """How often the draft is believed; empty for a model that is no draft."""
    if "agreement" not in facts:
        return ""
    twin = facts.get("twin", {})
    rows = []
    for name, each in facts["agreement"].items():
        both = [each, *([twin["agreement"][name]] if twin else [])]
        shares = [100 * one[key] for key in ("greedy", "sampled") for one in both]
        rows.append([name, *(f"{share:.1f} %" for share in [*shares, 100 * each["looping"]])])
    kinds = ["same best token", "sum of min(target, draft), T = 1"]
    names = ["", *([f", {twin['name']}"] if twin else [])]
    header = ["text", *(kind + name for kind in kinds for name in names), "left out"]
    words = """## Agreement with its target
How often speculative decoding would believe it: the share of places where both models have the same
best token (greedy), and the mean over places of sum of min(target, draft) (a draw at T = 1). Each
held-out document is read once by both. The last rows are what the target wrote itself behind the
first tokens of held-out `tinystories`: that is the text which a draft meets at work. Places where
the text loops, its last 8 tokens having stood in it before, are left out: there any model agrees.
"""
    if twin:
        n_tokens = twin["run"]["tokens"]
        words += f"""
`{twin["name"]}` is the same draft undistilled: the same shape, the same {n_tokens:,} tokens in as
many steps, and the next token of the text to learn in place of its target's distributions.
"""
    return f"{words}\n{table(header, rows)}"


def habits(facts: Facts) -> str:
    """Whether stories end, and how much they repeat; empty for what writes no story."""
    if "habits" not in facts:
        return ""
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

{table(header, rows)}""" + by_prompt(facts.get("stories"))


def by_prompt(stories: Facts | None) -> str:
    """How stories go by their prompt; empty where that was not measured."""
    if stories is None:
        return ""
    settings, counted = stories["settings"], {f"“{p}”": n for p, n in stories["prompts"].items()}
    if "real" in stories:
        counted["held-out tinystories"] = stories["real"]
    counts = {
        "ended": "ended",
        "ended_soon": f"within {stories['n_long']} tokens",
        "swap": "swap a name",
        "lost": "lose their hero",
        "loop": "loop",
    }
    rows = [
        [name, str(n["n_stories"]), *(percent(n[key], n) for key in counts)]
        for name, n in counted.items()
    ]
    return f"""

By prompt, at temperature {settings["temperature"]}, top-p {settings["top_p"]} and seed 0, cut at
{settings["max_new_tokens"]} tokens. A story *swaps a name* where the same one stands on both
sides of “and” or of a verb: “the truck asked the truck”. It *loses its hero* where the name or
thing that its first third names most often is not named in its last third. It *loops* where
{stories["n_looped"]} words in a row come back.

{table(["stories from", "stories", *counts.values()], rows)}"""


def percent(n: int, of: Facts) -> str:
    """A share of stories."""
    return f"{100 * n / of['n_stories']:.0f} %"


def samples(facts: Facts) -> str:
    """Texts as they came."""
    if facts["kind"] != "causal":
        writer = "diffusion" if facts["kind"] == "masked" else "encoder_decoder"
        parts = [f"## Samples\nUnedited; `model/{writer}/` wrote them."]
        for each in facts["samples"]:
            quoted = "\n".join(f"> {line}" for line in each["text"].split("\n"))
            parts.append(f"**{each['how']}**\n\n{quoted}")
        return "\n\n".join(parts)
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
