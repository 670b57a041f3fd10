"""The table of sampling settings as the browser has it: `python -m pages.frame.settings_script`.

The script is written when the table changes; a test holds that it is the table's.
"""

import json
import re
from pathlib import Path

from model.settings import SETTINGS, Even, Setting

_SAID = re.compile(r'("(?:title|short|says)": )("(?:[^"\\]|\\.)*")')
SCRIPT = Path(__file__).parent / "live" / "settings.js"
_HEAD = """\
// The sampling settings by name: made from the rows of model/settings.py, changed only there.

import { _ } from "./words.js";

export const SETTINGS = {
"""


def settings_script() -> str:
    """Returns the module, a row on each line."""
    rows = (f"  {name}: {_marked(json.dumps(_row(row)))},\n" for name, row in SETTINGS.items())
    return f"{_HEAD}{''.join(rows)}}};\n"


def _marked(row: str) -> str:
    """Marks what a reader is told of a setting as messages."""
    return _SAID.sub(r"\1_(\2)", row)


def _row(row: Setting) -> dict[str, object]:
    slider = row.slider._asdict() if isinstance(row.slider, Even) else row.slider
    return {
        "neutral": row.neutral,
        "title": row.title,
        "short": row.short or row.title,
        "says": row.says,
        "isCommon": row.is_common,
        "isStage": row.is_stage,
        "slider": slider,
    }


if __name__ == "__main__":
    SCRIPT.write_text(settings_script(), "utf-8")
