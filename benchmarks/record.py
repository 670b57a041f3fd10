"""Makes anew what the pages show before anything was measured: runs of this machine, as recordings.

    python -m benchmarks.record [KEY ...] [--model storyteller | --shape GPT-2] [--folder FOLDER]

Without a key it records the phases, the roofline and the batches of a model, which the page lays
beside what it measures, then every section. With keys it records those sections alone: each is
started on its page as a reader would, with the settings that the page opens with. Labelled with
device and date; quiet the machine first.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.bench_phases import add_model_options, chosen_model
from model.fast.engines import engine_names
from model.job import Found, Job, Work, finish
from model.loading import LanguageModel, load_model
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import measure_phases
from model.prefill_decode.recordings import Recording
from model.prefill_decode.roofline import measure_roofline
from model.recorded import FOLDER, Section, write
from model.timing import describe
from pages.frame.second_run import WHOLE
from pages.lessons.snowball.mistake import RECORDED, write_mistakes
from pages.lessons.speculative.race import SAME

APP = str(Path(__file__).parents[1] / "app.py")
PATIENCE_SECONDS = 600
MODEL = "storyteller"  # that the pages open with
PAGES = {  # a page, what its session keeps, and the panels that open on a recording, as pressed
    "sampling": ("sampling_lab", "vote", "loop"),
    "engines": ("sampling_lab", "aim"),
    "beam_search": ("beam_lesson", "beam_exact", "beam_cost"),
    "constraints": ("constraint_lesson", "constraint_methods"),
    "kv_cache": ("kv_lesson", "kv_small", "kv_prefix"),
    "prefill_decode": ("phase_lesson", "phase_stream"),
    "roofline": ("phase_lesson", "phase_padding", "phase_scoring"),
    "serving": ("serving_lesson", "serving_batches", "serving_chunks", "serving_memory"),
    "speculative": (
        "spec_lesson",
        "spec_race",
        "spec_speed",
        "spec_drafts",
        "spec_greedy",
        "spec_sampled",
    ),
    "diffusion": ("diffusion_lesson", "diffusion_sweep", "diffusion_race"),
    "causal_mask": ("mask_lesson", "mask_training"),
    "snowball": ("snowball_lesson", "snowball_rewind"),
    "teacher_forcing": (
        *("snowball_lesson", "snowball_forks", "snowball_instruction"),
        *("snowball_long", "snowball_thread", "snowball_exposure", "snowball_context"),
    ),
    "claims": ("claims_lesson", "claims"),
}
FIRST = {"snowball_rewind": "snowball_fork_run"}  # pressed
ANSWERS = {"spec_race": ("spec_said", SAME)}  # to the question that a button waits for


def record(lm: LanguageModel, folder: Path) -> Recording:
    """Measures phases, roofline and batches, and writes one file."""
    phases = by_quickest(lm, partial(measure_phases, lm))
    roofline = finish(measure_roofline(lm))
    batches = finish(measure_batches(lm))
    recording = Recording(phases.machine, phases, roofline, batches)
    _say(save_recording(recording, folder))
    return recording


def save_recording(recording: Recording, folder: Path) -> Path:
    """Writes a recording to a file that bears the names of its device and its model."""
    machine = recording.machine
    words = f"{machine.processor} {machine.device.partition(':')[0]} {machine.model}"
    name = re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")
    return write(folder / f"{name}.json", recording)


def by_quickest(lm: LanguageModel, measure: Callable[[str], Work[Found]]) -> Found:
    """Measures by the quickest engine that the model takes, and says which it refuses."""
    *quicker, plain = reversed(engine_names(lm))
    for name in quicker:
        try:
            return finish(measure(name))
        except ValueError as error:
            print(f"not by {name}: {error}")
    return finish(measure(plain))


def record_page(page: str, wanted: Sequence[str], folder: Path) -> None:
    """Presses a page's buttons, waits for what they find, and writes a file for each."""
    lesson, *keys = PAGES[page]
    keys = [key for key in keys if not wanted or key in wanted]
    app = AppTest.from_file(APP, default_timeout=PATIENCE_SECONDS)
    app.session_state[WHOLE] = True
    for key in keys:
        _run_out(app.switch_page(f"pages/{page}.py").run(), lesson)
        if key in FIRST:
            app.button(key=FIRST[key]).click().run()
            _run_out(app, lesson)
        if key in ANSWERS:
            name, said = ANSWERS[key]
            app.session_state[name] = said
            app.run()
        app.button(key=f"{key}_run").click().run()
        job = _run_out(app, lesson)[key]
        if app.exception or job.notice or not job.is_done:
            raise SystemExit(f"{page}, {key}: {app.exception or job.notice}")
        machine = describe(app.session_state[lesson].lm)  # not every page runs the usual model
        _say(write(folder / f"{key}.json", Section(machine, job.seconds, job.found)))


def record_mistakes(folder: Path) -> None:
    """Writes the texts that the page on error propagation opens with."""
    lm = load_model(MODEL)
    job = Job(write_mistakes(lm))
    while job.is_running:
        job.run_for(PATIENCE_SECONDS)
    _say(write(folder / f"{RECORDED}.json", Section(describe(lm), job.seconds, job.found)))


def _run_out(app: AppTest, lesson: str) -> dict[str, Job[Any]]:
    """Lets all that goes on in a page come to its end, and returns its jobs."""
    while True:
        kept = app.session_state[lesson]
        jobs: dict[str, Job[Any]] = kept.jobs
        is_playing = getattr(getattr(kept, "stepper", None), "is_playing", False)
        if not is_playing and not any(job.is_running for job in jobs.values()):
            return jobs
        app.run()


def _say(path: Path) -> None:
    print(f"saved as {path}, {path.stat().st_size:,} bytes", flush=True)


def main() -> None:
    """Records what the command names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("keys", nargs="*", help="of sections; all where none is named")
    add_model_options(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    if not options.keys:
        record(chosen_model(options), options.folder)
    for page in PAGES:
        record_page(page, options.keys, options.folder / "sections")
    if not options.keys or RECORDED in options.keys:
        record_mistakes(options.folder / "sections")


if __name__ == "__main__":
    main()
