"""All that is said of generation, claim by claim: the sentence, where to see it, how to measure it.

The page draws its table from this list, and the tests of `tests/claims/` run the same experiments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from model.claims import ahead, cache, choosing, errors, loop, phases, search

if TYPE_CHECKING:
    from model.claims.bench import Experiment


@dataclass(frozen=True)
class Claim:
    """One thing that is said, and how it is measured here."""

    id: str  # "C01", never given to another
    section: str
    says: str
    page: str  # file of the page that shows it
    where: str  # what to look at there, or to press
    run: Experiment
    query: str = ""  # of the link that opens the page set up
    is_timed: bool = False  # its figures are of this device


HOME, LAB = "pages/generate.py", "pages/sampling.py"
KV, PHASES = "pages/kv_cache.py", "pages/prefill_decode.py"
BEAMS, CORNER = "pages/beam_search.py", "pages/constraints.py"
SPEC, FILL = "pages/speculative.py", "pages/diffusion.py"
MASK, SNOW = "pages/causal_mask.py", "pages/snowball.py"
CLAIMS_PAGE = "pages/claims.py"
LOOP, CHOOSING = "The loop", "Sampling"
CACHE = "Prefill, decode and the KV cache"
SEARCH, AHEAD = "Search", "Past one token per pass"
ERRORS = "Errors, training and architecture"
CAT, LOOK = "prompt=The+cat+sat+on+the", "prompt=She+looked+at+the"

CLAIMS = (
    Claim(
        "C01",
        LOOP,
        "Generation is one loop: run the model, choose a token from its last distribution, append "
        "it, run again.",
        HOME,
        "Press Next and follow the light around the loop.",
        loop.c01_one_loop,
        CAT,
    ),
    Claim(
        "C02",
        LOOP,
        "The loop only moves forward. Going back is something we do, and all that follows is "
        "written anew.",
        HOME,
        "Click a token of the text, then “branch”.",
        loop.c02_only_forward,
        f"{CAT}&run=12",
    ),
    Claim(
        "C03",
        LOOP,
        "N output tokens take N passes, one after another: time grows with the length.",
        PHASES,
        "Seconds against the length of the output.",
        loop.c03_time_grows_with_output,
        is_timed=True,
    ),
    Claim(
        "C04",
        LOOP,
        "A step yields one logit for every entry of the vocabulary; softmax makes them sum to 1.",
        HOME,
        "Read the numbers on the loop’s arrows.",
        loop.c04_one_logit_per_token,
        CAT,
    ),
    Claim(
        "C05",
        LOOP,
        "Generation stops at an end token, or at the length limit.",
        HOME,
        "Press Next until the end token is drawn.",
        loop.c05_it_stops,
        "prompt=They+were+all+very+happy.%0AThe+end.&greedy=1",
    ),
    Claim(
        "C06",
        LOOP,
        "The prompt’s keys and values enter the cache in one pass, each new token’s in its own.",
        HOME,
        "The worked table: input, prediction, new cache entry.",
        loop.c06_the_worked_table,
        f"{CAT}&run=4",
    ),
    Claim(
        "C07",
        LOOP,
        "The loop is a dozen lines of code, and those lines are the ones that ran.",
        HOME,
        "“show the code that ran”, then Play.",
        loop.c07_the_code_that_ran,
        CAT,
    ),
    Claim(
        "C08",
        LOOP,
        "Streaming: each token can be shown when it is ready, long before the text is.",
        PHASES,
        "One token streamed at a time against the whole.",
        loop.c08_streaming,
        is_timed=True,
    ),
    Claim(
        "C09",
        LOOP,
        "The probability of a text is the product of its tokens’: the log-probability is a "
        "running sum.",
        HOME,
        "log p(text | prompt), beside the text.",
        loop.c09_the_chain_rule,
        f"{CAT}&run=12",
    ),
    Claim(
        "C10",
        LOOP,
        "Each distribution depends on the whole text before it: an early word moves a late one.",
        HOME,
        "“An early word moves a late distribution”, below the figures.",
        loop.c10_the_whole_context_counts,
        "prompt=The+cat+saw+a+big+fish.+It+wanted+to",
    ),
    Claim(
        "C11",
        LOOP,
        "There is no draft to read: a pass gives the next distribution, and nothing after it.",
        HOME,
        "The bars: one distribution, for one position.",
        loop.c11_no_draft,
        CAT,
    ),
    Claim(
        "C41",
        LOOP,
        "Tokens are pieces, not words; rare words cost more of them.",
        HOME,
        "“The prompt as its tokens”, while you type.",
        loop.c41_pieces_not_words,
        "prompt=Unbelievably%2C+the+na%C3%AFve+crocodile+paid+12345+%E2%82%AC",
    ),
    Claim(
        "C12",
        CHOOSING,
        "Greedy takes the best token: the same text every time, and it can fall into a circle.",
        LAB,
        "“The circle”, with each of the penalties.",
        choosing.c12_greedy_repeats_itself,
    ),
    Claim(
        "C13",
        CHOOSING,
        "Temperature divides the logits: below 1 it sharpens, above 1 it flattens, and the order "
        "stays.",
        LAB,
        "Drag Temperature.",
        choosing.c13_temperature_keeps_the_order,
    ),
    Claim(
        "C14",
        CHOOSING,
        "Top-k keeps a number, top-p a share of the mass, min-p what is near the best.",
        LAB,
        "Choose the flat and the peaked distribution.",
        choosing.c14_top_p_follows_the_shape,
    ),
    Claim(
        "C15",
        CHOOSING,
        "On the same logits the strategies keep different sets.",
        HOME,
        "The bars side by side: kept and rejected.",
        choosing.c15_strategies_keep_different_sets,
        LOOK,
    ),
    Claim(
        "C16",
        CHOOSING,
        "Sampled twice, a prompt may give two texts; the same seed gives the same one.",
        HOME,
        "Reset and +20, with one seed and with another.",
        choosing.c16_a_seed_is_a_text,
        "prompt=The+dragon+opened+the+door+and&seed=1&run=20~seed%3A1",
    ),
    Claim(
        "C17",
        CHOOSING,
        "At T = 0 a vote over many samples is void: they are copies. At T = 0.7 it means "
        "something.",
        LAB,
        "“Twenty continuations”.",
        choosing.c17_a_vote_without_chance_is_void,
    ),
    Claim(
        "C18",
        CHOOSING,
        "Under a constraint argmax can walk into a corner; a little chance, or looking ahead, gets "
        "out.",
        CORNER,
        "Step by argmax, then “the ways out”.",
        search.c18_argmax_in_a_corner,
    ),
    Claim(
        "C19",
        CHOOSING,
        "Order matters: temperature before top-p or after it keeps different sets.",
        LAB,
        "The four engines’ orders, side by side.",
        choosing.c19_order_matters,
    ),
    Claim(
        "C20",
        SEARCH,
        "Greedy is only locally optimal: a less likely token now can lead to a more likely whole.",
        BEAMS,
        "The tree, and greedy beside the exact best.",
        search.c20_greedy_is_locally_optimal,
    ),
    Claim(
        "C21",
        SEARCH,
        "A beam gains little on open-ended text, and its text is blander.",
        BEAMS,
        "What it costs and gives.",
        search.c21_beams_are_blander,
    ),
    Claim(
        "C22",
        CACHE,
        "Prefill reads all prompt tokens in one pass; per token it is many times cheaper than "
        "decode.",
        PHASES,
        "The table of the two phases.",
        cache.c22_prefill_is_cheap_per_token,
        is_timed=True,
    ),
    Claim(
        "C23",
        CACHE,
        "Much in and little out is far faster than little in and much out.",
        PHASES,
        "1000 in, 50 out against 50 in, 1000 out.",
        cache.c23_long_in_beats_long_out,
        is_timed=True,
    ),
    Claim(
        "C24",
        CACHE,
        "Keys and values of past tokens never change, so they can be kept.",
        KV,
        "“With and without the cache”: the largest gaps.",
        cache.c24_the_past_never_changes,
    ),
    Claim(
        "C25",
        CACHE,
        "Without the cache the work of n tokens grows as n², with it nearly as n.",
        KV,
        "“With and without the cache”: the exponents.",
        cache.c25_the_square_becomes_a_line,
        is_timed=True,
    ),
    Claim(
        "C26",
        CACHE,
        "A token takes a fixed number of bytes in the cache, and the formula tells it to the byte.",
        KV,
        "The grid that gains one column per token.",
        cache.c26_bytes_per_token,
    ),
    Claim(
        "C27",
        CACHE,
        "Decode is bound by memory: each step reads all weights to do little arithmetic.",
        PHASES,
        "The roofline of this device.",
        phases.c27_decode_reads_much_to_compute_little,
        is_timed=True,
    ),
    Claim(
        "C28",
        CACHE,
        "A batch spreads one reading of the weights over many texts.",
        PHASES,
        "Batches from 1 to 64.",
        phases.c28_a_batch_shares_the_weights,
        is_timed=True,
    ),
    Claim(
        "C29",
        CACHE,
        "Output tokens cost more than input tokens.",
        PHASES,
        "The cost of a million tokens.",
        phases.c29_output_costs_more,
        is_timed=True,
    ),
    Claim(
        "C30",
        CACHE,
        "One score or one vector takes one parallel pass and no loop.",
        PHASES,
        "Scoring against writing the answer.",
        phases.c30_one_pass_for_a_score,
        is_timed=True,
    ),
    Claim(
        "C31",
        AHEAD,
        "A draft guesses, the target checks all guesses in one pass, and the text stays the same.",
        SPEC,
        "A round step by step; the proof on 100 prompts.",
        ahead.c31_a_draft_changes_nothing,
    ),
    Claim(
        "C32",
        AHEAD,
        "The gain follows agreement, and agreement comes from distillation.",
        SPEC,
        "Speed-up, predicted and measured.",
        ahead.c32_the_gain_follows_agreement,
        is_timed=True,
    ),
    Claim(
        "C33",
        AHEAD,
        "A masked-diffusion model fills many positions in a pass; more passes, better text.",
        FILL,
        "A page that settles in K passes.",
        ahead.c33_few_passes_or_many,
    ),
    Claim(
        "C34",
        AHEAD,
        "Positions filled at once are blind to each other, so they clash.",
        FILL,
        "Few passes against many.",
        ahead.c34_blind_to_each_other,
    ),
    Claim(
        "C39",
        AHEAD,
        "An encoder-decoder reads its input whole, first; then it generates token by token all "
        "the same.",
        FILL,
        "The gapfiller and its two caches.",
        ahead.c39_an_encoder_reads_first,
    ),
    Claim(
        "C35",
        ERRORS,
        "Early mistakes snowball: one wrong token, and the two texts part.",
        SNOW,
        "Force a token, then a hundred forks.",
        errors.c35_errors_snowball,
    ),
    Claim(
        "C36",
        ERRORS,
        "Exposure bias: after its own tokens a model’s loss is not the one after true tokens.",
        SNOW,
        "Teacher forcing against free running.",
        errors.c36_exposure_bias,
    ),
    Claim(
        "C37",
        ERRORS,
        "No position sees a later one, until the causal mask is taken off.",
        MASK,
        "Change a token; take the mask off.",
        errors.c37_no_position_sees_a_later_one,
    ),
    Claim(
        "C38",
        ERRORS,
        "Training reads a whole text at once: one pass gives a loss at every position.",
        MASK,
        "One pass against a loop of single steps.",
        errors.c38_a_loss_at_every_position_at_once,
    ),
    Claim(
        "C40",
        ERRORS,
        "Context works forward: what is put in late cannot reach what is written already.",
        SNOW,
        "A constraint first, and after m tokens.",
        errors.c40_context_works_forward,
    ),
    Claim(
        "C42",
        ERRORS,
        "What a model predicts depends on its training and on how much context it has.",
        SNOW,
        "Loss against context, early and last.",
        errors.c42_training_and_context,
    ),
    Claim(
        "C43",
        ERRORS,
        "Long outputs lose the thread: repeats grow with the position.",
        SNOW,
        "Texts out to the end of the context.",
        errors.c43_long_texts_lose_the_thread,
    ),
    Claim(
        "C44",
        ERRORS,
        "After a bad token, going back costs only what came after it.",
        SNOW,
        "Stop, go back, choose again.",
        errors.c44_stop_go_back_choose_again,
    ),
    Claim(
        "C45",
        ERRORS,
        "The loop suits some tasks and not others; the measurements say which.",
        CLAIMS_PAGE,
        "The table at the foot of this page.",
        errors.c45_when_to_use_the_loop,
        is_timed=True,
    ),
)
