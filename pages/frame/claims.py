"""What is said of generation, C01 to C45: the sentence, the page that shows it, how that is set up.

Each is said here and nowhere else. The page of claims lists all of them, the home page offers its
own to be set up, and `model.claims` holds an experiment for each, found by its id. Knows no model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

LOOP, SAMPLING, CACHE = "The loop", "Sampling", "Prefill, decode and the KV cache"
SEARCH, ADVANCED = "Search", "Past one token per pass"
ERRORS = "Errors, training and architecture"

Query = dict[str, str]


@dataclass(frozen=True)
class Claim:
    """One thing that is said, and where to see it."""

    id: str  # "C01", never given to another
    section: str
    sentence: str
    page: str  # the stem of the page's file
    where: str  # what to press there, and where to look
    query: Query = field(default_factory=dict)  # of the link that sets the page up
    beside: Query = field(default_factory=dict)  # of a second text, on the home page a branch

    @property
    def link(self) -> str:
        """The query string that sets the page up; empty where it needs none."""
        return f"?{urlencode(self.query)}" if self.query else ""


CAT: Final[Query] = {"prompt": "The cat sat on the"}
LOOKED: Final[Query] = {"prompt": "She looked at the"}
DRAGON: Final[Query] = {"prompt": "The dragon opened the door and"}

CLAIMS: Final = (
    Claim(
        "C01",
        LOOP,
        "Generation is one loop: run the model, choose a token from its last distribution, append "
        "it, run again.",
        "generate",
        "Press Next and follow the light around the loop: the output of a step is part of the "
        "input of the next.",
        CAT,
    ),
    Claim(
        "C02",
        LOOP,
        "The loop only moves forward. Going back is something that we do, and all that follows is "
        "generated anew.",
        "generate",
        "Press a token of the text and branch there: what came after it is generated anew.",
        {"prompt": "Once upon a time", "run": "12"},
    ),
    Claim(
        "C03",
        LOOP,
        "N output tokens take N passes, one after another: time grows with the length.",
        "prefill_decode",
        "Seconds against the length of the output.",
    ),
    Claim(
        "C04",
        LOOP,
        "A step yields one logit for every entry of the vocabulary; softmax makes them "
        "probabilities that sum to 1.",
        "generate",
        "Read the numbers on the loop’s arrows.",
        CAT,
    ),
    Claim(
        "C05",
        LOOP,
        "Generation stops at an end token, or at the length limit.",
        "generate",
        "Press Next until the end token is drawn: it is appended and shown, and no pass follows.",
        {"prompt": "They were all very happy.\nThe end.", "greedy": "1"},
    ),
    Claim(
        "C06",
        LOOP,
        "The prompt’s keys and values enter the cache in one pass; each new token’s enter in a "
        "pass of its own.",
        "generate",
        "Press Next and read “new cache entry” in the worked table, then the chart below it.",
        CAT,
    ),
    Claim(
        "C07",
        LOOP,
        "The loop is a dozen lines of code, and those lines are the ones that ran.",
        "generate",
        "Choose “show the code that ran” and play at 0.5 tokens/s: the lines light up as they run.",
        CAT,
    ),
    Claim(
        "C08",
        LOOP,
        "Streaming: each token can be shown when it is ready, long before the text is complete.",
        "prefill_decode",
        "A streamed answer beside one that is shown when it is complete.",
    ),
    Claim(
        "C09",
        LOOP,
        "The probability of a text is the product of its tokens’ conditional probabilities; its "
        "log-probability is their running sum.",
        "generate",
        "Press Next and read “sum of log p” in the worked table: each row adds its own log p.",
        {"prompt": "One day, a little girl named Lily", "run": "3"},
    ),
    Claim(
        "C10",
        LOOP,
        "Each distribution depends on the whole text before it: an early word moves a late one.",
        "generate",
        "Two texts differ in one early word: switch between the branches and watch the bars.",
        {"prompt": "The fish wanted to swim in the"},
        {"prompt": "The bird wanted to swim in the"},
    ),
    Claim(
        "C11",
        LOOP,
        "There is no draft to read: a pass gives the next distribution, and nothing after it.",
        "generate",
        "The bars show one distribution, for one position.",
        {"prompt": "Once upon a time"},
    ),
    Claim(
        "C41",
        LOOP,
        "Tokens are pieces, not words; rare words cost more of them.",
        "generate",
        "Open “The prompt as its tokens” and type: rare words, other scripts and emoji cost more.",
        {"prompt": "Unbelievably, the naïve crocodile paid 12345 € for a 🍓"},
    ),
    Claim(
        "C12",
        SAMPLING,
        "Greedy decoding takes the best token: the same text every time, and it can loop.",
        "generate",
        "Press Reset, then +20 a few times: the text never changes, and its phrases come back.",
        {**CAT, "greedy": "1", "run": "60~greedy:True"},
    ),
    Claim(
        "C13",
        SAMPLING,
        "Temperature divides the logits: below 1 it sharpens, above 1 it flattens, and the order "
        "of the tokens stays.",
        "generate",
        "Drag Temperature from 0.2 to 2 and watch its column: the bars move, their order does not.",
        {**CAT, "use": "temperature", "temperature": "1.5"},
    ),
    Claim(
        "C14",
        SAMPLING,
        "Top-k keeps a number of tokens, top-p a share of the mass, min-p what is near the best.",
        "generate",
        "The model is sure of one text and not of the other: switch between the branches and "
        "compare how many tokens each mask keeps.",
        {**LOOKED, "use": "top_p"},
        {"prompt": "Once upon a", "use": "top_p"},
    ),
    Claim(
        "C15",
        SAMPLING,
        "On the same logits the strategies keep different sets.",
        "generate",
        "Compare the columns: what is kept, and what is rejected.",
        LOOKED,
    ),
    Claim(
        "C16",
        SAMPLING,
        "Sampled twice, a prompt may give two texts; the same seed gives the same one.",
        "generate",
        "Two seeds are shown as branches. Reset and +20 gives each again, token for token.",
        {**DRAGON, "seed": "2", "run": "20~seed:2"},
        {**DRAGON, "seed": "1", "run": "20~seed:1"},
    ),
    Claim(
        "C17",
        SAMPLING,
        "At T = 0 a vote over many samples is void, for they are copies. At T = 0.7 it means "
        "something.",
        "sampling",
        "Twenty continuations, and their vote.",
    ),
    Claim(
        "C18",
        SAMPLING,
        "Under a constraint argmax can walk into a dead end; a little temperature, or looking "
        "ahead, gets out.",
        "constraints",
        "Step by argmax, then escape the dead end.",
    ),
    Claim(
        "C19",
        SAMPLING,
        "Order matters: temperature before top-p or after it keeps different sets.",
        "generate",
        "Open “More masks and penalties”, change the order from llama.cpp to transformers, and "
        "read how many tokens are kept.",
        {**LOOKED, "temperature": "1.8", "order": "llama.cpp"},
    ),
    Claim(
        "C22",
        CACHE,
        "Prefill reads all prompt tokens in one pass; per token it is many times cheaper than "
        "decode.",
        "prefill_decode",
        "The table of the two phases.",
    ),
    Claim(
        "C23",
        CACHE,
        "1000 tokens in and 50 out is much faster than 50 in and 1000 out.",
        "prefill_decode",
        "The two requests, side by side.",
    ),
    Claim(
        "C24",
        CACHE,
        "Keys and values of past tokens never change, so they can be kept.",
        "kv_cache",
        "With and without the cache: the largest gaps.",
    ),
    Claim(
        "C25",
        CACHE,
        "Without the cache the work of n tokens grows as n², with it nearly as n.",
        "kv_cache",
        "With and without the cache: the exponents.",
    ),
    Claim(
        "C26",
        CACHE,
        "A token takes a fixed number of bytes in the cache, and the formula gives it to the byte.",
        "kv_cache",
        "The grid gains one column per token.",
    ),
    Claim(
        "C27",
        CACHE,
        "Decode is bound by memory bandwidth: each step reads all weights to do little arithmetic.",
        "prefill_decode",
        "The roofline of this device.",
    ),
    Claim(
        "C28",
        CACHE,
        "Batching spreads one reading of the weights over many texts.",
        "prefill_decode",
        "Batches from 1 to 64.",
    ),
    Claim(
        "C29",
        CACHE,
        "Output tokens cost more than input tokens.",
        "prefill_decode",
        "The cost of a million tokens.",
    ),
    Claim(
        "C30",
        CACHE,
        "One score or one vector takes one parallel pass and no loop.",
        "prefill_decode",
        "Scoring the answers against generating one.",
    ),
    Claim(
        "C20",
        SEARCH,
        "Greedy is only locally optimal: a less likely token now can lead to a more likely whole.",
        "beam_search",
        "The tree, and greedy beside the exact best.",
    ),
    Claim(
        "C21",
        SEARCH,
        "Beam search gains little on open-ended text, and its text is blander.",
        "beam_search",
        "What each way of decoding costs and gives.",
    ),
    Claim(
        "C31",
        ADVANCED,
        "A draft proposes, the target verifies all proposals in one pass, and the text stays the "
        "same.",
        "speculative",
        "A round step by step; the proof on 100 prompts.",
    ),
    Claim(
        "C32",
        ADVANCED,
        "The speed-up follows agreement, and agreement comes from distillation.",
        "speculative",
        "Speed-up, predicted and measured.",
    ),
    Claim(
        "C33",
        ADVANCED,
        "A masked diffusion model fills many positions in a pass; more passes, better text.",
        "diffusion",
        "A page that is denoised in K passes.",
    ),
    Claim(
        "C34",
        ADVANCED,
        "Positions filled at once are blind to each other, so they clash.",
        "diffusion",
        "Few passes against many.",
    ),
    Claim(
        "C39",
        ADVANCED,
        "An encoder-decoder reads its input whole, first; then it generates token by token all "
        "the same.",
        "diffusion",
        "The gapfiller and its two caches.",
    ),
    Claim(
        "C35",
        ERRORS,
        "Early mistakes snowball: one wrong token, and the two texts part.",
        "snowball",
        "Force a token, then a hundred forks.",
    ),
    Claim(
        "C36",
        ERRORS,
        "Exposure bias: after its own tokens a model’s loss is not the one after true tokens.",
        "snowball",
        "Teacher forcing against free running.",
    ),
    Claim(
        "C37",
        ERRORS,
        "No position sees a later one, unless the causal mask is taken off.",
        "causal_mask",
        "Change a token; take the mask off.",
    ),
    Claim(
        "C38",
        ERRORS,
        "Training reads a whole text in parallel: one pass gives a loss at every position.",
        "causal_mask",
        "One pass against a loop of single steps.",
    ),
    Claim(
        "C40",
        ERRORS,
        "Context works forward: what is put in late cannot reach what is written already.",
        "snowball",
        "An instruction first, and after m tokens.",
    ),
    Claim(
        "C42",
        ERRORS,
        "What a model predicts depends on its training and on how much context it has.",
        "snowball",
        "Loss against context, early and last.",
    ),
    Claim(
        "C43",
        ERRORS,
        "Long outputs lose the thread: repeats grow with the position.",
        "snowball",
        "Texts out to the end of the context.",
    ),
    Claim(
        "C44",
        ERRORS,
        "After a bad token, going back costs only what came after it.",
        "snowball",
        "Compare five rewind strategies.",
    ),
    Claim(
        "C45",
        ERRORS,
        "The loop suits some tasks and not others; the measurements say which.",
        "claims",
        "The table at the foot of this page.",
    ),
)
