"""Brings the catalogues up to date with the source: `.venv/bin/python -m pages.words.update`.

What `_`, `N_`, `ngettext`, `pgettext` and `Sentence` hold in Python and JavaScript, every text of
an HTML file, and the terms and sentences of the glossary are messages. New ones come in without a
translation, what nobody says any more goes out, and all stand in one order: by file, then by their
English, without line numbers, so that a change elsewhere moves nothing. A new language begins as an
empty file, `pages/words/pl.po`.

Knows babel and the source; nothing of Streamlit.
"""

import io
import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from babel import Locale
from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
SOURCES = ("pages", "model", "viz")
KEYWORDS = {
    "_": None,
    "N_": None,
    "Sentence": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
TERMS = "pages/frame/terms.md"
TERM = "a term of the glossary"  # the context of its name
TERM_NOTE = "The field's word; after it, each after |, its other forms in sentences: Token | Tokens"
METHODS = {".py": "python", ".js": "javascript"}
NOTE = ["Translators:"]  # what begins a comment for them
SPOKEN = ("aria-label", "placeholder", "title", "alt")  # attributes, as live/words.js has them
SILENT = ("script", "style")
VOID = ("br", "hr", "img", "input", "link", "meta")  # elements that nothing closes
KEPT = "Language: |Plural-Forms|MIME-Version|Content-T"  # of the header; the rest is of no use
HEADER = re.compile(rf'^"(?!{KEPT})[A-Z][\w-]+: .*\\n"\n', re.MULTILINE)


def messages_of(path: Path) -> Iterator[tuple[str | tuple[str, ...], list[str], str | None]]:
    """Yields what a file says: a message, or its two forms; notes for translators; its context."""
    if path.suffix == ".html":
        for text in texts_of(path.read_text("utf-8")):
            yield text, [], None
        return
    if path == ROOT / TERMS:
        for entry in path.read_text("utf-8").split("\n## ")[1:]:
            head, says = entry.strip().split("\n\n")
            yield head.partition(" | ")[0], [TERM_NOTE], TERM
            yield " ".join(says.split()), [], None
        return
    options = {"parse_template_string": "true"} if path.suffix == ".js" else {}
    with path.open("rb") as file:
        for _, ident, notes, context in extract(
            METHODS[path.suffix], file, KEYWORDS, NOTE, options
        ):
            if ident:
                yield ident, [note.removeprefix(NOTE[0]).strip() for note in notes], context


def texts_of(markup: str) -> list[str]:
    """Returns the texts of a page's markup that have a letter, white space made one space."""
    reader = _Texts()
    reader.feed(markup)
    reader.close()
    texts = (" ".join(text.split()) for text in reader.texts)
    return [text for text in texts if any(map(str.isalpha, text))]


class _Texts(HTMLParser):
    """Collects texts and the attributes that are said, outside of what is not to be translated."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.silent: list[bool] = []  # of the elements around, from the outermost

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [said for name, said in attrs if name in SPOKEN and said]
        if tag not in VOID:
            self.silent.append(tag in SILENT or ("translate", "no") in attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self.silent:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.silent):
            self.texts.append(data)


def files() -> Iterable[Path]:
    """Returns the files that may say something."""
    kinds = {*METHODS, ".html"}
    found = (path for folder in SOURCES for path in (ROOT / folder).rglob("*"))
    return sorted([ROOT / TERMS, *(path for path in found if path.suffix in kinds)])


@cache
def template() -> Catalog:
    """Returns all messages of the source, by file and then by their English, none translated."""
    found = [
        (path.relative_to(ROOT).as_posix(), ident, notes, context)
        for path in files()
        for ident, notes, context in messages_of(path)
    ]
    found.sort(key=lambda message: (message[0], message[1][0], message[1]))
    made = Catalog(charset="utf-8", fuzzy=False)
    for name, ident, notes, context in found:
        made.add(ident, locations=[(name, 0)], auto_comments=notes, context=context)
    return made


def updated(path: Path) -> str:
    """Returns a catalogue as it should be: its translations, and the messages of the source."""
    locale = Locale.parse(path.stem)
    with path.open("rb") as file:
        old = read_po(file, locale=locale, charset="utf-8")
    new = Catalog(locale=locale, charset="utf-8", fuzzy=False)
    new.header_comment = f"# {locale.english_name}. How to mend a sentence: docs/translating.md"
    for message in template():
        if message.id:
            kept = old.get(message.id, message.context)
            new.add(
                message.id,
                kept.string if kept else None,
                locations=message.locations,
                flags=kept.flags - {"python-format"} if kept else (),
                auto_comments=message.auto_comments,
                user_comments=kept.user_comments if kept else (),
                context=message.context,
            )
    written = io.BytesIO()
    write_po(written, new, width=100, include_lineno=False, ignore_obsolete=True)
    head, found, messages = written.getvalue().decode().partition("\n\n")
    return HEADER.sub("", head) + found + messages


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.po")):
        path.write_text(updated(path), "utf-8")
