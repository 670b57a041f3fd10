"""How stories go that begin as the home page offers: whether they end, keep their hero, or loop.

    python -m training.stories model/pretrained/storyteller --corpus texts

Adds what it counts to measured.json and to the card; the corpus' held-out stories stand beside it.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from training.card_sections import Facts, habits
from training.corpus import read_sources, split_documents
from training.writing import continue_text

PROMPTS = (
    "The bird sat on the",
    "The little boy was very",
    "The frog wanted to",
    "The duck swam in the",
    "The king was very",
)
SETTINGS: dict[str, Any] = {
    "temperature": 0.8,
    "top_p": 0.9,
    "max_new_tokens": 600,
}  # the home page's masks
N_STORIES = 48  # from each prompt
N_LOOPED = 8  # words that come back
N_LONG = 300  # tokens, within which a story should have ended

# "the cat and the cat", "Tim hugged Tim", "the truck went to the truck"
_SWAPPED = re.compile(
    r"\b(the \w+|[A-Z]\w+) (?:and|\w+ed|came|met|ran|said|saw|told|went)"
    r"(?: after| at| to| with)? \1\b"
)
_LEADING = r"(?:[Tt]he|[Aa]n?)(?: (?:big|little|old|young))?"
# "the little bird", "Lily"
_NAMED = re.compile(rf"\b{_LEADING} ([a-z]+)|(?<=[a-z,] )([A-Z][a-z]+)")


def swaps_a_name(story: str) -> bool:
    """Tells whether the same name stands on both sides of "and" or of a verb."""
    return _SWAPPED.search(story.replace("The ", "the ")) is not None


def loses_its_hero(story: str) -> bool:
    """Tells whether what the first third names most often is not named in the last third."""
    words = story.split()
    third = len(words) // 3
    named = Counter(a or b for a, b in _NAMED.findall(" ".join(words[:third])))
    if not named:
        return False
    (hero, _), *_others = named.most_common(1)
    return hero not in re.findall(r"\w+", " ".join(words[-third:]))


def loops(story: str) -> bool:
    """Tells whether some words in a row come back."""
    words = re.findall(r"\w+", story.lower())
    runs = list(zip(*(words[i:] for i in range(N_LOOPED)), strict=False))
    return len(set(runs)) < len(runs)


def count(stories: Sequence[str], n_ended: int, n_ended_soon: int) -> Facts:
    """Counts stories by how they go; `n_ended_soon` have an end within `N_LONG` tokens."""
    return {
        "n_stories": len(stories),
        "ended": n_ended,
        "ended_soon": n_ended_soon,
        "lost": sum(map(loses_its_hero, stories)),
        "swap": sum(map(swaps_a_name, stories)),
        "loop": sum(map(loops, stories)),
    }


def measure_stories(folder: Path) -> Facts:
    """Lets a model write from each prompt, and counts; the seed is 0."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    written: dict[str, Any] = {}
    for prompt in PROMPTS:
        texts = continue_text(model, tokenizer, prompt, n_texts=N_STORIES, **SETTINGS)
        stories = [prompt + tokenizer.decode(ids, skip_special_tokens=True) for ids in texts]
        ended = [len(ids) for ids in texts if model.config.eos_token_id in ids]
        written[prompt] = count(stories, len(ended), sum(n <= N_LONG for n in ended))
    return {"settings": SETTINGS, "n_looped": N_LOOPED, "n_long": N_LONG, "prompts": written}


def add_to_card(folder: Path, stories: Facts) -> None:
    """Puts the counts into measured.json, and writes that section of the card anew."""
    measured, card = folder / "measured.json", folder / "README.md"
    facts = json.loads(measured.read_text(encoding="utf-8")) | {"stories": stories}
    measured.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sections: list[str] = re.split(
        r"^(?=## )", card.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    place = next(i for i, text in enumerate(sections) if text.startswith("## How it writes"))
    sections[place] = habits(facts) + "\n\n"
    card.write_text("".join(sections), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures one model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of a causal model with its card")
    parser.add_argument("--corpus", type=Path, help="whose held-out stories are counted as well")
    options = parser.parse_args(arguments)
    stories = measure_stories(options.folder)
    if options.corpus:
        real = split_documents(read_sources(options.corpus)).held_out["tinystories"]
        tokenizer: Any = AutoTokenizer.from_pretrained(options.folder, local_files_only=True)
        lengths = [len(tokenizer(text).input_ids) for text in real]
        stories["real"] = count(real, len(real), sum(n <= N_LONG for n in lengths))
    add_to_card(options.folder, stories)
    return 0


if __name__ == "__main__":
    sys.exit(main())
