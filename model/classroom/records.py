"""Records of a room: what was asked, what was answered, and the class beside the model."""

from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self, TypeAlias

QuestionKind: TypeAlias = Literal["next", "sampler", "choice", "number"]
# a text in parts, each of a role: "piece" (a token), "again", "drawn", "error", "generated", ""
WordsAndRoles: TypeAlias = tuple[tuple[str, str], ...]


class Desk(Protocol):
    """What a teacher presses: it knows the model, and the text."""

    @property
    def is_time_over(self) -> bool:
        """Whether a question has closed by itself, and its votes are not counted yet."""

    def close(self) -> None:
        """Closes the question, and shows the votes."""


@dataclass(frozen=True)
class Spoken:
    """The language of a text that every screen shows as it was asked, whatever its own."""

    lang: str  # BCP 47 tag
    dir: str  # "ltr" or "rtl"


@dataclass(frozen=True)
class Question:
    """What every phone of a room shows."""

    number: int  # of the room's questions, from 1
    kind: QuestionKind
    words: str  # one sentence
    options: tuple[str, ...]  # what the buttons say
    shares: tuple[float, ...] = ()  # of "sampler": the probability of each option, summing to 1
    has_rest: bool = False  # the last option is all tokens that have no segment of their own
    may_write: bool = False  # a word of one's own is an answer too; of "number": a number
    closes_at: float | None = None  # on the room's clock, seconds; None: when the teacher closes it
    spoken: Spoken | None = None  # of words and options; None: each screen says them in its own
    setting: str = ""  # of "sampler": what shaped the bar
    is_whole: bool = False  # of "number": something is counted


@dataclass(frozen=True)
class Closing:
    """What a room came to that its teacher closed."""

    n_questions: int
    n_phones: int  # that joined
    lesson: str  # name of its script; empty without one


@dataclass(frozen=True)
class Answer:
    """What one phone answered."""

    option: int | None  # index of the button; None where a word was written
    word: str = ""
    confidence: float = 1.0  # in (0, 1]


@dataclass(frozen=True)
class Tally:
    """A question that is over, and how it was answered."""

    question: Question
    counts: tuple[int, ...]  # by option
    words: tuple[tuple[str, int], ...]  # written ones, the most frequent first


@dataclass(frozen=True)
class ClassRow:
    """A token beside what the class and the model gave it."""

    token_id: int
    label: str  # as a person writes it
    n_votes: int
    model_prob: float


@dataclass(frozen=True)
class ClassRound:
    """One position: the votes of a class beside the model's probabilities."""

    n_answers: int  # with those that are no token
    rows: tuple[ClassRow, ...]  # the model's best and what was answered, model's best first


@dataclass(frozen=True)
class ClassScore:
    """What everyone gave to the token that came."""

    token_id: int
    n_votes: int
    model_prob: float
    best_name: str | None  # of the surest phone that voted for it; None if none has a name


@dataclass(frozen=True)
class Bar:
    """One answer or token, with a bar for each series."""

    label: str
    values: tuple[float, ...]
    texts: tuple[str, ...]  # what stands behind each bar
    is_marked: bool = False  # it is right
    is_drawn: bool = False  # it came
    is_rest: bool = False  # all that has no bar of its own


@dataclass(frozen=True)
class Dots:
    """Numbers along a line, and lines across it; all places are from 0 to 1."""

    dots: tuple[tuple[float, int, int], ...]  # place, how high it is stacked from 1, series
    marks: tuple[tuple[str, float, str], ...]  # words, place, role of the palette
    ticks: tuple[tuple[float, str], ...]  # places from end to end, and the numbers below them
    piles: tuple[tuple[float, int, str], ...] = ()  # place, height, how many
    beyond: tuple[str, str] = ("", "")  # what lies far behind each end


@dataclass(frozen=True)
class Outcome:
    """What the projector and the phones show of a question that is closed."""

    series: tuple[tuple[str, str], ...]  # name and role of the palette
    bars: tuple[Bar, ...] = ()
    dots: Dots | None = None
    words: str = ""


@dataclass(frozen=True)
class DrawBar:
    """A draw bar: its segments from 0 to 1."""

    options: tuple[str, ...]  # what each says; empty ones are covered
    shares: tuple[float, ...]  # their probabilities, summing to 1
    has_rest: bool = False  # the last one is all tokens that have no segment of their own
    name: str = ""
    cut: float | None = None  # where a line stands: what begins behind it is out
    of: str = ""  # the text after which it is drawn
    setting: str = ""  # what shaped it; empty for the distribution as the model gives it
    pointers: tuple[float, ...] = ()  # that fell on it, in [0, 1)


@dataclass(frozen=True)
class Picture:
    """What the projector draws of a scene: texts, draw bars, bars in rows, or an idea in cells."""

    lines: tuple[WordsAndRoles, ...] = ()
    bars: tuple[DrawBar, ...] = ()
    outcome: Outcome | None = None  # of what follows the one text
    # of cells, a letter each as in `pages/frame/small_pictures.py`; a stroke stands between two
    rows: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # of the two


@dataclass(frozen=True)
class Remembered:
    """A sentence to remember, and what a class answered to the question that it ends."""

    words: str
    question: str
    bar: Bar | None  # without a value: of numbers; None: nobody answered
    rows: tuple[str, ...] = ()  # of cells, in place of the bar


@dataclass(frozen=True)
class SceneShown:
    """What the class is at: a scene of a lesson, and where the app shows it."""

    title: str
    words: str
    address: str  # of the page, from the app's first page on; empty if it shows no more than this
    picture: Picture = Picture()
    answer: Picture | None = None  # takes its place once what is right was revealed
    told: str = ""  # the page's address then
    spoken: Spoken | None = None  # of title and words
    premise: str = ""  # one sentence of it, above its question
    is_page_shown: bool = False  # on the projector
    is_end: bool = False  # the last one, with what to remember
    remembered: tuple[Remembered, ...] = ()  # the lesson's first, then what surprised most

    def seen(self, *, is_explained: bool) -> Self:
        """Returns it as the screens are told it: a picture that tells the answer comes later."""
        picture = self.answer if is_explained and self.answer else self.picture
        address = self.told if is_explained and self.told else self.address
        return replace(self, picture=picture, answer=None, address=address, told="")
