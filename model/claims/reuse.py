"""What a change of a text costs where its cache was kept: C47."""

import numpy as np

from model.claims.context import ExperimentContext
from model.claims.exact import rounding
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all
from model.generation import Generation
from model.kv_cache.prefix import change_token
from model.passes import prefill

LENGTH = 48  # tokens of the text
N_PLACES = 8  # at which a token of it is changed, the first and the last among them


@experiment("C47")
def a_change_costs_what_follows(context: ExperimentContext) -> Finding:
    """A token is changed at several positions, by the function that keeps the page's texts."""
    lm, ids = context.lm, context.ids(LENGTH)
    places = np.linspace(0, LENGTH - 1, N_PLACES).round().astype(int).tolist()
    kept, read, gaps, scales = list[int](), list[int](), list[float](), list[float]()
    for place in places:
        changed = change_token(ids, place)
        text, (fresh, _) = Generation(lm, ids), prefill(lm, changed, None)
        kept.append(text.turn_to(changed, LENGTH))
        read.append(text.last_pass.n_input)
        gaps.append(float(np.abs(text.logits - fresh).max()))
        scales.append(float(np.abs(fresh).max()))
    bar = rounding(lm, ids)
    return finding(
        "After a change at each of {n:count} positions of a text of {length:count} tokens, "
        "{kept:count} positions were kept and {read:count} tokens read, of {all:count}; the logits "
        "differ from those of a fresh pass without a cache by {gap:number} beside logits up to "
        "{scale:number}.",
        judge_all(
            "what stands before the change is kept, to the token",
            [n == place for n, place in zip(kept, places, strict=True)],
            "changes",
        ),
        judge_all(
            "the changed token and all after it are read, and no other",
            [n == LENGTH - place for n, place in zip(read, places, strict=True)],
            "changes",
        ),
        judge_all(
            "the logits are those of a fresh pass without a cache, to rounding",
            [gap <= bar * scale for gap, scale in zip(gaps, scales, strict=True)],
            "changes",
        ),
        why="This model’s cache cannot be cropped, or a position in it depends on what follows.",
        numbers={"n": len(places), "length": LENGTH, "kept": sum(kept), "read": sum(read)}
        | {"all": len(places) * LENGTH, "gap": max(gaps), "scale": max(scales)},
    )
