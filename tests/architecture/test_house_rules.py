"""What no committed file may hold, be called, or weigh."""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, committed, python_files, read, text_files, tree

THIS_FILE = "tests/architecture/test_house_rules.py"  # it must name what it looks for
LONGEST = {".py": 400, ".js": 400, ".css": 500}  # lines, outer bounds: the aim is 250
LONGEST_TEST = 500  # examples written out
HEAVIEST_WEIGHTS = 60_000_000  # bytes, of all shipped models together

FORBIDDEN = {
    "markup from data": r"unsafe_allow_html|innerHTML|outerHTML|insertAdjacentHTML",
    "code from a model's repository": r"trust_remote_code\s*=\s*True",
    "a path of somebody's machine": r"(?<![\w.])/(work|root|home|opt|Users)/",
    "a place to install from": r"--(extra-)?index-url|--find-links|PIP_\w*(URL|LINKS)|pypi\.org",
    "who or what typed it": r"(?i)\b(claude|anthropic|copilot)\b",
    "work left undone": r"\b(TODO|FIXME|XXX)\b",
    "a test that does not run": r"mark\.(skip|xfail)|pytest\.(skip|xfail|importorskip)",
    "a script's line that is not checked": r"@ts-(ignore|expect-error|nocheck)|deno-lint-ignore",
    "a silence without its reason": (
        r"#\s*noqa(?!: [A-Z]+\d+(, [A-Z]+\d+)*\s+\S)|#\s*type: ignore(?!\[[\w, -]+\]\s+(# )?\S)"
    ),
}
RUN_AS_CODE = {
    *{"eval", "exec", "compile", "pickle.load", "pickle.loads"},
    *{"__import__", "import_module", "importlib.import_module"},
}
TESTS_MAY = {"markup from data"}  # they look for it, too


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{path}:{number}: {line.strip()}"
        for path in text_files()
        if path != THIS_FILE and not (what in TESTS_MAY and path.startswith("tests/"))
        for number, line in enumerate(read(path).splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found


def test_no_text_is_run_as_code_and_no_import_is_hidden_in_one() -> None:
    for path in python_files("app.py", "one_token", "pages", "model", "viz", "training"):
        called = {
            ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)
        }
        assert not called & RUN_AS_CODE, path
    for path in (path for path in committed() if path.endswith(".js")):
        assert not re.search(r"\beval\(|new Function\(|document\.write\(", read(path)), path


RULE = re.compile(r"[^{};]*\{\s*[a-z-]+ *:[^{}]*;\s*\}|[^{};]*[.#:][a-z][\w-]* *\{[^{}]*:[^{}]*\}")
CODE = re.compile(r"=> *[{(]|\bfunction *\w*\(|\bdocument\.\w")  # of a script


def embedded(module: ast.Module) -> list[str]:
    """Returns rules of a style sheet and scripts that stand in strings, with nothing put in."""
    nodes = [*ast.walk(module)]
    said = {node.value for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    texts = [
        written(node)
        for node in nodes
        if node not in said | parts and isinstance(node, ast.Constant | ast.JoinedStr)
    ]
    found = [rule for text in texts if "{" in text for rule in RULE.findall(text)]
    found += [text for text in texts if CODE.search(text)]
    return [text for text in found if "\0" not in text]


def written(node: ast.Constant | ast.JoinedStr) -> str:
    """Returns a string as it is written, with a NUL for what is put into it."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "\0"
        for part in parts
    )


def test_style_sheets_and_scripts_are_files() -> None:
    for text in (
        'A = "<style>.a {color: red;}</style>"',
        'A = f".a {{width: {b}px;}} .c {{color: red;}}"',
        'A = "const f = (a) => { f(a); };"',
        'A = "document.title = 1"',
    ):
        assert embedded(ast.parse(text)), text
    assert not embedded(ast.parse('"""Says .a {b: c}."""\nA = f".a {{width: {b}px}}"'))
    for path in python_files("app.py", "one_token", "pages", "model", "viz"):
        assert not embedded(tree(path)), path


def names_of_two(modules: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """Returns the classes and types that several files define by one name, with those files."""
    files = defaultdict[str, list[str]](list)
    for path, module in modules.items():
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                files[node.name].append(path)
            elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                files[ast.unparse(node.target)].append(path)
    return {name: paths for name, paths in files.items() if len(paths) > 1}


def test_a_class_or_type_has_a_name_of_its_own() -> None:
    same = {"a.py": "class A: ...", "b.py": "A: TypeAlias = int", "c.py": "class B: ..."}
    assert names_of_two({path: ast.parse(text) for path, text in same.items()}) == {
        "A": ["a.py", "b.py"]
    }
    assert not names_of_two({path: tree(path) for path in committed() if path.endswith(".py")})


def test_one_script_alone_tells_the_page_s_enter_from_an_input_method_s() -> None:
    scripts = [path for path in committed() if path.startswith("pages/") and path.endswith(".js")]
    asks = [path for path in scripts if re.search(r"""key\s*={2,3}\s*["']Enter""", read(path))]
    assert asks == ["pages/frame/live/keyboard.js"]


def test_scripts_are_checked_with_all_that_strict_means_and_every_folders_records() -> None:
    """A file of records that deno.json does not name would leave them unknown, or be dead."""
    options = json.loads(read("deno.json"))["compilerOptions"]
    assert options["checkJs"]
    assert not [name for name, value in options.items() if value is False]
    records = {path for path in committed() if path.endswith(".d.ts")}
    assert {str(Path(path)) for path in options["types"]} == records


def test_names_say_what_a_file_is_about() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "stuff", "shared"}
    assert not [
        path
        for path in committed()
        if vague & {part.partition(".")[0] for part in Path(path).parts}
    ]


def test_no_file_is_too_long_to_read() -> None:
    lengths = {path: read(path).count("\n") for path in committed() if Path(path).suffix in LONGEST}
    bounds = {
        path: LONGEST_TEST if path.startswith("tests/") else LONGEST[Path(path).suffix]
        for path in lengths
    }
    assert not {path: length for path, length in lengths.items() if length > bounds[path]}


def test_models_are_safetensors_and_light() -> None:
    unsafe = re.compile(r"\.(bin|pt|pth|ckpt|pkl|pickle|h5|npy|npz|gguf|onnx)$")
    assert not list(filter(unsafe.search, committed()))
    weights = [ROOT / path for path in committed() if path.endswith(".safetensors")]
    assert weights
    assert sum(path.stat().st_size for path in weights) < HEAVIEST_WEIGHTS


def test_every_shipped_model_has_its_card() -> None:
    for config in (ROOT / "model" / "pretrained").glob("*/config.json"):
        assert (config.parent / "README.md").is_file(), config.parent.name


def test_what_pages_share_styles_kinds_of_places_and_knows_no_lesson() -> None:
    """By how their keys end; a key by itself is that of a place which the frame draws."""
    files = [path for path in text_files() if path.startswith("pages/frame/")]
    drawn = " ".join(read(path) for path in python_files("pages/frame"))
    for path in files:
        named = re.findall(r"st-key-([\w-]+)", read(path))
        assert not [key for key in named if f'"{key}"' not in drawn], path
        ends = re.findall(r'class\*="([^"]+)"', read(path))
        assert not [end for end in ends if not end.startswith(("_", "st-key-address"))], path


# Chromium asks a `:has` of the whole app, of siblings or by a state again with every node
COSTLY = re.compile(
    r"(?:\.stApp|\.stMain|:root|\bbody|\bhtml)(?:\[[^\]]*\])*:has\("
    r"|:has\(\s*[+~]|:has\([^()]*:(?:focus|hover|active|checked)"
)


def test_a_custom_property_with_a_type_is_of_one_style_sheet() -> None:
    """Its type holds on every page: another's number of that name would not be one any more."""
    kinds = (".css", ".js", ".py", ".html")
    files = {path: read(path) for path in text_files() if path.endswith(kinds)}
    sheets = "".join(text for path, text in files.items() if path.endswith(".css"))
    typed = re.findall(r"@property (--[\w-]+)", sheets)
    assert typed
    for name in typed:
        users = [path for path, text in files.items() if re.search(rf"{name}(?![\w-])", text)]
        assert len(users) == 1, f"{name}: {users}"


def test_no_rule_is_asked_again_with_each_label_of_a_figure() -> None:
    costly = (".stApp:has(.x) p", "input:has(:focus-visible)", '[class*="a"] > :has(+ * .x) p')
    assert all(map(COSTLY.search, costly))
    sheets = [path for path in text_files() if path.endswith("/page.css")]
    assert len(sheets) > 1
    assert not [path for path in sheets if COSTLY.search(read(path))]


def test_figures_are_shown_in_one_place_which_shows_their_numbers_too() -> None:
    shown = [path for path in python_files("pages") if "plotly_chart(" in read(path)]
    assert shown == ["pages/frame/figures.py"]
