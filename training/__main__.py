r"""Makes the shipped family from a folder of text.

A corpus is a folder of .txt or .txt.gz files; a line <|endoftext|> stands between documents, and a
file without that line is taken as sentences, one per line. The steps, in order:

  python -m training tokenizer --corpus texts --out tokenizer
  python -m training storyteller --corpus texts --tokenizer tokenizer \
      --work runs/storyteller --out model/pretrained/storyteller \
      --early model/pretrained/storyteller_early
  python -m training lessons --teacher model/pretrained/storyteller \
      --tokens 3000000 --out runs/lessons
  python -m training scribbler --corpus texts --tokenizer tokenizer \
      --work runs/scribbler --out model/pretrained/scribbler \
      --teacher model/pretrained/storyteller --lessons runs/lessons
  python -m training unmasker --corpus texts --tokenizer tokenizer \
      --work runs/unmasker --out model/pretrained/unmasker \
      --start model/pretrained/storyteller --judge model/pretrained/storyteller
  python -m training gapfiller --corpus texts --tokenizer tokenizer \
      --work runs/gapfiller --out model/pretrained/gapfiller \
      --start model/pretrained/storyteller
  python -m training.stories model/pretrained/storyteller --corpus texts
  python -m training compare --corpus texts --tokenizer tokenizer --tokens 1500000 \
      --trial 256x8 --trial 192x6 --trial 256x8,0.1 --work runs/compare --out compared

The storyteller writes from left to right, and the scribbler guesses what it will write, taught by
what the storyteller wrote. Two more are trained alike, and differ in their lesson alone:

  python -m training scribbler --corpus texts --tokenizer tokenizer --tokens 6000000 \
      --work runs/plain --out model/pretrained/scribbler_plain \
      --target model/pretrained/storyteller
  python -m training scribbler --corpus texts --tokenizer tokenizer --tokens 6000000 \
      --work runs/taught --out model/pretrained/scribbler_taught \
      --teacher model/pretrained/storyteller --twin model/pretrained/scribbler_plain

The unmasker fills a page of masks, many places in one pass; the gapfiller reads a text with gaps
and writes the missing pieces.

A run writes a checkpoint every few minutes and goes on from it when the same command is given
again. When it ends, it exports the best weights and writes the model card; --export-only does that
from what a run has reached so far. With glibc, a run on a CPU is much faster if
MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 is in its environment: the large buffers
of a step are then kept for the next one.
"""

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, LlamaForCausalLM, PreTrainedModel

from training.adapt import StartError, start_from
from training.checkpoint import DiskError, export, read_checkpoint, writing
from training.compare import TrialError, variant, write_comparison
from training.corpus import (
    CorpusError,
    Document,
    DocumentStream,
    Ids,
    Mixture,
    Split,
    cut_openings,
    encode_documents,
    held_out_documents,
    read_sources,
    split_documents,
)
from training.distillation_data import Lessons, read_lessons, write_lessons
from training.family import RECIPES, Recipe, make_model
from training.filling import EXACT
from training.measure import read_log
from training.objectives import compiled, distillation_loss
from training.report import describe
from training.tokenizer import save_tokenizer, train_tokenizer
from training.train import Judge, Plan, RowSource, Training, train

TOKENIZER_MIX = {"tinystories": 3.0, "fairy_tales": 0.25, "childrens_books": 0.15}
JUDGE = {"tinystories": 48, "sentences": 16}  # documents of the quick judge; 4 of any other source
JUDGE_CHARACTERS = 3000
# other members, as folders, that a run may ask for
RELATIVES = {
    "teacher": "the target, whose distributions are learned; without it, no distillation",
    "lessons": "what that teacher wrote, read again and again; without it, the corpus alone",
    "target": "the target of a draft that is not distilled, to report their agreement",
    "twin": "the same draft, trained alike and taught otherwise, to stand beside it in the card",
    "start": "a causal model whose embeddings and first layers it begins with",
    "judge": "a causal model that judges its pages; without it, the card has no table of them",
}


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
        elif options.member == "lessons":
            make_lessons(options)
        elif options.member == "compare":
            make_comparison(RECIPES["storyteller"], options)
        else:
            make_member(RECIPES[options.member], options)
    except (CorpusError, DiskError, FileNotFoundError, StartError, TrialError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    members = parser.add_subparsers(dest="member", required=True)
    others = {
        "tokenizer": "The tokenizer that all members share.",
        "lessons": "What a teacher writes, for its draft to learn from.",
        "compare": "Shapes and dropouts of the storyteller at the same few tokens.",
    }
    for name, purpose in (
        others | {name: recipe.purpose for name, recipe in RECIPES.items()}
    ).items():
        member = members.add_parser(name, help=purpose, description=purpose)
        if name == "lessons":
            add_lesson_options(member)
            continue
        member.add_argument(
            "--corpus", type=Path, required=True, help="folder of .txt or .txt.gz files"
        )
        member.add_argument("--out", type=Path, required=True, help="folder to write")
        member.add_argument(
            "--seed", type=int, default=0, help="of the weights and of the mixture (0)"
        )
        if name != "tokenizer":
            add_run_options(member)
        if name == "compare":
            member.add_argument(
                "--trial", action="append", required=True, help="such as 192x6 or 256x8,0.1"
            )
        if name in RECIPES:
            add_member_options(member, RECIPES[name])
    return parser.parse_args(arguments)


def add_lesson_options(member: argparse.ArgumentParser) -> None:
    """The options of what a teacher writes."""
    member.add_argument("--teacher", type=Path, required=True, help="a causal model's folder")
    member.add_argument("--out", type=Path, required=True, help="folder to write, or to add to")
    member.add_argument("--tokens", type=int, default=3_000_000, help="to be written (3,000,000)")
    member.add_argument("--seed", type=int, default=0, help="of the pointers")
    add_device_option(member)


def add_device_option(member: argparse.ArgumentParser) -> None:
    """The option that says where to compute."""
    member.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")


def add_run_options(member: argparse.ArgumentParser) -> None:
    """The options of a training run."""
    member.add_argument("--tokenizer", type=Path, required=True, help="folder with tokenizer.json")
    member.add_argument(
        "--work", type=Path, required=True, help="folder for checkpoints and the log"
    )
    member.add_argument("--minutes", type=float, help="budget of time; the recipe has its own")
    member.add_argument("--tokens", type=int, help="budget of tokens in place of minutes")
    add_device_option(member)
    member.add_argument(
        "--no-compile", action="store_true", help="for where no C compiler is at hand"
    )


def add_member_options(member: argparse.ArgumentParser, recipe: Recipe) -> None:
    """The options of what is exported and said of it, and the other members it may be given."""
    member.add_argument(
        "--early", type=Path, help="folder for the early weights, to show what training gives"
    )
    member.add_argument(
        "--export-only", action="store_true", help="train no further; export the best so far"
    )
    member.add_argument("--hardware", help="what to call this machine in the card")
    member.add_argument("--notes", type=Path, help="Markdown to put into the card: what was tried")
    for name, purpose in RELATIVES.items():
        if name in recipe.relatives:
            member.add_argument(f"--{name}", type=Path, help=purpose)


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
    if getattr(options, "start", None):
        start_from(LlamaForCausalLM.from_pretrained(options.start, **EXACT), model)
    if not options.export_only:
        train(make_job(recipe, model, prepared, options), make_plan(recipe, options), options.work)
    best = read_checkpoint(options.work / "best.pt")
    if best is None:
        raise FileNotFoundError(f"There are no weights in {options.work}: train first, or longer.")
    known = (prepared.split, prepared.train_ids, prepared.held_out, prepared.tokenizer)
    model.load_state_dict(best)
    export(model.cpu(), prepared.tokenizer, options.out)
    describe(recipe, *known, options, options.out)
    early = read_checkpoint(options.work / "early.pt")
    if options.early and early is not None:
        model.load_state_dict(early)
        export(model, prepared.tokenizer, options.early, torch.float8_e4m3fn)
        describe(recipe, *known, options, options.early, recipe.plan.early_at)


def make_lessons(options: argparse.Namespace) -> None:
    """Lets a model write what its draft will learn from."""
    teacher = AutoModelForCausalLM.from_pretrained(
        options.teacher, dtype=torch.bfloat16, local_files_only=True
    )
    write_lessons(teacher.to(options.device), options.out, options.tokens, options.seed)


def make_comparison(recipe: Recipe, options: argparse.Namespace) -> None:
    """Trains variants of one recipe alike, and draws their curves."""
    prepared = prepare(options.corpus, options.tokenizer)
    found = {}
    for trial in options.trial:
        changed = variant(recipe, trial)
        model = make_model(changed.config, options.seed).to(options.device)
        work = options.work / trial
        train(make_job(changed, model, prepared, options), make_plan(changed, options), work)
        log = read_log(work / "log.jsonl")
        found[trial] = {"parameters": model.num_parameters(), "log": log}
    with writing(options.out):
        sys.stdout.write(write_comparison(options.out, found) + "\n")


def prepare(corpus: Path, tokenizer_folder: Path) -> Prepared:
    """Reads, splits, encodes; the same corpus gives the same split every time."""
    path = tokenizer_folder / "tokenizer.json"
    if not path.exists():
        raise FileNotFoundError(f"There is no {path}: make it with `python -m training tokenizer`.")
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


def make_job(
    recipe: Recipe, model: PreTrainedModel, prepared: Prepared, options: argparse.Namespace
) -> Training:
    """Puts the model, its loss, the rows and the judge together."""
    teacher_folder = getattr(options, "teacher", None)
    lesson_folder = getattr(options, "lessons", None)
    models = [model]
    loss_of = recipe.loss_of(model)
    if teacher_folder:
        teacher = AutoModelForCausalLM.from_pretrained(teacher_folder, **EXACT)
        models.append(teacher.to(options.device))
        loss_of = distillation_loss(model, teacher)
    if not options.no_compile:
        loss_of = compiled(loss_of, models)
    streams = {
        name: DocumentStream(documents, seed, recipe.openings)
        for seed, (name, documents) in enumerate(sorted(prepared.train_ids.items()))
    }
    mixture = Mixture(streams, options.seed)
    batches: RowSource = mixture
    if teacher_folder and lesson_folder:
        batches = Lessons(read_lessons(lesson_folder), mixture, options.seed)
    return Training(model, loss_of, batches, make_judge(recipe, prepared))


def make_judge(recipe: Recipe, prepared: Prepared) -> Judge:
    """A quick look at the held-out split: few documents, the first part of each."""
    first = sorted(prepared.split.held_out, key=lambda name: name != "tinystories")
    few = {name: prepared.split.held_out[name][: JUDGE.get(name, 4)] for name in first}
    cut = {
        name: held_out_documents(prepared.tokenizer, [text[:JUDGE_CHARACTERS] for text in texts])
        for name, texts in few.items()
    }
    if recipe.n_judged:
        cut = {
            name: cut_openings(prepared.tokenizer, documents, recipe.n_judged)
            for name, documents in cut.items()
        }

    def judge(model: torch.nn.Module) -> dict[str, float]:
        with torch.autocast(next(model.parameters()).device.type, dtype=torch.bfloat16):
            return {name: recipe.judge(model, documents) for name, documents in cut.items()}

    return judge


if __name__ == "__main__":
    sys.exit(main())
