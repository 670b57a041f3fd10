"""Our scripts and Streamlit's as files: what is served, to whom, and nothing else."""

import asyncio
import gc
import json
import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from model.loading import LanguageModel
from model.tokenizing import vocabulary_labels
from pages.frame import assets, first_paint, labels
from pages.frame.assets import (
    PAGES,
    ROOT,
    SERVED,
    Asset,
    Files,
    address,
    imports,
    modules,
    source,
    without_notes,
)
from pages.frame.words import languages
from tests.frame.asgi import GZIP, ask, run_apart

SCRIPTS = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.js"))
LIVE = "home/live/live.js"
STREAMLITS = next(SERVED.glob("static/js/index.*.js")).relative_to(SERVED).as_posix()
LAZY = "frame/live/lazy/"  # fetched once it is wanted
BY_PYTHON = ("frame/component.js", "frame/one_file.js")  # their text stands in what is served
CALLED = (LAZY, "home/in_page/", "lessons/futures/", *BY_PYTHON)  # by tests or Python too
IMPORTED = re.compile(r"^import (\w+)?(?:\{([^}]*)\})? from \"([./a-z_]+\.js)\";", re.MULTILINE)
EXPORTED = re.compile(
    r"^export (default\b|(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE
)


async def beyond(scope: Scope, receive: Receive, send: Send) -> None:
    """All that is no file: it says that it was reached."""
    await PlainTextResponse("beyond", status_code=418)(scope, receive, send)


@pytest.fixture(scope="module")
def files() -> Files:
    return Files(beyond, "/base")


# what is served, and how


@pytest.mark.parametrize("name", [f"/base/{address(LIVE)}", f"/base/{STREAMLITS}"])
def test_a_file_goes_out_compressed_and_is_kept_for_ever(files: Files, name: str) -> None:
    answered = ask(files, name)
    assert answered.status == 200
    path = PAGES / LIVE if "assets" in name else SERVED / STREAMLITS
    assert answered.text == without_notes(path.read_bytes()).decode()
    assert len(answered.body) < path.stat().st_size / 2
    headers = answered.headers
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert {"public", "immutable", "max-age=31536000"} == set(headers["cache-control"].split(", "))
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["vary"] == "Accept-Encoding"
    assert int(headers["content-length"]) == len(answered.body)
    again = ask(files, name, GZIP | {"if-none-match": f'"other", W/{headers["etag"]}'})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == headers["etag"]
    assert ask(files, name, GZIP | {"if-none-match": '"other"'}).status == 200


@pytest.mark.parametrize("offer", ["", "br", "gzip;q=0", "gzip;q=0.000", "gzip2", "identity"])
def test_who_takes_no_gzip_gets_none(files: Files, offer: str) -> None:
    plain = ask(files, f"/base/{address(LIVE)}", {"accept-encoding": offer})
    assert "content-encoding" not in plain.headers
    assert plain.body == without_notes((PAGES / LIVE).read_bytes())
    assert ask(files, f"/base/{STREAMLITS}", {"accept-encoding": offer}).status == 418


def test_a_part_of_streamlit_s_file_is_left_to_streamlit(files: Files) -> None:
    assert ask(files, f"/base/{STREAMLITS}", GZIP | {"range": "bytes=0-9"}).status == 418
    assert ask(files, f"/base/{STREAMLITS}", method="HEAD").status == 200
    assert ask(files, f"/base/{STREAMLITS}", method="POST").status == 418


def test_plotly_is_asked_for_at_once_where_a_page_draws_figures_and_compiled_whole(
    files: Files,
) -> None:
    app = Starlette(routes=first_paint.routes("/base"))
    (plotly,) = SERVED.glob("static/js/PlotlyChart.*.js")
    name = plotly.relative_to(SERVED).as_posix()
    asks = f'<link rel="modulepreload" fetchpriority="low" crossorigin href="./{name}">'
    for page in ("kv_cache", "roofline"):
        assert asks in ask(app, f"/base/{page}").text
    for page in ("", "futures", "glossary", "guess", "stopping", "tour"):
        assert name not in ask(app, f"/base/{page}").text
    comment, _, rest = ask(files, f"/base/{name}").text.partition("\n")
    assert comment == "//# allFunctionsCalledOnLoad"
    assert rest == plotly.read_text("utf-8")


def test_of_many_who_ask_at_once_one_compresses() -> None:
    read = Mock(return_value=b"a" * 2_000_000)
    kept = Asset("text/css", read)

    async def many() -> list[int]:
        asked = (kept.answer(Headers(GZIP)) for _ in range(20))
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert run_apart(many()) == [200] * 20
    assert read.call_count == 1


@given(st.lists(st.sampled_from(["..", ".", "", "home", "live", "%2e%2e", "page.py", "app.py"])))
def test_no_path_leads_anywhere_else(files: Files, parts: list[str]) -> None:
    for start in (ROOT, "assets", f"{ROOT}/frame/../..", "assets/0123456789abcdef"):
        assert ask(files, "/".join(("/base", start, *parts, "x"))).status == 404


def test_only_scripts_style_sheets_and_faces_are_served_under_the_hash_of_them_all(
    files: Files,
) -> None:
    ours = {name for name in files.files if name.startswith("/base/assets/")}
    catalogues = {name for name in ours if name.endswith(".json")}
    assert {Path(name).stem for name in catalogues} == set(languages()) - {"en"}
    assert {Path(name).suffix for name in ours - catalogues} == {".js", ".css", ".woff2"}
    assert {Path(name).stem for name in ours if name.endswith(".woff2")} == {"sans", "serif"}
    assert {name.removeprefix(f"/base/{ROOT}/") for name in ours} >= set(SCRIPTS)
    old = f"/base/assets/{'0' * 16}/{LIVE}"
    assert ask(files, old).status == 404
    assert ask(files, old).headers["cache-control"] == "no-store"
    for other in ("/base/", f"/{address(LIVE)}", "/base/labels/x"):
        assert ask(files, other).status == 418


# the graph of modules


def test_each_module_stands_once_and_after_what_it_imports() -> None:
    ordered = modules(*SCRIPTS)
    assert sorted(ordered) == SCRIPTS
    for position, name in enumerate(ordered):
        text, found = source(name), imports(name)
        assert {needed for _, needed in found} <= set(ordered[:position])
        assert text.count('.js";') == len(found)
        is_later = re.search(r"(?<![{<])(?<!typeof )\bimport\(", text) is not None
        pictures = {"home/live/figures/picture.js", "lessons/tour/story.js"}
        later = {"frame/live/lazy_section.js", "frame/live/words_first.js", *pictures, *BY_PYTHON}
        assert is_later == (name in later), "it is asked for later"


@pytest.mark.parametrize(
    ("written", "served"),
    [
        (b"/** Of a part. */\nconst a = 1;\n", b"\nconst a = 1;\n"),
        (b"  /**\n   * Of `two`\n   * lines.\n   */\n  f();\n", b"\n\n\n\n  f();\n"),
        (b"const a = 1; /** @type {1} */\n", None),
        (b'const a = "/** no note */";\n', None),
        (b"f(/** @type {any} */ (b));\n", None),
        (b"/* why */\n// and how\n", None),
        (b"/** @type {1} */ (f)();\nconst a = 1; /** b */\n", None),  # nothing between two
    ],
)
def test_a_script_is_served_without_its_notes_line_by_line(
    written: bytes, served: bytes | None
) -> None:
    assert without_notes(written) == (written if served is None else served)


def test_no_text_of_a_script_is_taken_for_a_note() -> None:
    for name in SCRIPTS:
        code = re.sub(
            r"^[ \t]*(/\*\*(?:(?!\*/).)*\*/[ \t]*$|//.*?$)", "", source(name), flags=re.M | re.S
        )
        assert "/**" not in re.sub(r"/\*\* @type \{.*?\} \*/", "", code, flags=re.S), name


def test_modules_that_import_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    circle = {"a.js": b'import "./b.js";', "b.js": b'import "./a.js";'}
    monkeypatch.setattr(assets, "_FILES", circle)
    with pytest.raises(ValueError, match=r"a\.js"):
        modules("a.js")


def test_imports_and_exports_match() -> None:
    exported = {
        (n or "default", name) for name in SCRIPTS for _, n in EXPORTED.findall(source(name))
    }
    entries = {name for named, name in exported if named == "default"}
    entries |= {f"lessons/classroom/{page}.js" for page in ("phone", "projector", "desk", "check")}
    entries |= {"home/in_page/worker.js", "frame/in_order.js", "frame/live/words_first.js"}
    entries |= {name for name in SCRIPTS if name.startswith((LAZY, *BY_PYTHON))}
    reached = set(modules(*entries))
    imported = {
        (each.strip(), needed)
        for name in SCRIPTS
        for (default, names, _), (_, needed) in zip(
            IMPORTED.findall(source(name)), imports(name), strict=True
        )
        for each in ("default" if default else "", *names.split(","))
        if each.strip()
    }
    assert imported <= exported
    # what nothing imports is the default export of an entry, which Python names
    left = {named for named, name in exported - imported if not name.startswith(CALLED)}
    assert left == {"default"}
    assert reached == set(SCRIPTS)


# labels


def test_labels_are_served_as_long_as_their_model_is_held(storyteller: LanguageModel) -> None:
    app = Starlette(routes=labels.routes("/base"))
    held = replace(storyteller, vocab_size=storyteller.vocab_size - 1)  # another vocabulary
    where = f"/base/{labels.labels_address(held)}"
    assert where == f"/base/{labels.labels_address(held)}"
    assert where != f"/base/{labels.labels_address(storyteller)}"
    answered = ask(app, where)
    assert json.loads(answered.text) == list(vocabulary_labels(held))
    assert answered.headers["content-type"].startswith("application/json")
    assert "immutable" in answered.headers["cache-control"]
    twin = replace(held)  # of the same labels, under the same address
    assert f"/base/{labels.labels_address(twin)}" == where
    del held
    gc.collect()
    assert ask(app, where).status == 200
    del twin
    gc.collect()
    assert ask(app, where).status == 404
    assert ask(app, "/base/labels/../x").status == 404
