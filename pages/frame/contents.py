"""The course: the one list from which navigation, titles, sentences and footers are made."""

import re
from dataclasses import dataclass
from pathlib import Path

from pages.frame.words import N_, _

APP = "One Token at a Time"
COURSE = (
    N_("Write"),
    N_("Choose"),
    N_("Be wrong"),
    N_("Remember"),
    N_("Other ways"),
)  # in the order of a pupil
LABORATORY, CLASS = N_("Laboratory"), N_("Lessons and class")


@dataclass(frozen=True)
class Lesson:
    """A page as the table of contents knows it."""

    path: str  # file below the app's folder
    title: str
    part: str  # of the course, or where it stands beside it
    claim: str = ""  # the sentence below the title
    remember: str = ""  # the sentence below the picture
    measures: str = ""  # the page of the course whose laboratory this is, as its file
    sections: tuple[str, ...] = ()  # of a laboratory: the titles of what stood on that page
    has_figure: bool = True  # whether one of Plotly's is drawn before anything is pressed

    @property
    def is_home(self) -> bool:
        """Whether it is the page that the app opens with."""
        return self is LESSONS[0]

    @property
    def stem(self) -> str:
        """Its address, but for the home page, whose address is empty."""
        return Path(self.path).stem

    @property
    def part_name(self) -> str:
        """Its part in the reader's language, with its number in the course if it has one."""
        name = _(self.part)
        return f"{COURSE.index(self.part) + 1} {name}" if self.part in COURSE else name


LESSONS: tuple[Lesson, ...] = (
    Lesson("pages/generate.py", N_("One token at a time"), N_("Write"), has_figure=False),
    Lesson(
        "pages/guess.py",
        N_("Guess the next token"),
        N_("Write"),
        N_("Predicting the next word is a game that you can play too."),
        N_("Who predicts well gives the right word a large share of the probability."),
        has_figure=False,
    ),
    Lesson(
        "pages/stopping.py",
        N_("Stopping and streaming"),
        N_("Write"),
        N_("A text ends when its end is drawn."),
        N_("The end is a token too, and likeliest where a sentence is over."),
        has_figure=False,
    ),
    Lesson(
        "pages/sampling.py",
        N_("Sampling strategies"),
        N_("Choose"),
        N_("The model gives probabilities. A mask says which tokens may be drawn."),
        N_("Top-p cuts the tail, and what is left shares the whole bar."),
    ),
    Lesson(
        "pages/futures.py",
        N_("All continuations"),
        N_("Choose"),
        N_("Every token divides the probability of the text before it."),
        N_("Taking the likeliest token each time need not give the likeliest text."),
        has_figure=False,
    ),
    Lesson(
        "pages/beam_search.py",
        N_("Beam search"),
        N_("Choose"),
        N_("Each token is chosen before it is known what it leads to."),
        N_("Beam search keeps several beginnings: one that starts less likely can end likelier."),
    ),
    Lesson(
        "pages/constraints.py",
        N_("Constrained decoding"),
        N_("Choose"),
        N_("A rule cuts every token that would break it."),
        N_("A rule looks one token ahead: it can lead where the model would hardly go."),
    ),
    Lesson(
        "pages/snowball.py",
        N_("Error propagation"),
        N_("Be wrong"),
        N_("A model draws every word, so sooner or later it writes a wrong one."),
        N_("The model asks what follows from its text, not whether the text is true."),
    ),
    Lesson(
        "pages/kv_cache.py",
        N_("The KV cache"),
        N_("Remember"),
        N_("Every token is predicted from the whole text before it, and that text grows."),
        N_("The cache turns a triangle into a line."),
    ),
    Lesson(
        "pages/prefill_decode.py",
        N_("Prefill and decode"),
        N_("Remember"),
        N_("You wait while the model reads, and again while it writes."),
        N_("Reading takes one pass; writing takes one pass for every token."),
    ),
    Lesson(
        "pages/speculative.py",
        N_("Speculative decoding"),
        N_("Remember"),
        N_("A small model, the draft, guesses; a large one checks the guesses."),
        N_("A small model may guess, because the large one checks every guess."),
    ),
    Lesson(
        "pages/causal_mask.py",
        N_("The causal mask"),
        N_("Other ways"),
        N_("In training, a model reads a whole text at once and has to predict each token of it."),
        N_("The mask hides what comes next, so that every position has to predict it."),
    ),
    Lesson(
        "pages/diffusion.py",
        N_("Masked diffusion"),
        N_("Other ways"),
        N_("A text need not be written from left to right."),
        N_("Filling many places at once is quicker, but each place knows less of the others."),
    ),
    Lesson(
        "pages/encoder_decoder.py",
        N_("The encoder-decoder"),
        N_("Other ways"),
        N_("A gap inside a text has words on both sides."),
        N_("An encoder reads what comes after a gap, so another ending gets another word."),
        has_figure=False,
    ),
    Lesson(
        "pages/serving.py",
        N_("Serving many requests"),
        LABORATORY,
        N_("Many readers share one model, pass by pass."),
        N_("A free slot filled at once is quicker for all together, but not always for each."),
    ),
    Lesson(
        "pages/engines.py",
        N_("Samplers and engines compared"),
        LABORATORY,
        N_("One model, four engines: programs that draw its tokens."),
        N_("Each step sees what the step before it left: their order is a setting too."),
        measures="pages/sampling.py",
        sections=(
            "Do four engines draw the same token?",
            "Which masks stand still when the temperature rises?",
            "Do the draws follow the distribution?",
            "Mirostat: a mask that remembers",
        ),
    ),
    Lesson(
        "pages/roofline.py",
        N_("Roofline and cost"),
        LABORATORY,
        N_("A pass reads the model and computes with it. One of the two makes it wait."),
        N_(
            "A token by itself waits for the whole model to be read; many tokens share one reading."
        ),
        measures="pages/prefill_decode.py",
        sections=(
            "The roofline: memory-bound or compute-bound",
            "Batching",
            "Padding",
            "Cost per token",
            "Scoring and embedding in one pass",
        ),
    ),
    Lesson(
        "pages/teacher_forcing.py",
        N_("Teacher forcing, measured"),
        LABORATORY,
        N_("Teacher forcing: a model learns on true text. Then it writes its own."),
        N_("On its own text the small model makes {more} on true text: {so}."),
        measures="pages/snowball.py",
        sections=(
            "Teacher forcing and free running",
            "Error compounding",
            "Instruction position",
            "Long generation",
            "The thread",
            "Loss by context length",
        ),
    ),
    Lesson(
        "pages/claims.py",
        N_("Claims about generation, tested"),
        LABORATORY,
        N_("What is said of language models can be tested."),
        N_("After one wrong word the model makes {found} than without it."),
        has_figure=False,
    ),
    Lesson("pages/tour.py", N_("Guided lessons"), CLASS, has_figure=False),
    Lesson("pages/classroom.py", N_("A room for the class"), CLASS, has_figure=False),
    Lesson("pages/glossary.py", N_("Glossary"), CLASS, has_figure=False),
)


def sections() -> dict[str, list[Lesson]]:
    """Returns the lessons by the name of their part, in order."""
    found: dict[str, list[Lesson]] = {}
    for lesson in LESSONS:
        found.setdefault(lesson.part_name, []).append(lesson)
    return found


def lesson_at(path: str) -> Lesson:
    """Returns the lesson whose page is at `path`."""
    return next(lesson for lesson in LESSONS if lesson.path == path)


def laboratory_of(path: str) -> Lesson | None:
    """Returns the laboratory of the page at `path`, if it has a page of its own."""
    return next((lesson for lesson in LESSONS if lesson.measures == path), None)


def anchor_of(title: str) -> str:
    """Returns what Streamlit calls a heading of that title in its address."""
    return re.sub(r"[\W_]+", "-", title.lower()).strip("-")


def page_of_section(stem: str, anchor: str) -> str:
    """Returns the stem of the page on which a section stands that a link has on page `stem`."""
    laboratory = laboratory_of(f"pages/{stem}.py")
    is_moved = laboratory is not None and anchor in map(anchor_of, laboratory.sections)
    return laboratory.stem if laboratory is not None and is_moved else stem


def neighbours(path: str) -> tuple[Lesson | None, Lesson | None]:
    """Returns the lesson before the one at `path` and the one after it.

    Behind the course come the guided lessons: the laboratory is no pupil's next page.
    """
    place = LESSONS.index(lesson_at(path))
    before = LESSONS[place - 1] if place > 0 else None
    rest = LESSONS[place + 1 :]
    if LESSONS[place].part in COURSE:
        rest = tuple(lesson for lesson in rest if lesson.part != LABORATORY)
    return before, next(iter(rest), None)
