"""Writes the pages with which anyone can try the loop before installing: runs, saved by the app.

    python -m benchmarks.replays [--folder docs/replays]

Each is one HTML file without a server: what **Save the run** gives on the home page.
"""

import argparse
from pathlib import Path
from typing import Any

from model.loading import load_model
from pages.frame.offers import DEFAULT_MODEL
from pages.home.replay_page import replay_page
from pages.home.session import Session

FOLDER = Path(__file__).parents[1] / "docs" / "replays"
NUCLEUS = {"use": ["temperature", "top_p"], "temperature": 0.8, "top_p": 0.9}
RUNS: dict[str, tuple[str, tuple[tuple[int, dict[str, Any]], ...]]] = {
    # a file, its prompt, and how many tokens are written under which settings
    "a-story": ("Once upon a time", ((20, NUCLEUS),)),
    "colder-and-hotter": (
        "The cat sat on the",
        ((8, {"greedy": True}), (8, {"use": ["temperature"], "temperature": 1.5})),
    ),
}


def write_replay(name: str, folder: Path) -> Path:
    """Writes one run, and its page."""
    prompt, parts = RUNS[name]
    session = Session(load_model(DEFAULT_MODEL, device="cpu", dtype="float32"), prompt, seed=1)
    for n_tokens, controls in parts:
        for _ in range(n_tokens):
            session.handle({"kind": "next", "controls": controls})
    if session.notice:
        raise SystemExit(f"{name}: {session.notice}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.html"
    path.write_text(replay_page(session, presenter=False), encoding="utf-8")
    return path


def main() -> None:
    """Writes all of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    for name in RUNS:
        path = write_replay(name, folder)
        print(f"saved as {path}, {path.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    main()
