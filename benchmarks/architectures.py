"""Every architecture of transformers' causal mapping, the smallest of each, against transformers.

    python -m benchmarks.architectures             # all of them, and the table of docs/models.md
    python -m benchmarks.architectures gpt2 bamba  # some, printed

Each is tried in a process of its own, which is ended after a minute.
"""

import multiprocessing
import sys
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from transformers import __version__
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
from transformers.utils import logging

from benchmarks.one_architecture import ArchitectureOutcome, try_architecture
from model.sentences import cut

SECONDS = 60.0
_MAX_SAID = 100  # characters of why a model was not built
PAGE = Path(__file__).parents[1] / "docs" / "models.md"
BEGIN, END = "<!-- written by benchmarks.architectures -->", "<!-- up to here -->"
TITLES = {
    "equal": "equal to a pass over the whole text, and to `generate`",
    "generate differs": "equal to a pass over the whole text, from which `generate` itself parts",
    "said": "its cache parts from such a pass in longer texts, which is said as it is loaded",
    "differs": "parts from such a pass, and nothing is said",
    "refused": "refused in a sentence",
    "not built": "not built: transformers makes no small one",
}


def try_in_child(model_type: str) -> ArchitectureOutcome:
    """Tries an architecture in a process of its own, which may hang or end over it."""
    forking = multiprocessing.get_context("fork")  # it has all the imports already
    ours, theirs = forking.Pipe(duplex=False)
    child = forking.Process(target=_answer, args=(theirs, model_type))
    child.start()
    theirs.close()
    try:
        if not ours.poll(SECONDS):
            return ArchitectureOutcome(model_type, "not built", f"took more than {SECONDS:.0f} s")
        outcome: ArchitectureOutcome = ours.recv()
    except EOFError:
        return ArchitectureOutcome(model_type, "not built", "ended the process")
    else:
        return outcome
    finally:
        child.kill()
        child.join()


def _answer(pipe: Connection, model_type: str) -> None:
    warnings.filterwarnings("ignore")
    quieter: list[Callable[[], None]] = [logging.set_verbosity_error, logging.disable_progress_bar]
    for quiet in quieter:
        quiet()
    pipe.send(try_architecture(model_type))


def table(outcomes: Sequence[ArchitectureOutcome]) -> str:
    """Writes what became of each as the table of docs/models.md."""
    rows = [f"| {title} | {sum(o.state == s for o in outcomes)} |" for s, title in TITLES.items()]
    lines = [f"Of the {len(outcomes)} types of transformers {__version__}:", "", "| | types |"]
    lines += ["| --- | --: |", *rows, ""]
    groups: dict[str, list[str]] = {}
    for outcome in outcomes:
        groups.setdefault(_told_of(outcome), []).append(outcome.model_type)
    lines += ["| what is told | types |", "| --- | --- |"]
    lines += [f"| {told or 'nothing'} | {', '.join(types)} |" for told, types in groups.items()]
    return "\n".join(lines)


def _told_of(outcome: ArchitectureOutcome) -> str:
    """Says what a reader is told of a type; its own name is left out, to group what is alike."""
    said = cut(outcome.said, _MAX_SAID) if outcome.state == "not built" else outcome.said
    told = [said] if outcome.state in ("refused", "not built", "differs") else []
    words = " ".join(" ".join([*told, *outcome.notes]).split())
    return words.replace(outcome.model_type, "it").replace("|", "\\|")


def write(text: str) -> None:
    """Puts the table between its marks in docs/models.md."""
    page = PAGE.read_text("utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    chosen = sys.argv[1:]
    tried = []
    for name in chosen or MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        tried.append(try_in_child(name))
        print(f"{name}: {tried[-1].state} {tried[-1].said} {' '.join(tried[-1].notes)}", flush=True)
    if not chosen:
        write(table(tried))
