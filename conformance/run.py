"""Tests a sampler against the cases: python run.py COMMAND ARGUMENT...

The command is started once. It reads a case a line (JSON) from its standard input and writes an
answer a line: {"kept": [...], "probs": [...], "token": ...}. Needs Python and nothing else.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases.jsonl")
ANSWER = ("kept", "probs", "token")
TOLERANCE = 1e-5  # of a probability: float32 is enough


def faults(case: dict[str, Any], line: str) -> list[str]:
    """Returns which parts of an answer are wrong or missing."""
    try:
        kept, probs, token = (json.loads(line)[name] for name in ANSWER)
        off = [abs(theirs - ours) for theirs, ours in zip(probs, case["probs"], strict=True)]
    except (ValueError, TypeError, KeyError) as error:
        return [f"no answer ({error!r})"]
    near = all(distance <= TOLERANCE for distance in off)  # NaN is near nothing
    good = {"kept": kept == case["kept"], "probs": near, "token": token == case["token"]}
    return [name for name, is_good in good.items() if not is_good]


def main() -> None:
    """Runs all cases; exits with 1 if any is answered wrongly."""
    if len(sys.argv) < 2:
        sys.exit("Name the command that answers: python run.py ./my-sampler")
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    questions = [{k: v for k, v in case.items() if k not in ANSWER} for case in cases]
    asked = "".join(json.dumps(question) + "\n" for question in questions)
    try:
        run = subprocess.run(
            sys.argv[1:], input=asked, stdout=subprocess.PIPE, text=True, check=False
        )
    except OSError as error:
        sys.exit(f"{sys.argv[1]} cannot be started: {error}")
    answers = run.stdout.splitlines()
    if len(answers) != len(cases):
        sys.exit(f"{len(answers)} answers to {len(cases)} cases: write one line for each case.")
    failed = 0
    for case, answer in zip(cases, answers, strict=True):
        if wrong := faults(case, answer):
            failed += 1
            print(f"case {case['id']} ({case['engine']}, {' '.join(case['order'])}):", *wrong)
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
