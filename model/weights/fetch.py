"""A model comes from the hub to this disk, once everything but its weights has been looked at.

What is wrong with it is said before anything large is fetched: that it cannot be read, that it does
not fit in memory, that it does not fit on the disk.
"""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from model.job import LOOK_SECONDS, Progress, Stopped, Work, finish, meanwhile
from model.sentences import Numeral, Sentence, apart, cut
from model.weights.check import INDEX, LoadError, bytes_of, check_causal, shards_of
from model.weights.device import check_memory, host_bytes
from model.weights.download import DamagedError, Download, shared_download
from model.weights.hub import HubModel, ask, host, hub_error
from model.weights.reading import Say, check_readable, load_tokenizer, reading

UNITS = {"GB": 10**9, "MB": 10**6, "kB": 10**3, "bytes": 1}
_IN_UNITS = 20  # at least so many, so that the bar moves


def fetch(
    name: str,
    places: Sequence[torch.device],
    numbers: torch.dtype,
    *,
    is_guarded: bool = False,
    is_to_write: bool = False,
) -> Work[Path]:
    """Brings a model to this disk, and returns its folder.

    Who asks for the same commit meanwhile waits for the same download. Stopped by the last who
    waits, it is held up, and goes on from there when it is asked for again.

    Args:
        name: a hub id, with or without a revision.
        places: where it is to run.
        numbers: in which it is to be loaded.
        is_guarded: look at its files in another process first.
        is_to_write: refuse what does not write from left to right.

    Raises:
        LoadError: one sentence with the remedy.
    """
    asking: Work[Any] = meanwhile(
        partial(ask, name), Sentence("asking {host} for {model}", host=host(), model=name)
    )
    model: HubModel = yield from asking
    counts = model.counts or _as_stored(model)
    n_bytes = bytes_of(counts, numbers.itemsize)
    check_memory(name, n_bytes, places, host_bytes(counts, numbers))

    def look() -> Path:
        folder = _fetch_before_weights(model, name)
        with reading(name):
            kind = check_readable(folder, name, model.base, is_guarded=is_guarded)
            if is_to_write:
                check_causal(kind, name)
            load_tokenizer(folder, name)
        _check_files(model, folder, name)
        return folder

    folder = yield from meanwhile(
        look, Sentence("looking at the config and the tokenizer of {model}", model=name)
    )
    return (yield from _fetch_weights(model, name, folder))


def fetch_now(
    name: str,
    places: Sequence[torch.device],
    numbers: torch.dtype,
    say: Say,
    *,
    is_guarded: bool = False,
) -> Path:
    """Does all of it at once, and says in words how far it is."""

    def tell(progress: Progress[Path]) -> None:
        share = f"{progress.n_done:,} of {progress.n_total:,} {progress.unit} of {name}, "
        doing = progress.doing
        say(share + doing if progress.n_total else doing[:1].upper() + doing[1:])

    return finish(fetch(name, places, numbers, is_guarded=is_guarded), tell)


def _as_stored(model: HubModel) -> dict[str, int]:
    """Counts numbers as if each took two bytes, where the hub has not looked into the files."""
    files = (file for file in model.sizes if file.endswith(".safetensors"))
    return {"F16": sum(model.sizes[file] for file in files) // 2}


def _fetch_before_weights(model: HubModel, name: str) -> Path:
    from huggingface_hub import hf_hub_download, utils

    # progress goes to the page, not to the terminal
    utils.disable_progress_bars()  # type: ignore[attr-defined]  # documented, not exported
    try:
        paths = [
            hf_hub_download(model.repo_id, file, revision=model.revision)
            for file in model.before_weights
        ]
    except Exception as error:  # of the hub's, the network's or the disk's many kinds
        raise hub_error(name, error) from error
    return Path(paths[0]).parent


def _check_files(model: HubModel, folder: Path, name: str) -> None:
    if (folder / INDEX).is_file():
        missing = [shard for shard in shards_of(folder, name) if shard not in model.sizes]
        if missing:
            raise LoadError(
                Sentence(
                    "{name} lacks {file}: choose another repository.", name=name, file=missing[0]
                )
            )
    need = sum(n for file, n in model.sizes.items() if not (folder / file).is_file())
    free = shutil.disk_usage(folder).free
    if need > free:
        needed, there = apart(need / 1e9, free / 1e9)
        raise LoadError(
            Sentence(
                "{name} takes {needed} GB on disk and {there} GB is free: free some space, or "
                "choose a smaller model.",
                name=name,
                needed=needed,
                there=there,
            )
        )


def _fetch_weights(model: HubModel, name: str, folder: Path) -> Work[Path]:
    download = shared_download(model.repo_id, model.revision, model.revision.resolved, model.sizes)
    unit = next(u for u, n in UNITS.items() if download.n_bytes >= _IN_UNITS * n or n == 1)
    download.n_readers += 1
    try:
        while download.is_running:
            n_done, n_total = download.n_done / UNITS[unit], download.n_bytes / UNITS[unit]
            yield Progress(round(n_done), round(n_total), _pace(download), unit=unit)
            download.wait(LOOK_SECONDS)
    except Stopped:
        if download.n_readers == 1:
            download.hold()
        raise
    finally:
        download.n_readers -= 1
    if download.error is not None:
        raise _broken(download, name) from download.error
    return folder


def _pace(download: Download) -> Sentence:
    """Says how fast it comes, and how long it will take at that pace."""
    rate = download.bytes_per_second
    if rate <= 0:
        return Sentence("waiting for the first bytes")
    seconds = (download.n_bytes - download.n_done) / rate
    pace = Numeral(format(rate / 1e6, ".1f"))
    if seconds < 90:
        left = format(seconds, ".0f")
        return Sentence("{pace} MB/s, {seconds} s left", pace=pace, seconds=left)
    left = format(seconds / 60, ".0f")
    return Sentence("{pace} MB/s, {minutes} min left", pace=pace, minutes=left)


def _broken(download: Download, name: str) -> LoadError:
    """Says what ended a download that had begun."""
    import httpx2

    if isinstance(download.error, DamagedError):
        return LoadError(
            Sentence(
                "{file} of {name} came otherwise than {host} has it and was thrown away: try "
                "again; whole files stay.",
                file=str(download.error),
                name=cut(name),
                host=host(),
            )
        )
    if isinstance(download.error, httpx2.TransportError):
        return LoadError(
            Sentence(
                "The connection to {host} broke at {done} of {size} MB of {name}: try again; "
                "whole files stay.",
                host=host(),
                done=format(download.n_done / 1e6, ",.0f"),
                size=format(download.n_bytes / 1e6, ",.0f"),
                name=cut(name),
            )
        )
    assert download.error is not None
    return hub_error(name, download.error)
