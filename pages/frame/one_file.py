"""A page as one file that asks for nothing: its modules, style sheets and data are all in it.

Modules of a file cannot import each other: to a worker, WebKit gives none that was opened from the
disk. So each becomes a function that returns what the module exports, and the entry and all that it
needs one script. The entry is started, as in

    export default function ({ sheet, workers }) { ... }

`sheet` is a constructed style sheet for shadow roots. `workers` has an address for each worker that
was named: `new Worker(workers.passes)`, without a type. Data is read from its block:
`JSON.parse(document.getElementById("run").textContent)`.

It works from `file:` too. The content policy in the page lets its own scripts run, and nothing be
fetched. Knows the files that `pages/frame/assets.py` serves; nothing of what they show.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from pages.frame import words
from pages.frame.assets import imports, modules, source

_LOADER = source("frame/one_file.js")
_EXPORT = re.compile(r"^export (default |(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def one_file(
    markup: str,
    entry: str,
    *,
    style: str,
    sheets: Sequence[str] = (),
    workers: Mapping[str, str] | None = None,
    blocks: Mapping[str, str] | None = None,
    policy: str = "",
) -> str:
    """Puts a page together.

    Args:
        markup: Of the page, with `<!-- head -->` in its head and `<!-- scripts -->` where the body
            ends.
        entry: The module that is started, by its name below `pages/`.
        style: Of the page itself.
        sheets: Style sheets for shadow roots, by their names, in the order of the cascade.
        workers: The entries of workers, by the name under which the entry is given each.
        blocks: Data by the id of its element: JSON, or what has no `<`, as base64 has none.
        policy: Directives of the content policy besides those that every such page has.

    Raises:
        ValueError: where data that is no JSON could end its element.
    """
    program = {
        "page": f"{_joined(entry)}\nexport default started.default;",
        "workers": {name: _joined(worker) for name, worker in (workers or {}).items()},
        "sheet": "\n".join(map(source, sheets)),
    }
    names = frozenset(f"pages/{name}" for name in modules(entry, *(workers or {}).values()))
    others = [each for each in words.languages().values() if each is not words.ENGLISH]
    spoken = [words.for_browser(each, names) for each in others]
    data = {"words": json.dumps(spoken, ensure_ascii=False), "program": json.dumps(program)}
    data |= blocks or {}
    scripts = "".join(map(_block, data, data.values()))
    head = (
        '<meta http-equiv="Content-Security-Policy" content="'
        f"default-src 'none'; img-src data:; style-src '{digest(style)}'; "
        f"script-src '{digest(_LOADER)}' blob:; worker-src blob:; "
        f"base-uri 'none'; form-action 'none'{policy and f'; {policy}'}\">"
        f"\n<style>{style}</style>"
    )
    before, between = markup.split("<!-- head -->")
    between, after = between.split("<!-- scripts -->")
    loader = f'<script type="module">{_LOADER}</script>'
    return "".join((before, head, between, scripts, loader, after))


def _joined(entry: str) -> str:
    """Writes a module and all that it needs as one script, in which it is called `started`."""
    places = {name: f"module{i}" for i, name in enumerate(modules(entry))} | {entry: "started"}
    return "\n".join(_as_function(name, places) for name in places)


def _as_function(name: str, places: Mapping[str, str]) -> str:
    """Writes a module as a function, called at once, that returns what the module exports."""
    text, parts, at = source(name), list[str](), 0
    for (start, end), needed in imports(name):
        taken = text[start:end].partition("{")[2].partition("}")[0].replace(" as ", ": ")
        parts += [text[at:start], f"const {{{taken}}} = {places[needed]};"]
        at = end
    body = "".join([*parts, text[at:]])
    exports = [found[2] or "default: exported" for found in _EXPORT.finditer(body)]
    body = _EXPORT.sub(lambda found: found[1] if found[2] else "const exported = ", body)
    given = ", ".join(exports)
    return f'const {places[name]} = (() => {{\n"use strict";\n{body}\nreturn {{ {given} }};\n}})();'


def _block(name: str, text: str) -> str:
    """Puts data into an element that neither it nor a comment in it can end."""
    # a JSON string may spell "<" as an escape
    escaped = text.replace("<", "\\u003c")
    if escaped != text:
        try:
            json.loads(escaped)
        except ValueError as error:
            raise ValueError(f"The data {name} has a <, and is no JSON: {error}") from error
    return f'<script type="application/json" id="{name}">{escaped}</script>\n'


def digest(text: str) -> str:
    """Names a script or a style by its content, as a content security policy does."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
