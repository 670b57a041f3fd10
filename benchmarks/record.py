"""Saves a run of the phases, the roofline and the batches on this machine as a recording.

    python -m benchmarks.record [--model storyteller | --shape GPT-2] [--folder model/recorded]

The page can lay it beside what it measures elsewhere, labelled with device and date.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.bench_phases import add_model_options, chosen_model
from model.fast.engines import engine_names
from model.job import finish
from model.loading import LanguageModel
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import measure_phases
from model.prefill_decode.recordings import FOLDER, Recording, save_recording
from model.prefill_decode.roofline import measure_roofline


def record(lm: LanguageModel, folder: Path) -> Recording:
    """Measures all three and writes one file."""
    phases = finish(measure_phases(lm, engine_names(lm)[-1]))
    roofline = finish(measure_roofline(lm))
    batches = finish(measure_batches(lm))
    recording = Recording(phases.machine, phases, roofline, batches)
    path = save_recording(recording, folder)
    print(f"saved as {path}, {path.stat().st_size:,} bytes")
    return recording


def main() -> None:
    """Records the model or the shape that the command names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    record(chosen_model(options), options.folder)


if __name__ == "__main__":
    main()
