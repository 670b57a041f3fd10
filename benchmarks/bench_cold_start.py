"""How long until something is there: the first token of a fresh process, the first paint of a page.

    python -m benchmarks.bench_cold_start [--rounds 5]

The first token is compared with the bare import of the libraries that every such program makes, the
first paint with that of an empty Streamlit app, each time on a server that has served nobody yet.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.figures import Timing, brief, describe_machine, record
from tests.driving.harness import ROOT, by_key, chromium, serve

EMPTY_APP = 'import streamlit as st\n\nst.title("Empty")\n'
BARE_IMPORT = "import torch\nfrom transformers import AutoModelForCausalLM, AutoTokenizer"
WITH_MODEL_CLASSES = f"{BARE_IMPORT}\nfrom transformers import PreTrainedModel"
FIRST_TOKEN = """
from model.generation import Generation
from model.loading import load_model
Generation(load_model("storyteller"), "The cat sat on the").step()
"""
FIRST_ELEMENT = (
    'document.querySelector(\'[data-testid="stMain"] [data-testid="stElementContainer"]\')'
)


def time_process(code: str) -> float:
    """Returns the seconds that a fresh Python takes for this code, its own start included."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return time.perf_counter() - started


def time_first_paint(browser: Browser, script: Path, cwd: Path) -> float:
    """Returns the seconds from opening a page of a fresh server to its first element's frame."""
    with serve(script, cwd=cwd) as server:
        page = browser.new_page()
        page.goto(server.url, wait_until="commit")
        look = f"() => {FIRST_ELEMENT} && performance.now()"
        shown = page.wait_for_function(look, polling="raf").json_value()
        page.close()
    return float(shown) / 1000


def time_first_use(browser: Browser) -> float:
    """Returns the seconds from starting the server to a page on which Next can be pressed."""
    with serve() as server:
        page = browser.new_page()
        page.goto(server.url, wait_until="commit")
        by_key(page, "live").get_by_role("button", name="Next").wait_for(timeout=60_000)
        ready = time.perf_counter() - server.started
        page.close()
    return ready


def compare_processes(rounds: int) -> None:
    """Prints the first token of a fresh process beside the import that every such program makes."""
    programs = (BARE_IMPORT, WITH_MODEL_CLASSES, FIRST_TOKEN)
    labels = ("import of torch and transformers", "with its model classes", "first token")
    turns = [[time_process(code) for code in programs] for _ in range(rounds)]
    bare, classes, token = (
        Timing(label, column)
        for label, column in zip(labels, zip(*turns, strict=True), strict=True)
    )
    print(bare.line(), classes.line(bare), token.line(bare), sep="\n")
    shown = f"{token.median:.1f} s; torch and transformers imported {bare.median:.1f} s"
    record("cold start to the first token", shown)


def compare_pages(rounds: int) -> None:
    """Prints the first paint of the app beside that of an empty one, and when it is ready."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        script = Path(folder, "app.py")
        script.write_text(EMPTY_APP)
        scripts = ((script, script.parent), (ROOT / "app.py", ROOT))
        turns = [[time_first_paint(browser, *where) for where in scripts] for _ in range(rounds)]
        empty, ours = zip(*turns, strict=True)
        baseline = Timing("first paint, empty app", empty)
        painted = Timing("first paint, this app", ours)
        print(baseline.line(), painted.line(baseline), sep="\n")
        shown = f"{brief(painted)}; an empty app {brief(baseline)}"
        record("first paint of a fresh server, median (p90)", shown)
        ready = [time_first_use(browser) for _ in range(rounds)]
        print(Timing("server started to Next ready", tuple(ready)).line())


def main() -> None:
    """Prints what a person waits for before anything can be pressed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(describe_machine(), end="\n\n")
    compare_processes(rounds)
    print()
    compare_pages(rounds)


if __name__ == "__main__":
    main()
