"""Files of a repository on their way into `huggingface_hub`'s cache, a thread of their own to each.

Everything about the transfer is the library's: addresses, headers, retries, the cache. Its progress
hook tells us each piece that came, and there we can hold it up. When a connection breaks, it asks
for the rest of a file, from where that ends; a download that was held up goes on in the same way.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx2

from model.weights.check import LoadError, count_numbers

_ABANDONED_SECONDS = 86_400.0  # without a write: one that is held up may go on for a while yet
PIECE_BYTES = 1 << 18  # between two looks at whether to go on; what of a piece has come is lost


class DamagedError(OSError):
    """A file came otherwise than the hub has it, and was thrown away; the message is its name."""


class Download:
    """Some files of one commit, fetched one after another."""

    def __init__(self, repo_id: str, revision: str, sizes: Mapping[str, int]) -> None:
        """Begins at once.

        Args:
            repo_id: of the model.
            revision: as huggingface_hub resolved it.
            sizes: bytes of the files, by name, in the order in which they are wanted.
        """
        self.error: Exception | None = None
        self.is_running = True
        self.n_readers = 0  # who wait for it
        self.n_bytes = sum(sizes.values())
        self._of_files, self._of_this_file = 0, 0  # bytes: of whole ones, of the one on its way
        self._change = threading.Condition()
        self._is_held = self._is_given_up = False
        self._since, self._n_then = time.monotonic(), 0
        self._thread = threading.Thread(
            target=self._fetch, args=(repo_id, revision, sizes), daemon=True
        )
        atexit.register(self.give_up)  # which leaves no half file behind
        self._thread.start()

    @property
    def n_done(self) -> int:
        """Bytes that are here."""
        return min(self.n_bytes, self._of_files + self._of_this_file)

    @property
    def bytes_per_second(self) -> float:
        """Since it last went on."""
        return (self.n_done - self._n_then) / max(1e-9, time.monotonic() - self._since)

    def hold(self) -> None:
        """Lets nothing more come until it goes on."""
        with self._change:
            self._is_held = True

    def go_on(self) -> None:
        """Lets it come, if it was held up."""
        with self._change:
            if self._is_held:
                self._is_held, self._since, self._n_then = False, time.monotonic(), self.n_done
            self._change.notify_all()

    def give_up(self, patience: float = 2.0) -> None:
        """Ends it; whole files stay."""
        with self._change:
            self._is_given_up = True
            self._change.notify_all()
        self._thread.join(patience)

    def wait(self, seconds: float) -> None:
        """Waits for its end, but no longer than that."""
        self._thread.join(seconds)

    def _fetch(self, repo_id: str, revision: str, sizes: Mapping[str, int]) -> None:
        from huggingface_hub import constants

        # in small pieces over one connection, which can be held up, unlike the many of Xet
        constants.HF_HUB_DISABLE_XET, constants.DOWNLOAD_CHUNK_SIZE = True, PIECE_BYTES
        clear_half_files(repo_id)
        try:
            for file, n_bytes in sizes.items():
                self._fetch_one(repo_id, revision, file)
                self._n_then += 0 if self._of_this_file else n_bytes  # it was here
                self._of_files, self._of_this_file = self._of_files + n_bytes, 0
        except Exception as error:  # the network's, the hub's, the disk's: those who wait say which
            self.error = error
        finally:
            self.is_running = False
            atexit.unregister(self.give_up)

    def _fetch_one(self, repo_id: str, revision: str, file: str) -> None:
        """Fetches a file that is not here, or not whole.

        Raises:
            DamagedError: where it came with another size, or with other bytes, than the hub says.
        """
        from huggingface_hub import hf_hub_download, try_to_load_from_cache

        here = try_to_load_from_cache(repo_id, file, revision=revision)
        bar = partial(_Bar, self._count)
        try:
            path = hf_hub_download(  # type: ignore[call-overload]  # what makes a bar will do
                repo_id,
                file,
                revision=revision,
                tqdm_class=bar,
                force_download=isinstance(here, str) and is_damaged(Path(here)),
            )
        except OSError as error:
            if "Consistency check" in str(error):
                raise DamagedError(file) from error
            raise
        if self._of_this_file and not _has_its_checksum(Path(path)):
            Path(path).resolve().unlink()
            Path(path).unlink(missing_ok=True)
            raise DamagedError(file)

    def _count(self, n_bytes: int) -> None:
        """Is told of a piece before it is written; while held up, nothing is read from the hub.

        Raises:
            ReadTimeout: once it goes on: huggingface_hub then asks for this piece and the rest.
        """
        with self._change:
            was_held = self._is_held
            self._change.wait_for(lambda: self._is_given_up or not self._is_held)
            if self._is_given_up:
                raise InterruptedError("The download was given up.")
            if was_held:
                raise httpx2.ReadTimeout("The download was held up.")
            self._of_this_file += n_bytes


class _Bar:
    """What huggingface_hub takes for a progress bar."""

    def __init__(self, update: Callable[[int], None], **_: object) -> None:
        self.update = update

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        """Has nothing to close."""


def clear_half_files(repo_id: str) -> None:
    """Removes the halves of files that a process which was killed left: nobody takes them up."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    folder = Path(constants.HF_HUB_CACHE, repo_folder_name(repo_id=repo_id, repo_type="model"))
    for path in folder.glob("blobs/*.incomplete"):
        with suppress(OSError):  # another process may be quicker
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()


def is_damaged(path: Path) -> bool:
    """Tells whether a file on this disk was cut short, by its header."""
    try:
        return path.suffix == ".safetensors" and not count_numbers([path], "")
    except LoadError:
        return True


def _has_its_checksum(path: Path) -> bool:
    """Tells whether a file is what its name in the cache says: of a large one that is its hash."""
    blob = path.resolve()
    if not re.fullmatch(r"[0-9a-f]{64}", blob.name):
        return True
    with blob.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == blob.name


def bytes_under_way(repo_id: str) -> int:
    """Returns how many bytes of a model came before its download was stopped, or so far."""
    downloads = [d for (name, _), d in _under_way.items() if name == repo_id and d.is_running]
    return sum(download.n_done for download in downloads)


_under_way: dict[tuple[str, str], Download] = {}
_lock = threading.Lock()


def shared_download(repo_id: str, revision: str, commit: str, sizes: Mapping[str, int]) -> Download:
    """Returns the one download of a commit in this process; what was held up goes on."""
    with _lock:
        for over in [key for key, download in _under_way.items() if not download.is_running]:
            del _under_way[over]
        key = (repo_id, commit)
        download = _under_way[key] = _under_way.get(key) or Download(repo_id, revision, sizes)
    download.go_on()
    return download
