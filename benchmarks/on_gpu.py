"""What a GPU alone can show, in one command: each figure beside its aim, and two recordings.

    python -m benchmarks.on_gpu [--model storyteller] [--shape Llama-3-8B] [--folder model/recorded]

The model is held against transformers' `generate`, the shape (random weights, 16 bits) against the
ceilings of the device, all measured in this run; the aims are those of an H200. A part that fails
says why, and the next one is run. Without a GPU the same is measured, and takes longer.
"""

import argparse
import logging
from collections.abc import Callable
from pathlib import Path

from benchmarks import figures
from benchmarks.bench_phases import against_generate
from benchmarks.record import by_quickest, record
from model.fast.engines import STATIC
from model.loading import LanguageModel, load_model
from model.prefill_decode.cost import energy_meter, measure_energy
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.records import BatchRun, Roofline
from model.prefill_decode.roofline import LONG_PREFILL
from model.recorded import FOLDER
from model.weights.published_shapes import published_shape

LOGGER = logging.getLogger(__name__)
TIMES_GENERATE = 5.0  # tokens/s of the quickest engine, of those of generate; of a small model
MBU, MFU = 0.70, 0.55  # of a large model: a decode step at batch 1; a long prefill
LARGE = 1_000_000_000  # parameters


def beside_generate(lm: LanguageModel) -> None:
    """Times each engine beside transformers' `generate`, and keeps the quickest's ratio."""
    baseline, *ours = against_generate(lm, rounds=3, n_tokens=200)
    best = min(ours, key=lambda timing: timing.median)
    times = baseline.median / best.median
    shown = f"{times:.1f} ({best.median * 1e3:.2f} against {baseline.median * 1e3:.2f} ms)"
    _keep(
        lm, f"times the tokens/s of `generate`, by {best.label}", shown, times, small=TIMES_GENERATE
    )


def energy_of(lm: LanguageModel) -> None:
    """Keeps the joules of a token that is read and of one that is written, where they count."""
    meter = energy_meter(lm.device)
    if meter is None:
        print("energy: this machine has no meter that NVML could read")
        return
    energy = by_quickest(lm, lambda name: measure_energy(lm, name, meter))
    shown = f"{energy.joules_in:.3g} J, {energy.joules_out:.3g} J"
    _keep(lm, "energy of a token read, of one written", shown)


def utilisations(lm: LanguageModel, roofline: Roofline) -> None:
    """Keeps how near decode comes to the bandwidth, and the longest prefill to the matrix rate."""
    top = roofline.ceilings
    print(f"copy {top.copy / 1e9:.0f} GB/s, matrix product {top.matmul / 1e12:.3g} TFLOP/s")
    for point in roofline.points:
        if point.phase == "decode" and point.n_batch == 1:
            share, aim = point.mbu(top), MBU if point.engine == STATIC else None
            what = f"decode by {point.engine}, of the bandwidth (MBU)"
            _keep(lm, what, f"{share:.1%}", share, large=aim)
    longest = max((p for p in roofline.points if p.phase == "prefill"), key=lambda p: p.n_input)
    share, what = (
        longest.mfu(top),
        f"prefill of {longest.n_input:,} tokens, of the matrix rate (MFU)",
    )
    _keep(lm, what, f"{share:.1%}", share, large=MFU if longest.n_input >= LONG_PREFILL else None)


def throughput(lm: LanguageModel, run: BatchRun) -> None:
    """Keeps what the largest batch makes of one reading of the weights."""
    first, last = run.points[0], run.points[-1]
    one, all_ = first.tokens_per_second, last.tokens_per_second
    _keep(lm, f"tokens/s of a batch of {last.n_batch}, of one text", f"{all_:,.0f}, {one:,.0f}")


def _keep(
    lm: LanguageModel,
    what: str,
    shown: str,
    value: float = 0.0,
    *,
    small: float | None = None,
    large: float | None = None,
) -> None:
    """Keeps a figure, beside the aim of a model of this size, where it has one."""
    is_large = sum(weight.numel() for weight in lm.model.parameters()) > LARGE
    aim = large if is_large else small
    if aim is None:
        figures.record(f"{lm.name}: {what}", shown)
    else:
        figures.record(f"{lm.name}: {what}", shown, f"at least {aim:g}", is_met=value >= aim)


def measure(make: Callable[[], LanguageModel], folder: Path) -> None:
    """Makes a model and measures it; what fails is told, and the rest is measured all the same."""
    lm = make()
    print(f"\n{lm.name} on {lm.where}", flush=True)

    def record_it(lm: LanguageModel) -> None:
        recording = record(lm, folder)
        utilisations(lm, recording.roofline)
        throughput(lm, recording.batches)

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
    print(figures.describe_machine())
    measure(lambda: load_model(options.model), options.folder)
    measure(lambda: make_shape(published_shape(options.shape)), options.folder)


if __name__ == "__main__":
    main()
