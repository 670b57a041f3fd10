"""The reader's language: English stands in the source, and is the key to every other.

`_("What comes next?")` returns the sentence in the language of the reader whose page, request or
callback this thread works for. The catalogues are gettext's, one `.po` file per language in
`pages/words/`; a message that has no translation shows English. Placeholders are named and filled
in as text, `_("{n_tokens} tokens are kept", n_tokens=numeral(count(n)))`, so that nothing in a
catalogue is run. A constant of a module is marked by `N_` and looked up by `_` where it is shown.

The language is what the address asks for (`?lang=de`), else the first of the browser's that has a
catalogue, else English. A route has it from its request, by `spoken_in`.

babel is imported for languages other than English alone.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from gettext import GNUTranslations
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st
from starlette.requests import HTTPConnection
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

from model.sentences import Numeral, Sentence, fill
from viz.format import THIN, count

if TYPE_CHECKING:
    from babel import Locale
    from babel.messages import Catalog

FOLDER = Path(os.environ.get("ONE_TOKEN_WORDS") or Path(__file__).parents[1] / "words")
NAME = "lang"  # in the address
MAX_ASKED = 300  # characters of what a browser asks for that are read
SAMPLES = (*range(201), 1_000, 10**6)  # numbers among which all plural forms are met
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+")
# of a number from left to right, what would go to its other end among words from right to left
_TURNED = re.compile("[A-Za-zµ−]")
_ISOLATE, _POP = "\N{LEFT-TO-RIGHT ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_TAG = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*")


@dataclass(frozen=True)
class Language:
    """A language that readers may choose, by its BCP 47 tag: "de", "zh-Hans"."""

    tag: str

    @property
    def path(self) -> Path:
        """The catalogue."""
        return FOLDER / f"{self.tag.replace('-', '_')}.po"

    @property
    def direction(self) -> Literal["ltr", "rtl"]:
        """The direction of its script."""
        if self is ENGLISH:
            return "ltr"
        return "rtl" if _locale(self.tag).text_direction == "rtl" else "ltr"


ENGLISH = Language("en")
_speaking: ContextVar[Language | None] = ContextVar("language", default=None)


@cache
def languages() -> Mapping[str, Language]:
    """Returns the languages that have a catalogue, by their tags, English first."""
    found = (Language(path.stem.replace("_", "-")) for path in sorted(FOLDER.glob("*.po")))
    return {ENGLISH.tag: ENGLISH} | {language.tag: language for language in found}


# Which language


def language() -> Language:
    """Returns the language of the reader for whom this thread works."""
    speaking = _speaking.get()
    if speaking is None and get_script_run_ctx(suppress_warning=True) is not None:
        speaking = languages().get(_of_session(), ENGLISH)
        _speaking.set(speaking)  # this thread runs that reader's script and no other's
    return speaking or ENGLISH


def _of_session() -> str:
    """Returns the tag of this reader's language, which stays while the page is open."""
    if "language" not in st.session_state:
        said = st.query_params.get(NAME)
        found = asked_for(said, st.context.headers.get("Accept-Language"))
        st.session_state["language"] = found.tag
        st.session_state["language_is_chosen"] = said == found.tag
    return str(st.session_state["language"])


def chosen() -> str:
    """Returns what the address of every page says of the language; empty unless it was chosen."""
    tag = language().tag
    return f"?{NAME}={tag}" if st.session_state.get("language_is_chosen") else ""


def asked_for(said: str | None, accepted: str | None) -> Language:
    """Returns the language for what an address says and a browser accepts; English for neither."""
    return _first((said or "")[:MAX_ASKED], (accepted or "")[:MAX_ASKED])


@lru_cache(maxsize=256)
def _first(said: str, accepted: str) -> Language:
    for tag in (said, *_in_order(accepted)):
        if (found := _matching(tag)) is not None:
            return found
    return ENGLISH


def _in_order(accepted: str) -> Iterable[str]:
    """Returns the tags of an Accept-Language header, the most wanted first."""
    parts = [part.strip().partition(";") for part in accepted.split(",")]
    weighed = [(tag.strip(), re.search(r"q=(0(?:\.\d*)?)", weight)) for tag, _, weight in parts]
    weights = {tag: float(weight[1]) if weight else 1.0 for tag, weight in weighed}
    return sorted((tag for tag in weights if weights[tag] > 0), key=lambda tag: -weights[tag])


def _matching(tag: str) -> Language | None:
    """Returns the language for a tag: the same one in the same script, of whichever country."""
    if not _TAG.fullmatch(tag):
        return None
    for own in languages().values():
        if own.tag.lower() == tag.lower():
            return own
    if tag.lower().startswith("en-") or len(languages()) == 1:
        return ENGLISH if tag.lower().startswith("en-") else None
    wanted = _maximized(tag)
    others = (own for own in languages().values() if own.tag.partition("-")[0] != "en")
    return next((own for own in others if _maximized(own.tag) == wanted), None)


@cache
def _locale(tag: str) -> "Locale":
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(tag, sep="-")
    except UnknownLocaleError:
        return Locale(tag.partition("-")[0])


def _maximized(tag: str) -> tuple[str, str | None] | None:
    """Returns the language and the script that a tag means; None of one that nobody knows."""
    from babel import Locale, UnknownLocaleError
    from babel.core import get_global

    try:
        locale = Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return None
    likely = get_global("likely_subtags").get(locale.language, "")
    return locale.language, locale.script or Locale.parse(likely or tag, sep="_").script


@contextmanager
def speaking(spoken: Language) -> Iterator[None]:
    """Has this thread, or this task, speak a language; others are not disturbed."""
    before = _speaking.set(spoken)
    try:
        yield
    finally:
        _speaking.reset(before)


def spoken_in(request: HTTPConnection) -> Language:
    """Returns the language of whoever sent a request."""
    return asked_for(request.query_params.get(NAME), request.headers.get("accept-language"))


# What is said


def _(source: str, **values: object) -> str:
    """Returns a sentence in the reader's language, its placeholders filled in.

    Args:
        source: The sentence in English; one of the model's (`Sentence`) brings its own values.
        values: By the names of the placeholders.
    """
    if isinstance(source, Sentence):
        values = {name: _value(one) for name, one in source.values.items()} | values
        source = source.source
    if not _is_foreign() or not source:
        return fill(source, values)
    said = {name: in_language(value) for name, value in values.items()}
    return fill(_catalogue().gettext(source), said)


def in_language(value: object) -> Any:
    """Returns plain values, the sentences and figures in them as the reader's language has them."""
    match value:
        case Sentence():
            return _(value)
        case Numeral():
            return numeral(value)
        case dict():
            return {name: in_language(part) for name, part in value.items()}
        case list() | tuple():
            return [in_language(part) for part in value]
    return value


def _value(value: object) -> object:
    """Returns a value of the model's sentences as the reader's language says or writes it."""
    if isinstance(value, Sentence):
        return _(value)
    is_grouped = type(value) is str and _GROUPED.fullmatch(value)
    return numeral(str(value).replace(",", THIN)) if is_grouped and _is_foreign() else value


def N_(source: str) -> str:  # noqa: N802  gettext's own name for it
    """Marks a constant, which `_` looks up where it is shown."""
    return source


def ngettext(one: str, many: str, n: int, **values: object) -> str:
    """Returns a sentence about `n` things; `{n}` in it is the number, written out."""
    said = many if n != 1 else one
    if _is_foreign():
        said = _catalogue().ngettext(one, many, n)
    return fill(said, {"n": numeral(count(n)), **values})


def pgettext(context: str, source: str, **values: object) -> str:
    """Returns a short text that would be translated differently elsewhere."""
    return fill(_catalogue().pgettext(context, source) if _is_foreign() else source, values)


def listed(parts: Iterable[str]) -> str:
    """Returns parts as one list in a sentence: "a, b and c"."""
    all_parts = list(parts)
    if _is_foreign():
        from babel.lists import format_list

        return str(format_list(all_parts, locale=_locale(language().tag)))
    return " and ".join(filter(None, [", ".join(all_parts[:-1]), *all_parts[-1:]]))


def told(error: BaseException) -> str:
    """Returns what an error says, in the reader's language where it is one of the model's."""
    return _(error.args[0]) if error.args and isinstance(error.args[0], Sentence) else str(error)


def _is_foreign() -> bool:
    return language() is not ENGLISH


def _catalogue() -> GNUTranslations:
    return _translations(language())


@cache
def _translations(spoken: Language) -> GNUTranslations:
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, catalogue(spoken))
    compiled.seek(0)
    return GNUTranslations(compiled)


def catalogue(spoken: Language) -> "Catalog":
    """Reads a language's catalogue."""
    from babel.messages.pofile import read_po

    with spoken.path.open("rb") as file:
        return read_po(file, locale=_locale(spoken.tag), charset="utf-8")


# Numbers


@dataclass(frozen=True)
class Numerals:
    """How a language writes numbers; units stay as they are."""

    decimal: str
    group: str
    percent: str  # what follows the number
    min_grouped: int  # digits from which thousands are grouped


@cache
def numerals(spoken: Language) -> Numerals:
    """Returns how a language writes numbers; English as viz/format.py does."""
    if spoken is ENGLISH:
        return Numerals(".", THIN, f"{THIN}%", 4)
    from babel.numbers import format_decimal, get_decimal_symbol, get_group_symbol

    locale = _locale(spoken.tag)
    four = format_decimal(1234, locale=locale)
    is_apart = not str(locale.percent_formats[None].pattern).endswith("0%")
    return Numerals(
        decimal=get_decimal_symbol(locale),
        group=get_group_symbol(locale).replace("\u00a0", THIN),
        percent=f"{THIN}%" if is_apart else "%",
        min_grouped=4 if len(four) > 4 else 5,
    )


def numeral(text: str) -> str:
    """Writes a number that viz/format.py wrote, with its unit, as the reader's language does."""
    if not _is_foreign():
        return text
    how = numerals(language())
    if how.min_grouped > 4:
        text = re.sub(rf"(?<![\d{THIN}])(\d){THIN}(?=\d{{3}}(?!{THIN}?\d))", r"\1", text)
    text = re.sub(r"(?<=\d)\.(?=\d)", "\0", text)  # for the decimal sign
    text = re.sub(rf"(?<=\d){THIN}(?=\d{{3}})", how.group, text)
    text = text.replace("\0", how.decimal).replace(f"{THIN}%", how.percent)
    return island(text)


def island(text: str) -> str:
    """Keeps a name or a number with its unit as it is among words from right to left.

    A number behind a name in Latin letters would be taken for the name's own.
    """
    is_turned = language().direction == "rtl" and _TURNED.search(text)
    return f"{_ISOLATE}{text}{_POP}" if is_turned else text


# For browsers

_handed: set[str] = set()


def hand_to_scripts(*sources: str) -> None:
    """Puts messages that scripts are handed as data, and say by `_`, into browsers' catalogues."""
    _handed.update(sources)


@cache
def version(spoken: Language) -> str:
    """Returns what stands for the content of a catalogue in its address."""
    return sha256(spoken.path.read_bytes()).hexdigest()[:8]


@cache
def for_browser(spoken: Language, scripts: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Returns a language for `live/words.js`: the messages of scripts, and how numbers are written.

    A message with several forms has a list of them; `plurals` says which is for which of CLDR's
    categories, which browsers know.

    Args:
        spoken: The language; not English.
        scripts: Those whose messages are enough, beside those of markup and those that scripts are
            handed; all if there are none.
    """

    def is_needed(path: str) -> bool:
        return path.endswith(".html") or (path in scripts if scripts else path.endswith(".js"))

    found = catalogue(spoken)
    form = _locale(spoken.tag).plural_form
    how = numerals(spoken)
    plural_of = _translations(spoken).plural  # type: ignore[attr-defined]  # gettext's own
    messages = {
        _key(message.context, message.id): message.string
        for message in found
        if message.id
        and not message.fuzzy
        and any(message.string if isinstance(message.string, tuple) else (message.string,))
        and (message.id in _handed or any(is_needed(path) for path, _ in message.locations))
    }
    return {
        "tag": spoken.tag,
        "direction": spoken.direction,
        "decimal": how.decimal,
        "group": how.group,
        "percent": how.percent,
        "minGrouped": how.min_grouped,
        "plurals": {form(n): plural_of(n) for n in SAMPLES},
        "messages": messages,
    }


def _key(context: str | None, ident: str | Sequence[str]) -> str:
    source = ident if isinstance(ident, str) else ident[0]
    return source if context is None else f"{context}\x04{source}"
