"""A page in one file: its modules and its worker run from a folder, offline, under its policy."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages.frame import assets
from pages.frame.one_file import one_file

MARKUP = """<!doctype html><html><head><meta charset="utf-8"><!-- head --></head>
<body><main></main><!-- scripts --></body></html>"""
FILES = {
    "deep/entry.js": """import { shout } from "../shared/words.js";
import { double, NAME as name } from "./double.js";
const SAID = 'import "./nowhere.js"; </script><!-- ü';
export default function ({ sheet, workers }) {
  const place = document.querySelector("main").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  const run = JSON.parse(document.getElementById("run").textContent);
  const worker = new Worker(workers.passes);
  worker.onmessage = ({ data }) => {
    place.innerHTML = "<p></p>";
    place.firstChild.textContent = [shout(name), double(run.n), data, run.text, SAID].join(" ");
  };
  worker.postMessage(run.n);
}
""",
    "deep/double.js": """import { FACTOR } from "../shared/words.js";
export const NAME = "a";
export const double = (n) => FACTOR * n;
const shout = "its own";
""",
    "shared/words.js": """export const FACTOR = 2;
export function shout(text) {
  return new Shout(text).toString();
}
export class Shout {
  constructor(text) {
    this.text = text;
  }
  toString() {
    return this.text.toUpperCase();
  }
}
""",
    "worker.js": """import { double } from "./deep/double.js";
import {
  shout,
} from "./shared/words.js";
onmessage = ({ data }) => postMessage(shout("w") + double(double(data)));
""",
    "a.css": "p { color: rgb(1, 2, 3); }",
    "b.css": "p { color: rgb(4, 5, 6); }",
}
TEXT = "</script><!-- \\u003c"


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "_FILES", {name: text.encode() for name, text in FILES.items()})


def made(**blocks: str) -> str:
    return one_file(
        MARKUP,
        "deep/entry.js",
        style="main { display: block; }",
        sheets=("a.css", "b.css"),
        workers={"passes": "worker.js"},
        blocks=blocks,
    )


@pytest.mark.browser
@pytest.mark.usefixtures("tree")
def test_modules_and_a_worker_run_from_a_file_and_ask_for_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(made(run='{"n": 21, "text": "</script><!--"}'), encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    expect(page.locator("main p")).to_have_text(
        'A 42 W84 </script><!-- import "./nowhere.js"; </script><!-- ü'
    )
    expect(page.locator("main p")).to_have_css("color", "rgb(4, 5, 6)")
    assert {url.partition(":")[0] for url in asked} <= {"file", "blob"}
    # what was not in the file when it was made is neither run nor fetched
    refused = page.evaluate("""async () => {
      const said = [];
      addEventListener("securitypolicyviolation", (event) => said.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.ran = 1";
      document.body.append(script);
      await fetch("data:text/plain,x").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
      return [window.ran ?? 0, ...said];
    }""")
    assert refused == [0, "script-src-elem", "connect-src"]
    context.close()


@pytest.mark.usefixtures("tree")
def test_data_that_could_end_its_element_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        made(weights="AAAA</script>")
    assert '<script type="application/json" id="weights">AAAA</script>' in made(weights="AAAA")
