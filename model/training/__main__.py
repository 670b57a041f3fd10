r"""Makes the shipped family from a folder of text.

A corpus is a folder of .txt or .txt.gz files; a line <|endoftext|> stands between documents, and a
file without that line is taken as sentences, one per line. The steps, in order:

  python -m model.training tokenizer --corpus texts --out tokenizer
  python -m model.training storyteller --corpus texts --tokenizer tokenizer \
      --work runs/storyteller --out model/pretrained/storyteller \
      --early model/pretrained/storyteller_early
  python -m model.training scribbler --corpus texts --tokenizer tokenizer \
      --work runs/scribbler --out model/pretrained/scribbler --teacher model/pretrained/storyteller

A run writes a checkpoint every few minutes and goes on from it when the same command is given
again. When it ends, it exports the best weights and writes the model card; --export-only does that
from what a run has reached so far. With glibc, a run on a CPU is much faster if
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 is in its environment: the large buffers
of a step are then kept for the next one.
"""

import argparse
import dataclasses
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, PreTrainedModel

from model.training import card, measure
from model.training.checkpoint import DiskError, export, read_checkpoint, writing
from model.training.corpus import (
    CorpusError,
    Document,
    Ids,
    Mixture,
    Split,
    Stream,
    encode_documents,
    held_out_documents,
    read_sources,
    split_documents,
)
from model.training.evaluate import bits_per_byte
from model.training.family import (
    RECIPES,
    LossOf,
    Recipe,
    compiled,
    distillation_loss,
    make_model,
    next_token_loss,
)
from model.training.tokenizer import save_tokenizer, train_tokenizer
from model.training.train import Job, Judge, Plan, train

TOKENIZER_MIX = {"tinystories": 3.0, "fairy_tales": 0.25, "childrens_books": 0.15}
JUDGE = {"tinystories": 48, "sentences": 16}  # documents of the quick judge; 4 of any other source
JUDGE_CHARACTERS = 3000


@dataclass(frozen=True)
class Prepared:
    """A corpus read, split and turned into ids."""

    tokenizer: Tokenizer
    split: Split
    train_ids: dict[str, list[Ids]]
    held_out: dict[str, list[Document]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; a mistake of the caller is one sentence on stderr and status 2."""
    options = parse(arguments)
    try:
        if options.member == "tokenizer":
            make_tokenizer(options)
        else:
            make_member(RECIPES[options.member], options)
    except (CorpusError, DiskError, FileNotFoundError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m model.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    members = parser.add_subparsers(dest="member", required=True)
    for name in ("tokenizer", *RECIPES):
        purpose = (
            RECIPES[name].purpose if name in RECIPES else "The tokenizer that all members share."
        )
        member = members.add_parser(name, help=purpose, description=purpose)
        member.add_argument(
            "--corpus", type=Path, required=True, help="folder of .txt or .txt.gz files"
        )
        member.add_argument("--out", type=Path, required=True, help="folder to write")
        member.add_argument(
            "--seed", type=int, default=0, help="of the weights and of the mixture (0)"
        )
        if name in RECIPES:
            add_run_options(member, RECIPES[name])
    return parser.parse_args(arguments)


def add_run_options(member: argparse.ArgumentParser, recipe: Recipe) -> None:
    """The options of a training run."""
    member.add_argument("--tokenizer", type=Path, required=True, help="folder with tokenizer.json")
    member.add_argument(
        "--work", type=Path, required=True, help="folder for checkpoints and the log"
    )
    member.add_argument("--minutes", type=float, help=f"budget of time ({recipe.plan.minutes:g})")
    member.add_argument("--tokens", type=int, help="budget of tokens in place of minutes")
    member.add_argument(
        "--early", type=Path, help="folder for the early weights, to show what training gives"
    )
    member.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    member.add_argument(
        "--no-compile", action="store_true", help="for where no C compiler is at hand"
    )
    member.add_argument(
        "--export-only", action="store_true", help="train no further; export the best so far"
    )
    member.add_argument("--hardware", help="what to call this machine in the card")
    member.add_argument("--notes", type=Path, help="Markdown to put into the card: what was tried")
    if recipe.has_teacher:
        member.add_argument(
            "--teacher", type=Path, help="folder of the target; without it, no distillation"
        )


def make_tokenizer(options: argparse.Namespace) -> None:
    """Learns the merges from the documents that are not held out, and saves."""
    split = split_documents(read_sources(options.corpus))
    tokenizer = train_tokenizer(split.train, TOKENIZER_MIX, options.seed)
    with writing(options.out):
        save_tokenizer(tokenizer, options.out)


def make_member(recipe: Recipe, options: argparse.Namespace) -> None:
    """Trains one member, exports it, measures it, writes its card."""
    prepared = prepare(options.corpus, options.tokenizer)
    model = make_model(recipe.config, options.seed).to(options.device)
    if not options.export_only:
        train(make_job(model, prepared, options), make_plan(recipe, options), options.work)
    best = read_checkpoint(options.work / "best.pt")
    if best is None:
        raise FileNotFoundError(f"There are no weights in {options.work}: train first, or longer.")
    model.load_state_dict(best)
    export(model.cpu(), prepared.tokenizer, options.out)
    describe(recipe, prepared, options, options.out)
    early = read_checkpoint(options.work / "early.pt")
    if options.early and early is not None:
        model.load_state_dict(early)
        export(model, prepared.tokenizer, options.early, torch.float8_e4m3fn)
        describe(recipe, prepared, options, options.early, recipe.plan.early_at)


def prepare(corpus: Path, tokenizer_folder: Path) -> Prepared:
    """Reads, splits, encodes; the same corpus gives the same split every time."""
    path = tokenizer_folder / "tokenizer.json"
    if not path.exists():
        raise FileNotFoundError(
            f"There is no {path}: make it with `python -m model.training tokenizer`."
        )
    tokenizer = Tokenizer.from_file(str(path))
    split = split_documents(read_sources(corpus))
    return Prepared(
        tokenizer,
        split,
        {name: encode_documents(tokenizer, texts) for name, texts in split.train.items()},
        {name: held_out_documents(tokenizer, texts) for name, texts in split.held_out.items()},
    )


def make_plan(recipe: Recipe, options: argparse.Namespace) -> Plan:
    """The recipe's plan with the budget of the command line."""
    if options.tokens:
        return dataclasses.replace(
            recipe.plan, tokens=options.tokens, minutes=options.minutes or 0.0
        )
    return dataclasses.replace(recipe.plan, minutes=options.minutes or recipe.plan.minutes)


def make_job(model: PreTrainedModel, prepared: Prepared, options: argparse.Namespace) -> Job:
    """Puts the model, its loss, the rows and the judge together."""
    teacher_folder = getattr(options, "teacher", None)
    models = [model]
    loss_of: LossOf = next_token_loss(model)
    if teacher_folder:
        teacher = AutoModelForCausalLM.from_pretrained(teacher_folder, dtype=torch.float32)
        models.append(teacher.to(options.device))
        loss_of = distillation_loss(model, teacher)
    if not options.no_compile:
        loss_of = compiled(loss_of, models)
    streams = {
        name: Stream(documents, seed)
        for seed, (name, documents) in enumerate(sorted(prepared.train_ids.items()))
    }
    return Job(model, loss_of, Mixture(streams, options.seed), make_judge(prepared))


def make_judge(prepared: Prepared) -> Judge:
    """A quick look at the held-out split: few documents, the first part of each."""
    first = sorted(prepared.split.held_out, key=lambda name: name != "tinystories")
    few = {
        name: held_out_documents(
            prepared.tokenizer,
            [
                text[:JUDGE_CHARACTERS]
                for text in prepared.split.held_out[name][: JUDGE.get(name, 4)]
            ],
        )
        for name in first
    }

    def judge(model: torch.nn.Module) -> dict[str, float]:
        with torch.autocast(next(model.parameters()).device.type, dtype=torch.bfloat16):
            return {name: bits_per_byte(model, documents) for name, documents in few.items()}

    return judge


def describe(
    recipe: Recipe,
    prepared: Prepared,
    options: argparse.Namespace,
    folder: Path,
    early_at: int = 0,
) -> None:
    """Measures what was exported to a folder, and writes its card."""
    log = measure.read_log(options.work / "log.jsonl")
    last = next((note for note in log if note["tokens"] >= early_at > 0), log[-1])
    early = f" These are its weights after {last['tokens']:,} tokens: to show what training gives."
    facts = {
        "name": folder.name,
        "recipe": recipe.name,
        "purpose": recipe.purpose + (early if early_at else ""),
        "lesson": lesson(options),
        "hardware": options.hardware or hardware(options.device),
        "run": {key: last[key] for key in ("step", "tokens", "seconds")},
        "corpus": measure.measure_corpus(prepared.split, prepared.held_out, prepared.train_ids),
        "ngram": measure.measure_ngram(
            prepared.train_ids.values(), prepared.held_out, prepared.tokenizer.get_vocab_size()
        ),
        **measure.measure_model(folder, prepared.held_out),
    }
    if getattr(options, "teacher", None):
        facts["agreement"] = measure.measure_agreement(folder, options.teacher, prepared.held_out)
    notes = options.notes.read_text(encoding="utf-8") if options.notes and not early_at else ""
    with writing(folder):
        card.write_card(folder, facts, log, notes)


def lesson(options: argparse.Namespace) -> str:
    """What the model was taught, for its card."""
    if getattr(options, "teacher", None):
        return f"It learned the distributions of `{options.teacher.name}` (KL divergence at T = 1)."
    return "It learned to guess the next token."


def hardware(device: str) -> str:
    """The machine in words."""
    return (
        torch.cuda.get_device_name() if device.startswith("cuda") else f"{os.cpu_count()} CPU cores"
    )


if __name__ == "__main__":
    sys.exit(main())
