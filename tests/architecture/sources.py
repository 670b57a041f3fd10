"""What is committed here, and what each Python file imports."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = {".py", ".js", ".css", ".md", ".toml", ".txt", ".yml", ".yaml", ".json", ".cfg", ".sh", ""}
DATA = ("model/pretrained/",)  # tokenizers and weights: long, and not prose of ours
OUR_OWN = {
    *{"app", "one_token", "pages", "model", "viz", "training", "benchmarks", "conformance", "tests"}
}


@cache
def committed() -> tuple[str, ...]:
    """Paths of all files that are, or are about to be, committed, relative to the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(path for path in listed.stdout.splitlines() if (ROOT / path).is_file())


TOPICS = {
    path.split("/")[2]
    for path in committed()
    if path.count("/") > 2 and path.startswith("pages/lessons/")
}


def python_files(*folders: str) -> list[str]:
    """Committed Python files under these folders (or these files themselves)."""
    return [
        path
        for path in committed()
        if path.endswith(".py")
        and any(path == folder or path.startswith(f"{folder}/") for folder in folders)
    ]


def text_files() -> list[str]:
    """Committed files that people write and read."""
    return [
        path
        for path in committed()
        if Path(path).suffix in TEXT and (not path.startswith(DATA) or path.endswith(".md"))
    ]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(read(path), filename=path)


@cache
def imports(path: str) -> set[str]:
    """Dotted names of all modules that a file imports, wherever in the file it does so."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(
                name for alias in node.names if is_module(name := f"{node.module}.{alias.name}")
            )
    return names


def is_module(name: str) -> bool:
    """Is this dotted name a file or a folder of ours, rather than something defined in one?"""
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def module(path: str) -> str:
    """`model.sampling` of `model/sampling/__init__.py`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def top(name: str) -> str:
    """`torch` of `torch.nn.functional`."""
    return name.partition(".")[0]


def third_party(path: str) -> set[str]:
    """Top-level packages that a file imports and that are neither Python's nor ours."""
    return {top(name) for name in imports(path)} - OUR_OWN - set(sys.stdlib_module_names)


def ours(path: str) -> set[str]:
    """Dotted names of our own modules that a file imports."""
    return {name for name in imports(path) if top(name) in OUR_OWN}
