"""What one reader has in the sampling lab, and leaves the first page's text as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy.typing as npt

from model.draw import summarise
from model.generation import Generation
from model.records import Stage
from model.sampling import ORDERS, Settings, process
from model.sampling.experiments import MASKS_ALONE, apply_alone
from model.settings import ORDERS_READ, SettingValues
from model.settings import SETTINGS as ALL_SETTINGS
from pages.frame.component import MAX_EXACT, encode_payload
from pages.frame.fields import control_fields, read_controls, sampling_number
from pages.frame.labels import labels_address
from pages.frame.lesson_state import LessonState
from pages.lessons.sampling.source import Given
from viz.strip import SPACE

SLIDERS = MASKS_ALONE[1:]
OF_BAR = ("temperature", "top_p")  # what the first picture sets by sliders of its own
POINTER = 0.75  # the same for all engines
FIRST_POINTER = 0.5  # of the first picture: it falls on a word that has a row of its own
N_FIRST = 4  # masks that are shown at first: greedy, temperature, top-k, top-p
FIRST = frozenset(MASKS_ALONE[:N_FIRST])


@dataclass(frozen=True)
class LabControls(SettingValues):
    """The sliders of the lab, legal settings all; and which make up the engines' pipelines."""

    temperature: float = 1.5
    top_k: int = 5
    top_p: float = 0.5
    min_p: float = 0.1
    typical_p: float = 0.8
    epsilon: float = 0.02
    eta: float = 0.05
    top_n_sigma: float = 1.0
    min_k: float = 3.0
    top_h: float = 0.4
    p_less: int = 1
    mirostat: float = 2.0
    use: tuple[str, ...] = ("temperature", "top_p")
    more: bool = False  # whether the rarer masks are shown as well
    bar_temperature: float = 1.0  # of the first picture, whose sliders are its own
    bar_top_p: float = 1.0

    def settings(self, engine: str) -> Settings:
        """Returns the ticked masks as an engine would order them."""
        return Settings(**{name: getattr(self, name) for name in self.use}, order=ORDERS[engine])

    @property
    def shown(self) -> tuple[str, ...]:
        """The masks that are compared: a few, or all where one of the others is asked for."""
        return MASKS_ALONE if self.more or not FIRST.issuperset(self.use) else MASKS_ALONE[:N_FIRST]

    @classmethod
    def from_page(cls, values: Mapping[str, Any]) -> LabControls:
        """Reads what the component says.

        Raises:
            ValueError: One sentence with the remedy, for a value that no slider can take.
        """
        return cls(**read_controls(values, FIELDS))


FIELDS = control_fields(  # of a link
    {name: getattr(LabControls(), name) for name in (*SLIDERS, "use", "more")}, SLIDERS
) + tuple(sampling_number(f"bar_{name}", ALL_SETTINGS[name].neutral, of=name) for name in OF_BAR)


@dataclass
class Lab(LessonState):
    """All that one reader has on the page."""

    text: Generation  # the model's text whose next token is looked at
    given: Given
    controls: LabControls = field(default_factory=LabControls)
    n_draws: int = 0  # times that the draws were asked for: the seed of the last

    def take(self, event: Mapping[str, Any]) -> None:
        """Takes the sliders of one part of the page; what no slider can say changes nothing."""
        with self.attempt():
            said = asdict(self.controls) | (event.get("controls") or {})
            self.controls = LabControls.from_page(said)

    @property
    def first_word(self) -> str:
        """The likeliest next token, as it is read."""
        return self.given.label(int(self.given.logits.argmax()), self.lm).strip(SPACE)

    def alone(self, name: str) -> Stage:
        """Returns what one mask alone makes of the distribution."""
        return apply_alone(self.given.logits, name, getattr(self.controls, name, 0.0))

    def pipeline(self, engine: str) -> Stage:
        """Returns what the ticked masks leave in an engine's order."""
        return process(self.given.logits, [], self.controls.settings(engine))[-1]

    def payload(
        self, *, is_picture: bool = False, compares: bool = False, **shown: bool | str
    ) -> bytes:
        """Returns the message for the component: see `encode_payload` for its layout.

        Args:
            is_picture: Whether the one picture is shown, by itself.
            compares: Whether the engines' orders are shown, under their pointer.
            shown: Of its header as well: `presenter`, `guided`, `waits`, `moves`.
        """
        kept = summarise(self.given.logits, limit=MAX_EXACT)
        arrays: dict[str, npt.NDArray[Any]] = {"logits": kept.logits}
        if kept.ids is not None:
            arrays |= {
                "ids": kept.ids,
                "tail_counts": kept.tail_counts,
                "tail_logits": kept.tail_logits,
                "tail_variances": kept.tail_variances,
            }
        header = {
            "labelsAt": labels_address(self.lm),
            "labels": self.given.labels,
            "caption": self.given.caption,
            "text": self.given.text,
            "controls": asdict(self.controls),
            "orders": ORDERS,
            "ordersRead": ORDERS_READ,
            "nFirst": N_FIRST,
            "pointer": POINTER if compares else FIRST_POINTER,
            "isPicture": is_picture,
            "compares": compares,
            "distribution": {"n_vocab": kept.n_vocab},
            **shown,
        }
        return encode_payload(header, arrays)
