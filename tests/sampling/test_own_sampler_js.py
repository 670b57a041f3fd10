"""A sampler of the reader's own: what the judge refuses, what the sandbox does not let through."""

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ADDRESS = "http://scripts.test/pages/frame/live/chi_square.js"
JUDGE = """async ([code, task]) => {
const judge = await import("/pages/frame/live/lazy/own_sampler_judge.js");
const { runCode } = await import("/pages/frame/live/lazy/own_sampler_sandbox.js");
const name = judge.EXERCISES[task]?.name ?? task;
const run = (cases) => runCode(code, name, cases, 20_000);
if (task === "pick") return judge.judgePick(run);
return task === "process" ? judge.judgeProcess(run) : judge.judgeExercise(task, run);
}"""
RUN = """async ([code, limit]) => {
const { runCode } = await import("/pages/frame/live/lazy/own_sampler_sandbox.js");
const given = [{ input: Float64Array.of(0.5, 0.5), pointers: [0.25] }];
const told = await runCode(code, "pick", given, limit).catch((error) => error.message);
return [Array.isArray(told) ? told[0].values : told, document.querySelectorAll("iframe").length];
}"""

GREEDY = "function pick(probs) { return probs.indexOf(Math.max(...probs)); }"
DRAW = """function pick(probs, pointer) {
  const order = [...probs.keys()].sort((a, b) => probs[b] - probs[a] || a - b);
  let end = 0;
  for (const id of order) if ((end += probs[id]) > pointer * 0.9999999999) return id;
}"""
MASK = """function process(logits) {{
  const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  const weights = logits.map((one) => Math.exp(one - logits[order[0]]));
  const sum = weights.reduce((a, b) => a + b);
  {0}
}}"""
NUCLEUS = MASK.format(
    "let mass = 0; const kept = new Set();"
    "for (const id of order) {{ {0} }}"
    "return logits.map((one, id) => kept.has(id) ? one : -Infinity);"
)
RIGHT = "kept.add(id); mass += weights[id] / sum; if (mass >= 0.9) break;"
SHORT = "mass += weights[id] / sum; if (mass >= 0.9) break; kept.add(id);"
LONG = "kept.add(id); if (mass >= 0.9) break; mass += weights[id] / sum;"
TOP_K = MASK.format(
    "const least = logits[order[Math.min(4, order.length - 1)]];"
    "return logits.map((one) => one >= least ? one : -Infinity);"
)
EXACTLY_5 = MASK.format("return logits.map((one, id) => order.indexOf(id) < 5 ? one : -Infinity);")


def judged(page: Page, code: str, task: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = page.evaluate(JUDGE, [code.replace("{{", "{"), task])
    return told


def met(findings: list[dict[str, Any]]) -> list[bool]:
    return [finding["isMet"] for finding in findings]


def nucleus(body: str) -> str:
    return NUCLEUS.replace("{{ {0} }}", f"{{ {body} }}").replace("{0}", body)


@pytest.mark.parametrize(
    ("task", "code"), [("greedy", GREEDY), ("top_k", TOP_K), ("nucleus", nucleus(RIGHT))]
)
def test_a_right_answer_passes_all_hidden_cases(scripts: Page, task: str, code: str) -> None:
    assert all(met(judged(scripts, code, task)))


@pytest.mark.parametrize(
    ("task", "code", "names"),
    [
        ("greedy", GREEDY.replace("indexOf", "lastIndexOf"), "lowest id"),
        ("top_k", EXACTLY_5, "tie with number 5"),
        ("nucleus", nucleus(SHORT), "the token that crosses p is left out"),
        ("nucleus", nucleus(LONG), "off by one"),
        (
            "nucleus",
            "function process(logits) { return logits.map(() => NaN); }",
            "no distribution",
        ),
        ("nucleus", "const process = (logits) => logits;", "have to stay"),
    ],
)
def test_a_usual_mistake_is_named(scripts: Page, task: str, code: str, names: str) -> None:
    (finding,) = judged(scripts, code, task)
    assert not finding["isMet"]
    assert names in finding["words"]


def test_what_is_drawn_is_held_against_the_probabilities(scripts: Page) -> None:
    fair = judged(scripts, DRAW, "pick")
    assert all(met(fair))
    assert "draw" in fair[-1]["words"]
    greedy = judged(scripts, GREEDY, "pick")
    assert met(greedy) == [True, True, True, True, False, True], "no draw fits"
    assert "greedy" in greedy[-1]["words"]
    assert not met(judged(scripts, "const pick = () => 0.5", "pick"))[0]
    chance = """function pick(probs) {
      for (;;) {
        const id = Math.floor(Math.random() * probs.length);
        if (probs[id] > 0) return id;
      }
    }"""
    assert met(judged(scripts, chance, "pick"))[:2] == [True, False]
    assert not met(
        judged(scripts, DRAW.replace("let end", "probs[0] += 0; probs.fill(0.1); let end"), "pick")
    )[3]


def test_a_mask_is_recognised_and_one_that_lets_tokens_in_again_is_refused(scripts: Page) -> None:
    found = judged(scripts, nucleus(RIGHT), "process")
    assert all(met(found))
    assert "top-p 0.9" in found[-1]["words"]
    hot = "function process(logits) { return logits.map((one) => one / 2); }"
    assert "temperature 2" in judged(scripts, hot, "process")[-1]["words"]
    revived = "const process = (logits) => logits.map((one) => Math.max(one, -50));"
    assert met(judged(scripts, revived, "process"))[:2] == [True, False]
    assert met(judged(scripts, "const process = (logits) => [1];", "process")) == [False]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("function pick() {\n  for (;;) {}\n}", "did not end within"),
        ("const a = 1;\nfunction pick() { return probs +; }", "Line 2: "),
        ("function pick() {\n  return probs[0];\n}", "Line 2: probs is not defined."),
        ("function pick() {\n\n  throw new Error('no');\n}", "Line 3: no."),
        ("function pack() {}", "there is no function pick."),
        ("const pick = () => fetch('/');", "Line 1: fetch is not"),
        ("const pick = () => new XMLHttpRequest();", "Line 1: XMLHttpRequest is not"),
        ("const pick = () => new WebSocket('ws://scripts.test');", "Line 1: WebSocket is not"),
        ("const pick = () => importScripts('/');", "Line 1: importScripts is not"),
        ("const pick = () => WorkerGlobalScope.prototype.fetch.call(self, '/');", "Line 1: "),
    ],
)
def test_what_cannot_run_ends_with_one_sentence(scripts: Page, code: str, says: str) -> None:
    told, n_frames = scripts.evaluate(RUN, [code, 400 if "for" in code else 20_000])
    assert says in told
    assert "\n" not in told
    assert n_frames == 0


def test_no_module_is_fetched_either(scripts: Page) -> None:
    """`import()` cannot be taken away; the policy refuses it. Without the policy it would come."""
    asks = f"""const say = (said) => postMessage({{ said }});
    import("{ADDRESS}").then(() => say("came"), () => say("refused"));"""
    bare = """(code) => new Promise((resolve) => {
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      worker.onmessage = ({ data }) => resolve(data.said);
    })"""
    assert scripts.evaluate(bare, asks) == "came"
    code = f"{asks} function pick() {{ return 0; }}\nself.runCases = () => {{}};"
    assert scripts.evaluate(RUN, [code, 20_000]) == ["refused.", 0]
