"""What anybody may write: read once, repeated in one line, never a link, on every page."""

import importlib
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from unicodedata import category
from urllib.parse import parse_qs, urlencode

import pytest
from playwright.sync_api import Page, expect

from model.sentences import MAX_SENTENCE, apart, cut
from pages.frame.fields import Field, read_fields, write_fields
from pages.frame.layout import as_written
from pages.frame.settings_table import SettingsTable
from pages.frame.values import is_whole, number_of, whole_of
from pages.home.link import FIELDS
from pages.home.text_request import whole
from pages.lessons.tour.bar import _number
from pages.lessons.tour.said import read_said
from pages.lessons.tour.scenes import LessonError, parse_lesson, read_lesson
from tests.driving.harness import Witness
from tests.driving.in_page import InPage

N_STRINGS = 10_000  # of each kind of value
N_LINKS = 500  # of each page
JOINER = "\N{WORD JOINER}"
DIGITS = "0123456789²٣४৭๓𝟜Ⅷ一"
PARTS = (
    *("www.evil.example/a", "https://evil.example", "WWW.evil.example", "a@evil.example", "//e"),
    *("[x](http://e.example)", "<b>", "`", "$x$", ":red[a]", "~use:", ";", ",", "&", "|", "# a"),
    *("\n\n", "\r", "\u2028", "\x85", "\u202e", "- a", "/etc/passwd", "word", " ", "e\u0301"),
    *("nan", "inf", "-Infinity", "1_0", "0x10", "1e400", "-0", "7\n", "\0", "\ud800", "\ufeff"),
)


def hostile(draw: random.Random) -> str:
    """A string that somebody may have written where a value was wanted."""
    match draw.randrange(6):
        case 0:
            return "".join(draw.choices(DIGITS, k=draw.randrange(30)))
        case 1:
            return "".join(draw.choices(DIGITS[:10] + "+-_.,eE ", k=draw.randrange(12)))
        case 2:
            return "0" * draw.randrange(30) + str(draw.randrange(10 ** draw.randrange(1, 30)))
        case 3:
            return draw.choice(("9", "0", "٣", "-9")) * draw.choice((18, 19, 400, 5_000))
        case 4:
            return "".join(chr(draw.randrange(0x3000)) for _ in range(draw.randrange(60)))
    return "".join(draw.choices(PARTS, k=draw.randrange(6)))


def refused(read: Callable[..., object], *given: object) -> str:
    """What a reader is told; empty where nothing is wrong."""
    try:
        read(*given)
    except LessonError as error:
        return str(error)
    return ""


STRINGS = [hostile(random.Random(i)) for i in range(N_STRINGS)]


def tables() -> Iterator[tuple[str, tuple[Field, ...]]]:
    """The fields of every page that takes a link."""
    yield "home", FIELDS
    for path in sorted(Path("pages/lessons").glob("*/settings.py")):
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        for name, table in vars(module).items():
            if isinstance(table, SettingsTable):
                yield f"{path.parent.name}.{name}", table.fields


TABLES = dict(tables())


def test_a_whole_number_is_plain_digits_between_its_bounds() -> None:
    for text in STRINGS:
        is_plain = re.fullmatch(r"[0-9]+", text) is not None and len(text) <= 18
        assert whole_of(text, 1, 40) == (int(text) if is_plain and 1 <= int(text) <= 40 else None)
    assert sum(whole_of(text) is not None for text in STRINGS) > N_STRINGS / 100


def test_a_number_is_finite_and_between_its_bounds() -> None:
    for text in STRINGS:
        number = number_of(text, -2, 300)
        assert number is None or (-2 <= number <= 300 and text.isascii() and float(text) == number)
        assert number is None or "_" not in text
    assert sum(number_of(text) is not None for text in STRINGS) > N_STRINGS / 100


@pytest.mark.parametrize("text", ["0", "-1.5", "1e2", ".5", "300", "7.", "1e-300", "0.1"])
def test_what_a_page_writes_is_a_number(text: str) -> None:
    assert number_of(text) == float(text)


def test_what_a_stranger_wrote_is_one_line_of_a_sentence() -> None:
    for text in STRINGS:
        line = cut(text)
        assert len(line) <= 40
        assert not any(c != " " and (c.isspace() or category(c)[0] == "C") for c in line)
        assert len(as_written(text).splitlines()) < 2


def test_what_is_too_much_reads_as_more_than_what_there_is() -> None:
    draw = random.Random(7)
    for _ in range(1_000):
        less = draw.uniform(0, 10 ** draw.randrange(-3, 4))
        more = less * (1 + 10.0 ** draw.randrange(-8, 1))
        told, there = (float(text.replace(",", "")) for text in apart(more, less))
        assert told > there
        assert told == pytest.approx(more, abs=0.05)
    assert apart(20.4, 20, 0) == ("20.4", "20.0")
    assert apart(1.26, 1.24) == ("1.3", "1.2")


# what remark takes for a link where it stands in a text: an address, and an address of mail
LIVE = re.compile(r"www\.|https?://|(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+", re.IGNORECASE)


def test_what_a_stranger_wrote_is_never_a_link() -> None:
    for text in STRINGS:
        written = as_written(text)
        shown = re.sub(r"\\(.)", r"\1", written)
        assert LIVE.search(shown) is None
        assert re.search(r"(?<!\\)[\[\]<>`$:]", written) is None
        assert shown.replace(JOINER, "") == " ".join(text.split()).replace(JOINER, "")


@pytest.mark.parametrize("page", TABLES)
def test_every_page_follows_any_link(page: str) -> None:
    fields, draw = TABLES[page], random.Random(page)
    for _ in range(N_LINKS):
        asked = draw.sample(fields, k=draw.randrange(1, min(len(fields), 6) + 1))
        link = {field.name: [draw.choice(STRINGS)] for field in asked}
        found = read_fields(link, fields)
        sentence = found.sentence()
        assert len(sentence) <= MAX_SENTENCE
        assert not any(category(c) == "Cc" for c in sentence)
        assert len(sentence.splitlines()) < 2
        again = write_fields(found.values, fields).removeprefix("?")
        kept = read_fields(parse_qs(again, keep_blank_values=True, errors="surrogatepass"), fields)
        assert not kept.faults


def test_the_first_page_reads_any_run(in_page: InPage) -> None:
    draw = random.Random(0)
    for _ in range(N_LINKS):
        run, forced, seed = (draw.choice(STRINGS) for _ in range(3))
        link = {"prompt": "a", "run": run, "forced": forced, "seed": seed}
        for problem in in_page("readLink", query=link)["problems"]:
            assert len(problem.splitlines()) == 1


def test_a_lesson_s_link_names_a_scene_or_is_refused_in_a_line() -> None:
    lesson = read_lesson("how-a-model-writes")
    for text in STRINGS[: 4 * N_LINKS]:
        for refusal in (refused(read_lesson, text), refused(_number, lesson, text)):
            assert len(refusal.splitlines()) < 2
            assert len(refusal) <= MAX_SENTENCE
        assert all(0 < len(reply) <= 40 for reply in read_said(text).values())


def test_a_faulty_lesson_is_one_line() -> None:
    draw = random.Random(0)
    for _ in range(4 * N_LINKS):
        known = ("# A", "## B", "Words.", "Page: ", "Task: until ", "Reply: ", "Light: ", "Cover: ")
        parts = [draw.choice((*known, "")) + draw.choice(STRINGS) for _ in range(8)]
        text = draw.choice(("\n\n", "\n")).join(["# A", "## B", *parts])
        refusal = refused(parse_lesson, "mine", text)
        assert len(refusal.splitlines()) < 2
        assert len(refusal) <= 2 * MAX_SENTENCE


@pytest.mark.parametrize("scene", ["00000000199", "000000001", "1" * 5_000, "-1", "²", "", "1.0"])
def test_a_scene_in_zeros_is_the_scene_that_it_names(scene: str) -> None:
    lesson = read_lesson("how-a-model-writes")
    if scene == "000000001":
        assert _number(lesson, scene) == 1
    else:
        with pytest.raises(LessonError, match="and no “"):
            _number(lesson, scene)


@pytest.mark.parametrize("value", [-(10**4_000), 2**63, True, 1.5, "7", None, [1], -(2**70)])
def test_a_forged_number_is_repeated_in_a_line(value: object) -> None:
    assert not is_whole(value)
    with pytest.raises(ValueError, match="The page sent “") as refused:
        whole({"position": value}, "position", 0, 10**9)
    assert len(str(refused.value)) < 120


@pytest.mark.browser
def test_a_warning_holds_no_link_of_a_stranger(page: Page, url: str, witness: Witness) -> None:
    link = {"beams": "a www.evil.example/x", "tokens": "a@evil.example https://evil.example"}
    page.goto(f"{url}/beam_search?{urlencode(link)}")
    alert = page.get_by_role("alert").filter(has_text="in part only")
    expect(alert).to_be_visible()
    for name in ("a www", "a@", "https:"):
        expect(alert).to_contain_text(name)
    assert alert.locator("a").count() == 0
    assert alert.locator("p").count() == 1
    witness.errors.clear()  # Streamlit first looks for itself below the page's address
