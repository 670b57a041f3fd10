"""The words of this field, one or two sentences each, and where a page shows the thing itself.

Data only: no Streamlit, no model. Definitions are those of the pages; arXiv ids name who brought
the thing in, or the reading to begin with. An entry's first line holds its name, the page that
shows it, and the ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTRIES = """\
acceptance rate | speculative | 2211.17192
The fraction of a draft model’s proposals that the target model keeps. Where both distributions are
alike it is high: its expected value is the sum of min(target, draft) over all tokens.

argmax | generate
The token with the highest score; of several that tie, the one with the lowest id here.

arithmetic intensity | prefill_decode
Floating-point operations per byte that is moved from memory. Below the ridge of the roofline a
device waits for memory, above it for its arithmetic.

attention | causal_mask | 1706.03762
At each position a weighted mean of the values of the positions that it may look at; the weights
come from how well its query fits their keys.

autoregressive | generate
Written one token after another, each drawn from a distribution that depends on all tokens before
it: what was written is read again as input.

batching | prefill_decode
Several texts in one pass. The weights are read from memory once for all of them, so tokens per
second rise until the arithmetic becomes the limit.

beam search | beam_search | 1609.08144
A search that keeps the B likeliest beginnings, extends each by one token, and keeps the best B by
joint probability.

bits per byte | causal_mask
The bits of surprise that a text costs a model, divided by the text’s bytes in UTF-8. It does not
depend on the tokenizer, so that models can be compared by it.

BPE | generate | 1508.07909
Byte-pair encoding: a tokenizer that begins with bytes or characters and keeps joining the pair that
is most frequent in its training text.

causal mask | causal_mask | 1706.03762
What keeps every position from attending to a later one, so that a text’s earlier logits never
depend on its later tokens.

chain rule | generate
The probability of a text is the product of its tokens’ conditional probabilities; its logarithm is
their sum.

coin | generate
The random number from 0 up to 1 that decides a draw: the bar of the distribution on which it falls
is the token. Ours depends on seed and position alone.

constrained decoding | constraints | 2307.09702
Generation in which, at each step, only tokens that can still lead to a valid text are kept: a list
of choices, a pattern, a grammar.

context length | snowball
The number of tokens that a model can read at once, prompt and output together.

decode | prefill_decode
The phase after prefill: one token goes in per pass, and the keys and values of all others come from
the cache.

decoder-only | diffusion | 1910.10683
A model with one causal stack that reads the prompt and writes the answer. An encoder-decoder reads
its input whole with one stack and writes with another.

diffusion model | diffusion | 2107.03006 2502.09992
For text: a model that starts from masked or noisy tokens and fills many positions per pass,
refining all of them in a number of passes.

distillation | speculative | 1503.02531
Training a small model on the distributions of a large one instead of on text alone; a draft model
that was distilled from its target agrees with it more often.

distribution | generate
A probability for every token of the vocabulary; they sum to 1.

draft model | speculative | 2211.17192 2302.01318
The small model that proposes tokens in speculative decoding; the target verifies them.

end token | generate
A token that ends a text when it is drawn (EOS). A model may have several.

entropy | sampling
The mean surprise of a distribution: 0 where one token is certain, the logarithm of the vocabulary’s
size where all are equally likely. In nats, or in bits when the logarithm has base 2.

eta sampling | sampling | 2210.15191
Keeps tokens whose probability reaches min(ε, √ε·e⁻ᴴ), a bound that falls as the entropy H rises.

exposure bias | snowball | 1506.03099 1511.06732
In training a model reads true text, in use its own: the difference in loss that comes from reading
prefixes it was never trained on.

FLOPs | kv_cache
Floating-point operations: how much arithmetic a pass does. FLOP/s is a rate, how much a device does
in a second.

greedy decoding | sampling
Always taking the argmax, which is temperature 0: the same prompt gives the same text every time.

grouped-query attention | kv_cache | 2305.13245 1911.02150
Several query heads share one head of keys and values, which makes the cache smaller by that factor.
With a single such head it is multi-query attention.

inter-token latency | prefill_decode
The gap between one token and the next (ITL). TPOT, time per output token, is the mean of these
gaps.

KL divergence | sampling
How many nats or bits of surprise are added, on average, for who expects one distribution and draws
from another. It is 0 for equal ones, infinite where an impossible token comes, and not symmetric.

KV cache | kv_cache
The keys and values of all tokens read so far, kept because they never change. It grows by 2 ×
layers × KV heads × head size × bytes per number with every token.

log score | guess
Minus the logarithm of the probability given to what came true. It is proper: on average nobody
scores better than by saying what they believe.

logit | generate
The raw score of a token, any real number. Softmax turns the logits of all tokens into
probabilities.

loss | causal_mask
In training the mean surprise of the true next tokens, in nats: minus the logarithm of their
probabilities, averaged over all positions (cross-entropy).

masked model | diffusion
A model that is trained to fill in hidden tokens and looks both ways, before and behind.

MBU | prefill_decode
Model bandwidth utilisation: the bytes of weights and cache that a decode step must read, divided by
its time and by the device’s peak bandwidth.

MFU | prefill_decode | 2204.02311
Model FLOPs utilisation: the arithmetic a pass does per second, divided by the device’s peak rate.

min-p | sampling | 2407.01082
Keeps tokens whose probability is at least a given fraction of the best one’s.

nat | generate
The unit of surprise and entropy with the natural logarithm; 1 nat is 1.44 bits.

non-autoregressive | diffusion | 1711.02281
Writing several positions in one pass, each blind to what the others become in that pass.

perplexity | causal_mask
The exponential of the mean loss: as unsure as a choice among so many equally likely tokens.

prefill | prefill_decode
The first pass over a prompt: all its tokens at once, in parallel, filling the cache.

prefix caching | kv_cache | 2309.06180
Keeping the cache of a text’s beginning for the next text that begins alike, so that only what
differs is read.

repetition penalty | sampling | 1909.05858
Makes tokens that occurred already less likely: a positive logit is divided by the penalty, a
negative one multiplied. Presence and frequency penalties subtract instead.

rewind | generate
Taking tokens back: the cache is cropped, and all that follows is generated anew. The model itself
cannot un-say anything.

roofline | prefill_decode
A figure of what a device can do at most at each arithmetic intensity: first a slope, memory
bandwidth, then a ceiling, the arithmetic (Williams, Waterman and Patterson 2009).

sampling | sampling
Drawing the next token at random by its probability, usually after masks have cut the unlikely ones.

seed | generate
The number from which all coins follow: the same seed, prompt and settings give the same text.

self-consistency | sampling | 2203.11171
Sampling several answers to one question and taking the commonest. At temperature 0 all are copies
of one.

Shannon’s estimate | guess
Bounds on the entropy of a text from how often a predictor’s first guess is right, the second, and
so on (Shannon 1951).

snowballing | snowball | 2305.13534
An early wrong token is part of all later input, and the text goes on from it.

softmax | generate
Exponentials divided by their sum: it turns scores into probabilities, and equal differences of
scores into equal ratios of probabilities.

speculative decoding | speculative | 2211.17192 2302.01318
A small draft model proposes several tokens and the large target checks them in one pass. What is
kept is distributed exactly as the target alone would write.

surprise | causal_mask
Minus the logarithm of the probability that a token was given: 0 if it was certain, the more the
less likely it was. Also called surprisal.

teacher forcing | snowball
Giving a model the true tokens before each position, whatever it would have written. Free running
gives it its own.

temperature | sampling
The number T by which logits are divided before softmax: below 1 it sharpens, above 1 it flattens,
and the order of the tokens stays.

time to first token | prefill_decode
From the request to the first token (TTFT): mostly the prefill.

token | generate
One entry of a vocabulary: a word, a piece of one, a sign, or a byte. A leading space belongs to it:
“ the” and “the” are two tokens.

tokenizer | generate | 1508.07909
What turns text into the ids of tokens and back. Each model has its own.

top-k | sampling | 1805.04833
Keeps the k tokens with the highest scores, whatever their mass; ties with the last are kept too.

top-n-sigma | sampling | 2411.07641
Keeps tokens whose logit is within n standard deviations of the best one, at any temperature.

top-p | sampling | 1904.09751
Keeps the smallest set of likeliest tokens whose probabilities reach p, so that its size follows the
shape of the distribution. Also called nucleus sampling.

typical sampling | sampling | 2202.00666
Keeps the tokens whose surprise is nearest to the entropy, until their mass reaches a bound: the
likeliest may be cut.

vocabulary | generate
All tokens that a model knows; every step gives each of them one logit.
"""


@dataclass(frozen=True)
class Term:
    """One entry."""

    name: str
    says: str  # one or two sentences
    page: str  # path of the page that shows it
    arxiv: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The name as an address: `/glossary#top-p`."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


def _read(entry: str) -> Term:
    head, says = entry.split("\n", 1)
    name, page, *papers = head.split(" | ")
    arxiv = tuple(papers[0].split()) if papers else ()
    return Term(name, " ".join(says.split()), f"pages/{page}.py", arxiv)


TERMS = tuple(_read(entry) for entry in _ENTRIES.strip().split("\n\n"))
