"""Saves a run of the phases, the roofline and the batches on this machine as a recording.

    python -m benchmarks.record [--model storyteller | --shape GPT-2] [--folder model/recorded]

The page can lay it beside what it measures elsewhere, labelled with device and date.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.bench_phases import add_model_options, chosen_model, run_through
from model.batching import BatchExperiment
from model.engines import engine_names
from model.phase_experiments import PhaseExperiment
from model.recordings import FOLDER, Recording, save_recording
from model.roofline import RooflineExperiment


def main() -> None:
    """Measures all three and writes one file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    lm = chosen_model(options)
    phases = run_through(PhaseExperiment(lm, engine_names(lm)[-1])).result
    roofline = run_through(RooflineExperiment(lm)).result
    batches = run_through(BatchExperiment(lm)).result
    if roofline is None:
        raise SystemExit("The ceilings could not be measured: run it again on a quiet machine.")
    path = save_recording(Recording(phases.machine, phases, roofline, batches), options.folder)
    print(f"saved as {path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
