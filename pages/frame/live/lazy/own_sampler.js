// A sampler of the reader's own: a small editor, the judge, three exercises, and the text of the page
// written by it where the page can. The code stays in this page: no link and no saved run has it.

import { announced } from "../announced.js";
import { createButton, el, named, setAttribute, setSentence, setShown, setText } from "../dom.js";
import {
  EXERCISES,
  isDistribution,
  judgeExercise,
  judgePick,
  judgeProcess,
  softmax,
} from "./own_sampler_judge.js";
import { runCode, SamplerError } from "./own_sampler_sandbox.js";

const N_TOKENS = 10;
/** @type {Record<string, SamplerTask>} */
const FREE = {
  pick: {
    title: "Your own pick(probs, pointer)",
    name: "pick",
    asks: "Given the probabilities by id and a pointer from 0 to 1, return the id of a token.",
    code: "function pick(probs, pointer) {\n  let end = 0;\n  for (let id = 0; id < probs.length; id++) {\n" +
      "    end += probs[id];\n    if (pointer < end) return id;\n  }\n  return probs.lastIndexOf(Math.max(...probs));\n}",
  },
  process: {
    title: "Your own process(logits)",
    name: "process",
    asks: "Given the logits by id, return as many logits: -Infinity rules a token out.",
    code: "function process(logits) {\n  const best = Math.max(...logits);\n" +
      "  return logits.map((logit) => logit < best - 2 ? -Infinity : logit);\n}",
  },
};
const TASKS = { ...FREE, ...EXERCISES };
const PRIVATE = "Your code runs here, in a worker without a network, for two seconds at most. It is sent " +
  "nowhere; no link and no saved run has it, and a reload forgets it.";

/**
 * Makes the section.
 * @param {OwnText|null} text that the sampler may write on; null where the page has none
 */
export function createOwnSampler(text) {
  const asks = el("p", {});
  const editor = el("textarea", { class: "own-code", spellcheck: false, translate: false, rows: 10 });
  editor.setAttribute("aria-label", "JavaScript of your sampler");
  const findings = el("ul", { class: "own-findings" });
  const verdict = announced(el("p", { class: "own-verdict" }));
  const written = el("p", {});
  const drafts = new Map(Object.entries(TASKS).map(([id, { code }]) => [id, code]));
  let task = "pick";
  let isRunning = false;
  const select = el("select", {
    onchange: () => {
      drafts.set(task, editor.value);
      show(select.value);
    },
  });
  select.append(...Object.entries(TASKS).map(([value, { title }]) => el("option", { value }, title)));
  const judge = createButton("button is-primary", "Run and judge", () => alone(runAndJudge));
  const write = createButton(
    "button",
    `Write ${N_TOKENS} tokens with it`,
    () => text && alone(() => writeWithIt(text)),
  );
  setShown(write, text !== null);
  const element = el(
    "div",
    { class: "own-sampler" },
    el("label", {}, "What you write ", select),
    asks,
    editor,
    el("div", { class: "row own-buttons" }, judge, write),
    verdict,
    findings,
    written,
    el("p", { class: "muted" }, PRIVATE),
  );
  show(task);

  /** @param {string} name */
  function show(name) {
    task = name;
    setText(asks, TASKS[task].asks);
    editor.value = drafts.get(task) ?? "";
    clear();
  }

  function clear() {
    findings.replaceChildren();
    setText(verdict, "");
    setText(written, "");
  }

  /** A button that is disabled keeps its focus. @param {boolean} isNow */
  function mark(isNow) {
    isRunning = isNow;
    for (const button of [judge, write]) setAttribute(button, "aria-disabled", isNow);
  }

  /**
   * Runs one thing at a time; what is wrong with the code is one sentence.
   * @param {() => Promise<void>} act
   */
  async function alone(act) {
    if (isRunning) return;
    mark(true);
    clear();
    try {
      await act();
    } catch (error) {
      if (!(error instanceof SamplerError)) throw error;
      setText(verdict, error.message);
    } finally {
      mark(false);
    }
  }

  /** @param {SamplerCase[]} cases */
  function run(cases) {
    return runCode(editor.value, TASKS[task].name, cases);
  }

  async function runAndJudge() {
    const found =
      await (task === "pick"
        ? judgePick(run)
        : task === "process"
        ? judgeProcess(run)
        : judgeExercise(task, run));
    const nMet = found.filter(({ isMet }) => isMet).length;
    setText(verdict, `${nMet} of ${found.length} hold.`);
    findings.append(...found.map(({ isMet, words }) => {
      const mark = el("b", {}, isMet ? "✓ " : "✗ ");
      return el("li", { "data-met": String(isMet) }, mark, words);
    }));
  }

  /**
   * Writes on the text: each token is handed to the page as one that was chosen by hand.
   * @param {OwnText} text
   */
  async function writeWithIt(text) {
    const labels = [];
    for (let i = 0; i < N_TOKENS; i++) {
      const given = text.read();
      if (given === null) break;
      const id = await choose(given);
      if (!await text.force(id)) return setText(verdict, "The page did not take the token.");
      labels.push(named(given.label(id)));
      setSentence(
        written,
        `Chosen by your ${TASKS[task].name}, with the pointers of these positions, from ${
          TASKS[task].name === "pick" ? "what the sliders leave" : "the raw logits"
        }: ${labels.join(" ")}. The text has them as tokens chosen by you.`,
      );
    }
    if (labels.length === 0)
      setText(verdict, "Nothing can be written here: go back to now, or before the end, or reset the text.");
  }

  /** @param {NonNullable<ReturnType<OwnText["read"]>>} given */
  async function choose({ logits, probs, pointer }) {
    const isPick = TASKS[task].name === "pick";
    const input = isPick ? probs : logits;
    const [{ values: [value] }] = await run([{ input, pointers: isPick ? [pointer] : null }]);
    if (!isPick && !isDistribution(value)) {
      throw new SamplerError("It returned no distribution: nothing was written.");
    }
    const id = isDistribution(value) ? fall(softmax(value), pointer) : value;
    if (typeof id !== "number" || !(Number.isInteger(id) && id >= 0 && id < input.length)) {
      throw new SamplerError(`It returned ${id}, which is the id of no token: nothing was written.`);
    }
    return id;
  }
  return { element, update: () => {} };
}

/**
 * The token on which a pointer falls: best first, ties by id.
 * @param {number[]} probs
 * @param {number} pointer
 */
function fall(probs, pointer) {
  const order = [...probs.keys()].sort((a, b) => probs[b] - probs[a] || a - b);
  let end = 0;
  for (const id of order) if ((end += probs[id]) > pointer) return id;
  return order[0];
}
