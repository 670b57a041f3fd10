"""Experiments of the home page: what is said of generation, set up so that a press answers it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pages.frame.models import DEFAULT_MODEL
from pages.home.link import follow, read_link
from pages.home.session import Session


@dataclass(frozen=True)
class Experiment:
    """One claim, or a few, and the state of the page in which it can be seen."""

    key: str
    claims: tuple[str, ...]
    says: str  # the claim, in a sentence
    watch: str  # what to press, and where to look
    start: dict[str, str]  # as a link would say it
    beside: dict[str, str] = field(default_factory=dict)  # a second text, kept as a branch


EXPERIMENTS = (
    Experiment(
        "loop",
        ("C01", "C07"),
        "Generation is one loop, and the output of a step is part of the input of the next.",
        "Choose “show the code that ran” and play at 0.5 tokens/s: the lines light up as they run.",
        {"prompt": "The cat sat on the"},
    ),
    Experiment(
        "forward",
        ("C02", "C11"),
        "The loop only moves forward; going back is something that we do.",
        "Press a token of the text and branch there: what came after it is written anew, "
        "and no draft of it was ever kept.",
        {"prompt": "Once upon a time", "run": "12"},
    ),
    Experiment(
        "whole",
        ("C04", "C10"),
        "Each distribution depends on the whole text before it.",
        "Two texts that differ in one early word: switch between the branches and watch the bars.",
        {"prompt": "The fish wanted to swim in the"},
        {"prompt": "The bird wanted to swim in the"},
    ),
    Experiment(
        "chain",
        ("C09",),
        "The probability of a text is the product of its tokens’ conditional probabilities.",
        "Press Next and read “sum of log p” in the worked table: each row adds its own log p.",
        {"prompt": "One day, a little girl named Lily", "run": "3"},
    ),
    Experiment(
        "greedy",
        ("C12",),
        "Greedy takes the best token: the same text every time, and it may run in a circle.",
        "Press Reset, then +20 a few times: the text never changes, and its phrases come back.",
        {"prompt": "The cat sat on the", "greedy": "1", "run": "60~greedy:True"},
    ),
    Experiment(
        "temperature",
        ("C13",),
        "Temperature sharpens or flattens; it never changes the order of the tokens.",
        "Drag Temperature from 0.2 to 2 and watch its column: the bars move, their order does not.",
        {"prompt": "The cat sat on the", "use": "temperature", "temperature": "1.5"},
    ),
    Experiment(
        "shape",
        ("C14", "C15"),
        "Top-k keeps a number of tokens, top-p a share of the mass, min-p what is near the best.",
        "Two texts, one that the model is sure of and one that it is not: switch between the "
        "branches and compare how many each mask keeps of the same logits.",
        {"prompt": "Once upon a", "use": "top_p"},
        {"prompt": "She looked at the", "use": "top_p"},
    ),
    Experiment(
        "seed",
        ("C16",),
        "Sampled twice, a prompt gives two texts; with the same seed it gives the same one.",
        "Two seeds are shown as branches. Reset and +20 gives each again, token for token.",
        {"prompt": "The dragon opened the door and", "seed": "1", "run": "20~seed:1"},
        {"prompt": "The dragon opened the door and", "seed": "2", "run": "20~seed:2"},
    ),
    Experiment(
        "order",
        ("C19",),
        "Order matters: temperature before or after top-p keeps different tokens.",
        "Open “More masks and penalties”, change the order from llama.cpp to transformers, and "
        "read how many tokens are in force.",
        {
            "prompt": "She looked at the",
            "temperature": "1.8",
            "order": "llama.cpp",
        },
    ),
    Experiment(
        "end",
        ("C05",),
        "Generation stops at an end token or at the length limit.",
        "Press Next until the end token is drawn: it is appended and shown, and no pass follows.",
        {"prompt": "They were all very happy.\nThe end.", "greedy": "1"},
    ),
    Experiment(
        "cache",
        ("C06",),
        "The prompt fills the cache in one pass; after it each pass adds one column.",
        "Press Next and read “new cache entry” in the worked table, then the chart below it.",
        {"prompt": "The cat sat on the"},
    ),
    Experiment(
        "tokens",
        ("C41",),
        "Tokens are pieces, not words.",
        "Open “The prompt as its tokens” and type: rare words, other scripts and emoji cost more.",
        {"prompt": "Unbelievably, the naïve crocodile paid 12345 € for a 🍓"},
    ),
)


def set_up(session: Session, experiment: Experiment) -> None:
    """Bring the session to where the experiment starts; what was on the page stays a branch."""
    session.notice = None
    for start, keep in ((experiment.beside, False), (experiment.start, bool(experiment.beside))):
        if start:
            wish = read_link(start, DEFAULT_MODEL)
            session.start(wish.prompt, wish.seed, keep=keep)
            follow(session, wish)
