"""The same links in the app and in the one file: the same texts, or where they part and why.

python -m benchmarks.link_table [--prompts 50] [--tokens 200]
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from model.draw import uniform_at
from model.generation import Generation
from model.loading import LanguageModel, load_model
from model.sampling import Settings, process
from pages.home.controls import Controls
from tests.driving.in_page import InPage, floats, in_deno

NEAR = 1e-5  # of the pointer to an end of a token's piece of the bar
CONTROLS = {
    "none": Controls(use=()),
    "temperature and top-p": Controls(),
    "top-k, hot": Controls(temperature=1.4, top_k=20, use=("temperature", "top_k")),
    "min-p, hotter": Controls(temperature=1.7, min_p=0.05, use=("temperature", "min_p")),
    "penalties, vLLM's order": Controls(
        temperature=0.9,
        repetition_penalty=1.3,
        presence_penalty=0.5,
        frequency_penalty=0.3,
        order="vllm",
    ),
    "DRY and XTC, llama.cpp's order": Controls(
        top_k=40,
        top_p=0.95,
        min_p=0.02,
        dry=0.8,
        xtc=0.3,
        top_n_sigma=3,
        order="llama.cpp",
        use=("temperature", "top_k", "top_p", "min_p"),
    ),
    "typical, epsilon, eta": Controls(
        temperature=1.2, typical_p=0.9, epsilon=3e-4, eta=2e-3, use=("temperature",)
    ),
    "mirostat, tokens forced": Controls(
        temperature=1.2, mirostat=3, order="llama.cpp", use=("temperature",)
    ),
    "greedy, tokens forced": Controls(greedy=True, repetition_penalty=1.1),
}
PROMPTS = [
    *("The cat sat on the", "", "Once upon a time", "One day, a little girl named Lily", " ", "\n"),
    *(
        "🎈 the balloon",
        "שלום, said the cat",
        "مرحبا",
        "漢字の猫",
        "Привет, мышка",
        "e\u0301te\u0301",
    ),
    *("12,345.67 + 8", "<|endoftext|>Then", "\t\ttabs\r\n", "“Hello,” she said", "a" * 40, "…—–"),
    *("The the the the", "Mom said, “don't", "\u200d\ufeff\u00a0", "नमस्ते", "👩‍👧 and 🐶", "x ^ 2"),
    " ".join(["The old man looked at the sea and told a story."] * 45),
]


@dataclass
class LinkOutcome:
    """What became of one link on both sides."""

    n_draws: int  # compared, up to where the texts part
    gap: float  # largest difference of a logit
    parted: list[str] = field(default_factory=list)  # at a pointer near an end, or else a fault
    is_fault: bool = False


def links(n_prompts: int, n_tokens: int) -> Iterator[tuple[str, str]]:
    """Yields links by the names of their settings: prompts of all kinds under all of them."""
    rng = random.Random(31)
    words = PROMPTS[-1].split()
    drawn = (" ".join(rng.sample(words, rng.randrange(1, 30))) for _ in range(n_prompts))
    for prompt in [*PROMPTS, *drawn][:n_prompts]:
        for name, controls in CONTROLS.items():
            seed = rng.randrange(2**31)
            how = "~".join(f"{key}:{text}" for key, text in controls.encode().items())
            parts = {"prompt": prompt, "seed": str(seed), "run": f"{n_tokens}~{how}".rstrip("~")}
            if "forced" in name:
                parts["forced"] = ",".join(f"{at}:{rng.randrange(4096)}" for at in (3, 9, 50, 120))
            yield name, urlencode(parts)


def compare(in_page: InPage, lm: LanguageModel, query: str) -> LinkOutcome:
    """Writes a link's text on both sides."""
    params = dict(parse_qsl(query, keep_blank_values=True))
    ours, settings = follow(lm, params)
    told = in_page("open", query=params)
    theirs = told["header"]
    n_prompt, pointers = ours.n_prompt, told["header"]["steps"]["pointer"]
    assert theirs["notice"] is None, theirs["notice"]
    assert theirs["ids"][:n_prompt] == ours.prompt_ids
    pairs = zip(theirs["ids"][n_prompt:], ours.ids[n_prompt:], strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    if place is None:
        assert theirs["finished"] == ours.finished
        assert pointers == [uniform_at(ours.seed, n_prompt + i) for i in range(len(ours.steps))]
        gap = np.abs(floats(told["arrays"]["logits"]) - ours.logits).max()
        return LinkOutcome(len(ours.steps), float(gap))
    return _parted(ours, settings, query, place)


def follow(lm: LanguageModel, params: dict[str, str]) -> tuple[Generation, Settings]:
    """Writes a link's text by the model's own loop: one segment, and tokens that are forced."""
    count, *parts = params["run"].split("~")
    settings = Controls.from_page(dict(part.split(":") for part in parts)).settings()
    pairs = (pair.split(":") for pair in params.get("forced", "").split(",") if pair)
    forced = {int(at): int(token_id) for at, token_id in pairs}
    prompt = params["prompt"].replace("\r\n", "\n").replace("\r", "\n")  # as a field has it
    text = Generation(lm, prompt, seed=int(params["seed"]))
    for i in range(int(count)):
        if text.finished is None:
            text.step(settings, token_id=forced.get(i))
    return text, settings


def _parted(ours: Generation, settings: Settings, query: str, place: int) -> LinkOutcome:
    """Says why two texts part: only where the pointer is near an end may they."""
    step = ours.steps[place]
    ids = ours.ids[: step.position]
    known = step.distribution.logits, ids, settings, ours.n_prompt, step.pointer
    stage = process(*known, step.memory)[-1]
    ends = np.cumsum(stage.best_probs)
    distance = float(np.abs(ends / ends[-1] - step.pointer).min())
    said = f"?{query}: token {place}, the pointer {step.pointer} is {distance:.1e} from an end"
    return LinkOutcome(place + 1, 0.0, [said], is_fault=distance > NEAR)


def main() -> None:
    """Compares them all and prints a row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--prompts", type=int, default=50)
    parser.add_argument("--tokens", type=int, default=200)
    options = parser.parse_args()
    lm = load_model("storyteller", device="cpu", dtype="float32")
    outcomes: dict[str, list[LinkOutcome]] = {name: [] for name in CONTROLS}
    with in_deno(lm) as in_page:
        for name, query in links(options.prompts, options.tokens):
            outcomes[name].append(compare(in_page, lm, query))
    for name, found in outcomes.items():
        print(_row(name, found))
    everything: list[Any] = [outcome for found in outcomes.values() for outcome in found]
    print(_row("all", everything))
    print("\n".join(line for outcome in everything for line in outcome.parted))


def _row(name: str, found: list[LinkOutcome]) -> str:
    n_parted = sum(bool(outcome.parted) for outcome in found)
    n_faults = sum(outcome.is_fault for outcome in found)
    gap = max(outcome.gap for outcome in found)
    n_draws = sum(outcome.n_draws for outcome in found)
    return (
        f"{name:32} {len(found):4} links {n_draws:7} draws, largest gap of a logit {gap:.1e}, "
        f"{n_parted} parted at an end, {n_faults} without one"
    )


if __name__ == "__main__":
    main()
