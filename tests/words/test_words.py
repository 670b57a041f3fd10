"""Which language a reader gets, and how it says sentences and numbers, in Python and in scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from model.sentences import Sentence
from pages.frame import words
from pages.frame.typed import number_typed, whole_typed
from pages.frame.words import ENGLISH, Language, _, asked_for, ngettext, numeral, speaking, told
from pages.home.link import SEED
from pages.home.text_request import MAX_SEED
from tests.driving.in_page import InPage
from tests.words.pseudo import reading
from viz.format import count, percent

HEAD = """msgid ""
msgstr ""
"Language: {tag}\\n"
"Plural-Forms: {forms}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"""
FORMS = {
    "de": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "zh_Hans": "nplurals=1; plural=0;",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : "
    "n%100>=0 && n%100<=2 ? 4 : 5);",
    "en_XA": "nplurals=2; plural=(n != 1);",
}
TYPED = (
    *("0,5", "1,5", "1.234", "1,234", "1.234,5", "1,2,3", "1 234,5", "٠٫٥", "٠،٥", "١٬٢٣٤", "１２"),
    *("50 %", "−3", "1e6", "1e999", "nan", "", "5,", "1_5", "0,500", "\u200f१२\u200f", "1|5"),
)
COMMA = "between the parts of a list"
NUMBERS = (0, 1, 2, 3, 11, 100, 101, 1234, 12345)


def typed_or_none(text: str) -> float | None:
    try:
        return number_typed(text)
    except ValueError:
        return None


def seed_or_refusal(text: str) -> int | str:
    try:
        return whole_typed(text, SEED)
    except ValueError as error:
        return told(error).removesuffix(".")  # whose full stop is the page's


@pytest.fixture(scope="module", autouse=True)
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A small catalogue for each of the languages, that names the form it is asked for."""
    folder = tmp_path_factory.mktemp("words")
    for tag, forms in FORMS.items():
        n = int(forms[len("nplurals=")])
        said = "".join(f'msgstr[{i}] "{{n}} {tag} {i}"\n' for i in range(n))
        messages = f'#: a.js\nmsgid "{{n}} token"\nmsgid_plural "{{n}} tokens"\n{said}\n'
        messages += f'#: a.js\nmsgid "It is {{what}}."\nmsgstr "{{what}} ({tag})"\n'
        messages += f'#: a.js\nmsgctxt "{COMMA}"\nmsgid ", "\nmsgstr " {tag} "\n'
        (folder / f"{tag}.po").write_text(
            f"{HEAD.format(tag=tag, forms=forms)}\n{messages}", "utf-8"
        )
    with reading(Path(folder)):
        yield


@pytest.mark.parametrize(
    ("said", "accepted", "tag"),
    [
        (None, None, "en"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "en-GB,en;q=0.9,de;q=0.8", "en"),
        (None, "pt-BR,es;q=0.5,fr;q=0.7", "fr"),
        (None, "zh-CN", "zh-Hans"),
        (None, "zh-TW,en", "en"),  # in another script
        (None, "ar-EG;q=0,*", "en"),
        ("fr", "de", "fr"),
        ("en", "de", "en"),
        ("DE", None, "de"),
        ("xx", "de", "de"),
        ("../de", "q=;;,,;q=9,\0", "en"),
        ("en-XA", None, "en-XA"),
        (None, "en-US", "en"),  # and not its pseudo-locale
    ],
)
def test_a_reader_gets_the_first_language_that_is_there(
    said: str | None, accepted: str | None, tag: str
) -> None:
    assert asked_for(said, accepted).tag == tag


def test_english_is_its_own_key_and_a_message_without_translation_shows_it() -> None:
    assert _("It is {what}.", what="{x}") == "It is {x}."
    assert ngettext("{n} token", "{n} tokens", 1) == "1 token"
    with speaking(Language("de")):
        assert _("It is {what}.", what="{x}") == "{x} (de)"
        assert _("Nobody translated {this}.", this=1) == "Nobody translated 1."
        assert _(Sentence("It is {what}.", what=2)) == "2 (de)"
        assert _("") == ""
    assert words.language() is ENGLISH
    assert Sentence("It is {what}.", what=2) == "It is 2."


def test_numbers_stand_as_the_language_writes_them() -> None:
    shown = [count(1234), count(1234567), percent(0.1234), percent(1e-7), "1.50\u202fms"]
    said = {"de": "1.234", "fr": "1\u202f234", "es": "1.234", "zh-Hans": "1,234", "ar": "1,234"}
    for tag, grouped in said.items():
        with speaking(Language(tag)):
            assert numeral(shown[0]) == grouped
    with speaking(Language("de")):
        assert [numeral(text) for text in shown[1:]] == [
            "1.234.567",
            "12,3\u202f%",
            "1·10⁻⁵\u202f%",
            "1,50\u202fms",
        ]
    assert [numeral(text) for text in shown] == shown


@pytest.mark.parametrize("tag", [tag.replace("_", "-") for tag in FORMS])
def test_scripts_choose_the_form_and_write_the_number_as_python_does(
    in_page: InPage, tag: str
) -> None:
    language = Language(tag)
    texts = [count(n) for n in NUMBERS] + [percent(0.5), percent(0.00123), "−2.31\u202fnats"]
    spoken = words.for_browser(language)
    page = in_page("words", spoken=spoken, numbers=NUMBERS, texts=texts, typed=TYPED)
    with speaking(language):
        counted = [ngettext("{n} token", "{n} tokens", n) for n in NUMBERS]
        assert page["counted"] == counted
        assert page["written"] == [numeral(text) for text in texts]
        assert page["typed"] == list(map(typed_or_none, TYPED))
        assert page["seeds"] == list(map(seed_or_refusal, TYPED))
        assert page["said"] == _("It is {what}.", what="{x}")
    assert page["listed"] == f"a {language.path.stem} b"
    assert len(set(page["counted"])) == len(NUMBERS)


@pytest.mark.parametrize(
    ("typed", "seeds"),  # of every language, or by its tag; what is not there is refused
    [
        *(("0,5", {}), ("0.5", {}), ("٠٫٥", {}), ("１．５", {}), ("", {}), ("7e", {}), ("-1", {})),
        *(("2147483648", {}), ("2.147.483.648", {}), ("1 2", {}), ("²", {}), ("9" * 99, {})),
        *(("2147483647", {"*": MAX_SEED}), ("2.147.483.647", {"*": MAX_SEED})),
        *(("٧", {"*": 7}), ("１２", {"*": 12}), ("\u200f१२\u200f", {"*": 12}), ("007", {"*": 7})),
        *(("1 234", {"*": 1234}), ("1\u202f234", {"*": 1234}), ("١٬٢٣٤", {"*": 1234})),
        ("1.234", {"de": 1234, "es": 1234}),
        ("1,234", {"en-XA": 1234, "zh-Hans": 1234, "ar": 1234}),
    ],
)
def test_a_seed_is_read_as_it_was_meant_or_refused(typed: str, seeds: dict[str, int]) -> None:
    for name in FORMS:
        tag = name.replace("_", "-")
        with speaking(Language(tag)):
            found = seed_or_refusal(typed)
        seed = seeds.get(tag, seeds.get("*"))
        assert found == seed if seed is not None else isinstance(found, str), (tag, found)
