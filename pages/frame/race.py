"""Lanes on one clock: what was measured runs once more before the eye, slower or faster.

It runs in the browser alone, so that nothing is asked of the server while it is watched.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pages.frame.component import component
from pages.frame.layout import is_presenting
from viz.format import digits

SHOWN_SECONDS = 6.0  # for which the longest lane is watched
TOLD = "told"  # role of a piece that says what came out, once all lanes are at their end
AGAIN = Path(__file__).with_name("again.css")  # the button of what may be watched again
_race = component(
    "race", Path(__file__).with_suffix(".js"), Path(__file__).with_suffix(".css"), AGAIN
)


@dataclass(frozen=True)
class Lane:
    """What runs in one lane."""

    name: str
    parts: tuple[tuple[float, str], ...]  # seconds at which each part of its bar ends, and its role
    arrivals: tuple[float, ...]  # seconds at which each token was there
    texts: tuple[str, ...] = ()  # before the first arrival and after each, if it is shown
    # or the text in pieces: each with its role, and how many tokens are there once it is shown
    pieces: tuple[tuple[str, str, int], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()  # what a role of a piece means, and the role
    block: str = ""  # below its bar: what a block is
    note: str = (
        ""  # large at its bar's end, once all is there, where a bar is as long as its tokens
    )

    @property
    def seconds(self) -> float:
        """Until all is there."""
        return max(end for end, _ in self.parts)


def show_race(
    lanes: Sequence[Lane],
    key: str,
    *,
    waits: bool = False,
    by_tokens: bool = False,
    first_done: str = "",
) -> None:
    """Lets the lanes run, the longest for SHOWN_SECONDS, and says how much slower that is.

    Args:
        lanes: What runs.
        key: The key of the figure begins with it. The page's root says that it was seen to its end.
        waits: Whether it stands at its start, until it is shown as one that does not.
        by_tokens: Whether a bar is as long as its share of the tokens, a block for those that came
            together, pale if another lane was done before; else as its time, of the longest lane's.
        first_done: What marks, on the bar of a later lane, when the first lane was done.
    """
    slower = SHOWN_SECONDS / max(lane.seconds for lane in lanes)
    data = {
        "key": key,
        "lanes": [asdict(lane) for lane in lanes],
        "slower": slower,
        "pace": pace(slower),
        "waits": waits,
        "byTokens": by_tokens,
        "firstDone": first_done,
        "presenter": is_presenting(),
    }
    _race(key=f"{key}_on_clock", data=data, height="content")  # a guided lesson may cover it


def pace(slower: float) -> str:
    """Says how many times slower, or faster, a thing is shown than it was measured."""
    way, times = ("slower", slower) if slower > 1 else ("faster", 1 / slower)
    return f"shown {digits(times, 2)} times {way}"
