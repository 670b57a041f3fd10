"""This project's own sampler as the engine under test: a case a line in, an answer a line out.

python conformance/run.py python -m conformance.ours
"""

import json
import sys
from typing import Any

import numpy as np

from model.draw import draw
from model.sampling import Settings, process


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Returns the kept ids, the probabilities by id, and the token on which the pointer falls."""
    logits = np.array([-np.inf if logit is None else logit for logit in case["logits"]])
    settings = Settings(**case["settings"], order=case["order"])
    last = process(logits, case["ids"], settings, case["n_prompt"], case["pointer"])[-1]
    return {
        "kept": sorted(last.order.tolist()),
        "probs": [round(prob, 9) for prob in last.probs.tolist()],
        "token": draw(last, case["pointer"]),
    }


def main() -> None:
    """Answers until there are no more cases."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
