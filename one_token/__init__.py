"""The installed project: importing it makes `model`, `viz` and `pages` importable.

In a checkout their folders lie beside this package; a wheel has them inside it, in `files/`, so
that no top-level name but `one_token` is added to an environment.
"""

import sys
from pathlib import Path

__version__ = "1.0.0"  # the only place: pyproject.toml reads it here

_INSIDE = Path(__file__).resolve().parent / "files"
FILES = _INSIDE if _INSIDE.is_dir() else _INSIDE.parents[1]

if str(FILES) not in sys.path:
    sys.path.insert(0, str(FILES))
