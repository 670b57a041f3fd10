"""What the reader's sliders say, and the sampling settings that follow from it.

A slider keeps its value while its mask is not in use, so the page can show what it would do. Knows
nothing of Streamlit or of the browser: the live component and the links both speak in `to_page`'s
and `encode`'s terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from model.sampling import ORDERS, Settings
from model.settings import COMMON, SETTINGS, SettingValues
from pages.frame.fields import control_fields, read_controls

ALWAYS = tuple(name for name in SETTINGS if name not in COMMON)  # active where not neutral


@dataclass(frozen=True)
class Controls(SettingValues):
    """The position of every control of the home page: a legal setting, in use or not."""

    temperature: float = 0.8
    top_k: int = 10
    top_p: float = 0.9
    min_p: float = 0.1
    use: tuple[str, ...] = ("temperature", "top_p")  # names out of COMMON
    greedy: bool = False  # overrides the masks
    order: str = "transformers"  # a key of ORDERS

    def settings(self) -> Settings:
        """Returns the active settings: masks that are not in use are neutral."""
        return _settings_of(self)

    def to_page(self) -> dict[str, Any]:
        """Returns the controls as the live component speaks of them."""
        return vars(self) | {"use": list(self.use)}

    @classmethod
    def from_page(cls, values: Mapping[str, Any]) -> Controls:
        """Reads what the live component, or a link's run, says.

        Args:
            values: Any of the controls, as `to_page` or `encode` gives them. Unknown names are
                passed over.

        Raises:
            ValueError: One sentence with the remedy, for a value that no control can take.
        """
        return cls(**read_controls(values, FIELDS))

    def encode(self) -> dict[str, str]:
        """Returns the controls for a link: those that differ from the defaults, as text."""
        values = vars(self)
        return {
            field.name: field.write(values[field.name])
            for field in FIELDS
            if values[field.name] != field.default
        }


@lru_cache(maxsize=256)
def _settings_of(controls: Controls) -> Settings:
    values = {name: getattr(controls, name) for name in ALWAYS}
    values |= {name: getattr(controls, name) for name in COMMON if name in controls.use}
    if controls.greedy:
        values["temperature"] = 0.0
    return Settings(**values, order=ORDERS[controls.order])


FIELDS = control_fields(vars(Controls()), COMMON)  # of a link
