"""Both phases against the ceilings of this device, measured in the same run.

    python -m benchmarks.bench_roofline [--model storyteller | --shape GPT-2]

Prints MBU (reading against the copy), MFU (arithmetic against the matrix product) and what binds.
"""

import argparse

from benchmarks.bench_phases import add_model_options, chosen_model
from benchmarks.figures import record
from model.job import finish
from model.prefill_decode.roofline import measure_roofline


def main() -> None:
    """Measures ceilings and passes and prints one line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_model_options(parser)
    options = parser.parse_args()
    lm = chosen_model(options)
    roofline = finish(measure_roofline(lm))
    top = roofline.ceilings
    print(f"copy {top.copy / 1e9:.1f} GB/s, matrix-vector {top.read / 1e9:.1f} GB/s")
    print(f"matrix product {top.matmul / 1e9:.0f} GFLOP/s, ridge {top.ridge:.1f} FLOPs per byte")
    for name, seconds in top.floors.items():
        print(f"hardly a number in it, {name}: {seconds * 1000:.2f} ms")
    for point in roofline.points:
        what = f"{point.phase} {point.n_batch} x {point.n_input}, {point.engine}"
        print(
            f"{what:<48} {point.seconds.median * 1000:9.2f} ms  MBU {point.mbu(top):6.1%}"
            f"  MFU {point.mfu(top):6.1%}  bound by {point.bound(top) or 'none'}"
        )
    for phase, ceiling in (("decode", "bandwidth"), ("prefill", "matrix rate")):
        point = max((p for p in roofline.points if p.phase == phase), key=lambda p: p.n_input)
        share = point.mbu(top) if phase == "decode" else point.mfu(top)
        what = f"{phase} of {point.n_batch} x {point.n_input} tokens, of the measured {ceiling}"
        record(what, f"{share:.0%}")
    for sentence in roofline.left_out:
        print(sentence)


if __name__ == "__main__":
    main()
