"""What a GPU alone can show, in one command: each figure beside its aim, and two recordings.

    python -m benchmarks.on_gpu [--model storyteller] [--shape Llama-3-8B] [--folder model/recorded]

The model is held against transformers' `generate`, the shape (random weights, 16 bits) against the
ceilings of the device, all measured in this run; the aims are those of an H200. A part that fails
says why, and the next one is run. Without a GPU the same is measured, and takes longer.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path

from benchmarks.bench_phases import against_generate
from benchmarks.figures import describe_machine
from benchmarks.record import by_quickest, record
from model.loading import LanguageModel, load_model
from model.prefill_decode.cost import energy_meter, measure_energy
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.records import Roofline
from model.prefill_decode.roofline import LONG_PREFILL
from model.recorded import FOLDER
from model.weights.published_shapes import published_shape

LOGGER = logging.getLogger(__name__)
TIMES_GENERATE = 5.0  # tokens/s of the quickest engine, of those of generate
MBU, MFU = 0.70, 0.55  # of a decode step at batch 1; of a long prefill


def beside_generate(lm: LanguageModel) -> None:
    """Prints each engine beside transformers' `generate`, and what the quickest makes of it."""
    baseline, *ours = against_generate(lm, rounds=3, n_tokens=200)
    best = min(ours, key=lambda timing: timing.median)
    times = baseline.median / best.median
    print(
        f"  {best.label}: {times:.1f} times generate"
        f"  (aim for a small model: {TIMES_GENERATE:g} times)"
    )


def energy_of(lm: LanguageModel) -> None:
    """Prints the joules of a token that is read and of one that is written, where they count."""
    meter = energy_meter(lm.device)
    if meter is None:
        print("energy: this machine has no meter that NVML could read")
        return
    energy = by_quickest(lm, lambda name: measure_energy(lm, name, meter))
    print(
        f"energy, by {energy.engine}: {energy.joules_in:.3g} J a token read, "
        f"{energy.joules_out:.3g} J a token written"
    )


def utilisations(roofline: Roofline) -> None:
    """Prints how near decode comes to the bandwidth, and a long prefill to the matrix rate."""
    top = roofline.ceilings
    decode = [p for p in roofline.points if p.phase == "decode" and p.n_batch == 1]
    prefill = [p for p in roofline.points if p.phase == "prefill"]
    print(f"copy {top.copy / 1e9:.0f} GB/s, matrix product {top.matmul / 1e12:.3g} TFLOP/s")
    for point in decode:
        print(
            f"  decode by {point.engine}: MBU {point.mbu(top):.1%}"
            f"  (aim for a large model: {MBU:.0%})"
        )
    for point in prefill:
        aim = f"  (aim for a large model: {MFU:.0%})" if point.n_input == LONG_PREFILL else ""
        print(f"  prefill of {point.n_input}: MFU {point.mfu(top):.1%}{aim}")


def measure(make: Callable[[], LanguageModel], folder: Path) -> None:
    """Makes a model and measures it; what fails is told, and the rest is measured all the same."""
    lm = make()
    print(f"\n{lm.name} on {lm.where}", flush=True)

    def record_it(lm: LanguageModel) -> None:
        utilisations(record(lm, folder).roofline)

    for part in (record_it, beside_generate, energy_of):
        try:
            part(lm)
        except Exception as error:  # of a device's many kinds
            LOGGER.exception("A part failed")
            print(f"failed: {error}")


def main() -> None:
    """Measures a small model and a large shape, and records both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="storyteller", help="a shipped model, a folder, an id")
    parser.add_argument("--shape", default="Llama-3-8B", help="a published shape, such as GPT-2")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for the recordings")
    options = parser.parse_args()
    print(describe_machine())
    measure(lambda: load_model(options.model), options.folder)
    measure(lambda: make_shape(published_shape(options.shape)), options.folder)


if __name__ == "__main__":
    main()
