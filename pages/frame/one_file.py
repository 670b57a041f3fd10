"""A page as one file that asks for nothing: its modules, style sheets and data are all in it.

The modules stay as they are written, but for the addresses in their imports. A loader of some lines
makes a `blob:` address of each module, those that it imports before it, and starts the entry:

    export default function ({ sheet, workers }) { ... }

`sheet` is a constructed style sheet for shadow roots. `workers` has an address for each worker that
was named: `new Worker(workers.passes)`, without a type, as the loader in it is a plain script; the
worker's entry is a module all the same. Data is read from its block:
`JSON.parse(document.getElementById("run").textContent)`.

It works from `file:` too. The content policy in the page lets its own scripts run, and nothing be
fetched. Knows the files that `pages/frame/assets.py` serves; nothing of what they show.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from pages.frame.assets import imports, modules, source

# From `file:` a worker may import only what it made an address of itself, and be no module: each is
# given all sources. What it is told before its entry is there waits for it.
_LOADER = """
function addressesOf(modules) {
  const addresses = [];
  for (const parts of modules) {
    const text = parts.map((part) => typeof part === "string" ? part : `"${addresses[part]}"`);
    addresses.push(URL.createObjectURL(new Blob(text, { type: "text/javascript" })));
  }
  return addresses;
}
async function startWorker(modules, entry) {
  const told = [];
  const keep = (event) => {
    event.stopImmediatePropagation();
    told.push(event);
  };
  addEventListener("message", keep);
  await import(addressesOf(modules)[entry]);
  removeEventListener("message", keep);
  for (const { data, ports } of told) dispatchEvent(new MessageEvent("message", { data, ports }));
}
const program = JSON.parse(document.getElementById("program").textContent);
const { modules, entry, sheet: css } = program;
const addressOf = (entry) => {
  const start = `startWorker(${JSON.stringify(modules)}, ${entry})`;
  const failed = "(error) => setTimeout(() => { throw error; })"; // then `onerror` hears of it
  const text = [addressesOf, startWorker, `${start}.catch(${failed});`].join("\\n");
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
};
const workers = Object.entries(program.workers).map(([name, entry]) => [name, addressOf(entry)]);
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
const { default: start } = await import(addressesOf(modules)[entry]);
start({ sheet, workers: Object.fromEntries(workers) });
"""


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
    """Put a page together.

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
    workers = workers or {}
    names = modules(entry, *workers.values())
    program = {
        "modules": [_parts(name, names) for name in names],
        "entry": names.index(entry),
        "workers": {name: names.index(module) for name, module in workers.items()},
        "sheet": "\n".join(map(source, sheets)),
    }
    data = {"program": json.dumps(program), **(blocks or {})}
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


def _parts(name: str, names: Sequence[str]) -> list[str | int]:
    """Take a module apart: its text, and where it names another, the other's place in the order."""
    text, parts, at = source(name), list[str | int](), 0
    for (start, end), needed in imports(name):
        parts += [text[at : start - 1], names.index(needed)]
        at = end + 1
    return [*parts, text[at:]]


def _block(name: str, text: str) -> str:
    """Put data into an element that neither it nor a comment in it can end."""
    # a JSON string may spell "<" as an escape
    escaped = text.replace("<", "\\u003c")
    if escaped != text:
        try:
            json.loads(escaped)
        except ValueError as error:
            raise ValueError(f"The data {name} has a <, and is no JSON: {error}") from error
    return f'<script type="application/json" id="{name}">{escaped}</script>\n'


def digest(text: str) -> str:
    """Name a script or a style by its content, as a content security policy does."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
