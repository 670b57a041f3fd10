"""Records what the cards of the guided lessons draw: python -m benchmarks.lesson_cards."""

import json
from typing import Any

from model.beam_search.records import ROOT, greedy_path, lineage
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.sampling import Settings
from model.tokenizing import text_of
from pages.frame.offers import DEFAULT_MODEL, DEFAULT_PROMPT
from pages.lessons.beam_search.state import SearchRequest, begin
from pages.lessons.prefill_decode.settings import RECORDINGS
from pages.lessons.tour.cards import RECORDED
from viz.prefill_decode.phase_charts import typical

N_WORDS, TOP_P = 5, 0.5
DIGITS = 4


def record_cards(lm: LanguageModel) -> dict[str, Any]:
    """Returns the shares of one step, whole and cut; a beam search; and the times of a race."""
    text = Generation(lm, DEFAULT_PROMPT)
    whole, cut = (text.stages_for(Settings(top_p=share))[-1] for share in (1.0, TOP_P))
    words = [text_of(lm.tokenizer, [int(i)]).strip() for i in whole.order[:N_WORDS]]
    return {
        "words": words,
        "whole": [round(float(share), DIGITS) for share in whole.best_probs[:N_WORDS]],
        "cut": [round(float(share), DIGITS) for share in cut.best_probs[: int(cut.kept.sum())]],
        "tree": _tree(lm),
        "race": _race(),
    }


def _tree(lm: LanguageModel) -> list[dict[str, Any]]:
    """Returns the kept texts: where the last token of each stands, and that before it."""
    search = begin(lm, SearchRequest()).steps.search
    search.run()
    ended = max(search.finished, key=lambda beam: beam.total)
    best, greedy = set(lineage(search.nodes, ended.node_id)), set(greedy_path(search.nodes))
    ranks = {node: i for step in search.steps for i, node in enumerate(step.beams)}
    n_rows = max(ranks.values()) + 1
    at = {ROOT: (0, (n_rows - 1) / 2)}
    found = list[dict[str, Any]]()
    for node in search.nodes:
        is_named = node.node_id in best | greedy
        is_shown = is_named or node.node_id in ranks
        if node.depth > ended.depth or node.parent not in at or not is_shown:
            continue
        at[node.node_id] = (
            node.depth,
            ranks.get(node.node_id, 0 if node.node_id in best else n_rows),
        )
        look = "best" if node.node_id in best else "greedy" if node.node_id in greedy else "kept"
        word = text_of(lm.tokenizer, [node.token_id]).strip()
        found.append({"from": at[node.parent], "to": at[node.node_id], "word": word, "look": look})
    return found


def _race() -> list[list[float]]:
    """Returns the seconds to the first and to the last token of both requests, as recorded."""
    run = next(one for one in RECORDINGS.values() if one.machine.model == DEFAULT_MODEL).phases
    both = typical(run.long_in), typical(run.long_out)
    return [[round(one.first_seconds, DIGITS), round(one.seconds, DIGITS)] for one in both]


def main() -> None:
    """Records the cards of the shipped model."""
    cards = record_cards(load_model(DEFAULT_MODEL))
    RECORDED.write_text(json.dumps(cards, indent=1) + "\n", encoding="utf-8")
    print(RECORDED.name)


if __name__ == "__main__":
    main()
