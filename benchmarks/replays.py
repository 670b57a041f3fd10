"""Writes the pages with which anyone can try the loop before installing: runs, saved by the app.

    python -m benchmarks.replays [--folder docs/replays]

Each is one HTML file without a server: what **Save the run** gives on the home page.
"""

import argparse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from model.generation import Generation
from model.loading import load_model
from pages.frame.offers import DEFAULT_MODEL
from pages.home.controls import Controls
from pages.home.files import Draw, SavedRun
from pages.home.replay_page import replay_page

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
    lm = load_model(DEFAULT_MODEL, device="cpu", dtype="float32")
    text, draws, links = Generation(lm, prompt, seed=1), list[Draw](), list[str]()
    for n_tokens, values in parts:
        controls = Controls.from_page(values)
        draws += [Draw(text.seed, controls, forced=False)] * n_tokens
        links.append("~".join([str(n_tokens), *map(":".join, controls.encode().items())]))
        for _ in range(n_tokens):
            text.step(controls.settings())
    query = {"model": lm.name, "prompt": prompt, "seed": str(text.seed), "run": ";".join(links)}
    link = urlencode(query | draws[-1].controls.encode(), safe=":,;~")
    run = SavedRun(text, draws, text.last_pass, prompt, chat=False, link=link)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.html"
    path.write_text(replay_page(run, presenter=False), encoding="utf-8")
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
