"""Three small cases around the end of a text, each computed by the page's own model.

The prompt's last space (GPT-2's tokens carry the space before a word, so that one at the end takes
it from the word that follows), a stop string whose tokens stand nowhere in the text, and an end
token that is accepted in the middle of a round of speculative decoding.
"""

from bisect import bisect_right
from itertools import accumulate

from model.draw import best_ids
from model.language_model import LanguageModel
from model.passes import prefill
from model.sampling import Settings, process
from model.speculative.decoding import decode_with_draft
from model.speculative.drafting import ModelDraft, check_pair
from model.stopping import StopStrings
from model.stopping.experiments import moments
from model.stopping.records import NextTokens, RoundEnd, StringSearch
from model.tokenizing import encode, encode_bare, labels_of, labels_of_text

N_SHOWN = 5  # likeliest tokens
N_DRAFT = 5  # tokens of a round
MAX_TOKENS = 200  # of the text that is written with a draft


def next_tokens(lm: LanguageModel, prompt: str) -> NextTokens:
    """Returns the tokens of a prompt, and the likeliest ones after it.

    Raises:
        ValueError: the prompt cannot be read.
    """
    ids = encode(lm, prompt)
    logits, _ = prefill(lm, ids, None)
    probs = process(logits, ids, Settings())[-1].probs
    best = best_ids(probs, N_SHOWN).tolist()
    chances = [float(probs[token_id]) for token_id in best]
    pairs = zip(labels_of(lm, best), chances, strict=True)
    return NextTokens(labels_of_text(lm, ids), tuple(pairs))


def search_string(lm: LanguageModel, text: str, string: str) -> StringSearch:
    """Looks for a stop string in a text, as characters and as the tokens that it has alone.

    Raises:
        ValueError: the text or the string cannot be taken apart, or the one is not in the other.
    """
    if string not in text:
        raise ValueError(f"“{string}” is not in the text: choose a part of it.")
    ids, alone = encode_bare(lm, text), encode_bare(lm, string)
    found = moments(lm, text, StopStrings((string,)))
    ends = list(accumulate(len(moment.data) for moment in found))
    first = bisect_right(ends, found[-1].n_sent)  # the token of the string's first byte
    return StringSearch(
        labels=labels_of(lm, ids),
        alone=labels_of(lm, alone),
        is_found_by_ids=any(ids[at : at + len(alone)] == alone for at in range(len(ids))),
        span=(first, len(found)),
        sent=found[-1].sent,
    )


def end_in_a_round(lm: LanguageModel, draft: LanguageModel, prompt: str) -> RoundEnd:
    """Writes greedily with a draft until the text ends, and returns its last round.

    Raises:
        ValueError: the draft's tokens are not the model's, or a cache cannot be cropped.
    """
    check_pair(lm, draft)
    drafter = ModelDraft(draft, lm.vocab_size)
    _, rounds = decode_with_draft(lm, drafter, encode(lm, prompt), N_DRAFT, MAX_TOKENS)
    last = rounds[-1]
    return RoundEnd(
        proposals=labels_of(lm, last.draft.ids),
        best=labels_of(lm, [int(row.argmax()) for row in last.rows]),
        n_accepted=last.n_accepted,
        has_ended=last.source is None,
        n_read=last.reads[0][1],
        n_kept=last.reads[0][2],
    )
