"""Catalogues say what the source says: all of it, nothing else, with its placeholders and tags."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from pages.frame import words
from pages.words.update import FOLDER, texts_of, updated
from tests.driving.harness import ROOT

CATALOGUES = sorted(FOLDER.glob("*.po"))
# what a translation must have as often as its source, wherever it stands
FIXED = re.compile(r"\{\w+\}|</?[a-z]\w*|\]\([^)]*\)|`[^`]*`|\*\*|<\|\w+\|>|https?://[\w./-]+")


def fixed(text: str) -> Counter[str]:
    return Counter(FIXED.findall(text))


def faults(source: str | tuple[str, ...], said: str | tuple[str, ...]) -> list[str]:
    """Forms of a translation that have other fixed parts than each form of the source."""
    sources = [source] if isinstance(source, str) else list(source)
    forms = [said] if isinstance(said, str) else list(said)
    # a form for one thing may name it: "the one before"
    allowed = [fixed(one) for one in sources] + [
        fixed(one.replace("{n}", "")) for one in sources[1:]
    ]
    return [form for form in forms if form and fixed(form) not in allowed]


def translated(path: Path) -> Iterable[tuple[str | tuple[str, ...], str | tuple[str, ...]]]:
    language = words.Language(path.stem.replace("_", "-"))
    for each in words.catalogue(language):
        ident, said = each.id, each.string or ""
        if ident:
            yield (
                ident if isinstance(ident, str) else tuple(ident),
                said if isinstance(said, str) else tuple(said),
            )


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_catalogue_has_the_messages_of_the_source_and_no_other(path: Path) -> None:
    assert path.read_text("utf-8") == updated(path), "run `python -m pages.words.update`"


def test_a_key_that_nobody_says_goes_and_a_missing_one_comes(tmp_path: Path) -> None:
    path = tmp_path / "de.po"
    unused = 'msgid "Nobody says this."\nmsgstr "Niemand sagt das."\n'
    path.write_text(f'msgid ""\nmsgstr ""\n"Language: de\\n"\n\n{unused}', "utf-8")
    assert "Nobody says this." not in updated(path)
    assert 'msgid "What comes next?"\nmsgstr ""' in updated(path)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_a_translation_has_the_placeholders_and_tags_of_its_source(path: Path) -> None:
    assert not [found for source, said in translated(path) for found in faults(source, said)]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{n_tokens} are kept", "{anzahl} werden behalten"),
        ("{n_tokens} are kept", "alle werden behalten"),
        ("It is <b>one</b> token.", "Es ist <b>ein Token."),
        ("Read [this](?page=1).", "Lies [das](?page=2)."),
        (("{n} token in {time}", "{n} tokens in {time}"), ("ein Token", "{n} Token in {time}")),
    ],
)
def test_a_lost_or_renamed_part_is_refused(
    source: str | tuple[str, ...], said: str | tuple[str, ...]
) -> None:
    assert faults(source, said)
    assert not faults(source, source)


def test_all_forms_of_a_language_are_there_where_one_is() -> None:
    for path in CATALOGUES:
        for _, said in translated(path):
            assert isinstance(said, str) or all(said) or not any(said), said


def test_the_texts_of_markup_are_found_but_for_those_that_are_not_translated() -> None:
    markup = """<p title="A tip">One
      text<br> more</p><code translate="no">make</code><b translate="no"><i>x</i></b> after
      <script>no</script><input placeholder="Write"> 12"""
    assert texts_of(markup) == ["A tip", "One text", "more", "after", "Write"]


SAID = re.compile(r"(?<![\w.$])_\(\s*(\"(?:[^\"\\\n]|\\.)*\")")  # in a script, with a text as it is


def said_in(script: str) -> list[str]:
    texts = [json.loads(text) for text in SAID.findall(script)]
    return [text for text in texts if text != "…"]  # in a comment


def test_each_message_of_a_script_is_found_also_among_the_values_of_another() -> None:
    """The extractor passes over what stands in another call: such a message has no translation."""
    known = {source for source, _ in translated(CATALOGUES[0])}
    nested = '_("{tokens}, {time}", { tokens: one ? _("1 new\\u0020thing") : many, time })'
    assert [text for text in said_in(nested) if text not in known] == ["1 new thing"]
    scripts = [path for path in (ROOT / "pages").rglob("*.js") if path.is_file()]
    said = {str(path): said_in(path.read_text("utf-8")) for path in scripts}
    assert sum(map(len, said.values())) > 300
    missing = {name: [one for one in texts if one not in known] for name, texts in said.items()}
    assert not {name: texts for name, texts in missing.items() if texts}


def messages_in(module: ast.Module) -> list[str]:
    """Messages that a program says, wherever their calls stand."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and node.args]
    said = [call.args[0] for call in calls if ast.unparse(call.func) in {"_", "N_"}]
    return [one.value for one in said if isinstance(one, ast.Constant) and one.value]


def test_each_message_of_a_program_is_found_also_inside_a_formatted_text() -> None:
    """The extractor passes over what stands in an f-string: such a message has no translation."""
    known = {source for source, _ in translated(CATALOGUES[0])}
    inside = ast.parse("f\"{_('1 new thing')} {_('“{text}”', text=a)}\"")
    assert [text for text in messages_in(inside) if text not in known] == ["1 new thing"]
    paths = [path for room in ("pages", "model", "viz") for path in (ROOT / room).rglob("*.py")]
    said = {str(path): messages_in(ast.parse(path.read_text("utf-8"))) for path in paths}
    assert sum(map(len, said.values())) > 200
    missing = {name: [one for one in texts if one not in known] for name, texts in said.items()}
    assert not {name: texts for name, texts in missing.items() if texts}
