// The loop as a band: context, model, logits, mask, choose, append, and back, with the true numbers
// of the last pass on the arrows and the stage that runs now lit.

import { createCode } from "./code.js";
import { el, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { cacheFormula, cacheInWords, loopFacts, passOf } from "./loopfacts.js";

const STATIONS = ["context", "model", "logits", "mask", "choose", "append"];
const LIT_STATION = { run: "model", logits: "logits", mask: "mask", choose: "choose", append: "append" };
const N_LINES = 3;
const ENDS = {
  eos: "the end token was chosen: the loop stops",
  length: "the length limit is reached: the loop stops",
  recorded: "the recording ends here",
};

/** Makes the band and, folded away, the code that ran. @type {MakePart} */
export function createLoop() {
  const stations = new Map(STATIONS.map((name) => [name, createStation(name)]));
  const arrows = STATIONS.slice(1).map(() => createArrow());
  const code = createCode();
  const back = createReturn(code.toggle);
  const band = el("div", { class: "loop-band" });
  STATIONS.forEach((name, i) =>
    band.append(stations.get(name).element, ...(arrows[i] ? [arrows[i].element] : []))
  );
  const cache = createCache();
  stations.get("model").element.append(cache.element);
  const element = el(
    "section",
    { class: "loop", "aria-label": "The loop" },
    band,
    back.element,
    code.element,
  );

  function update(view) {
    const pass = passOf(view);
    const facts = loopFacts(view, pass);
    for (const name of STATIONS)
      stations.get(name).update(facts.stations[name], LIT_STATION[view.stage] === name);
    facts.arrows.forEach((words, i) => arrows[i].update(words));
    setAttribute(stations.get("model").element, "data-phase", pass.phase);
    cache.update(view.header, pass);
    back.update(view);
    code.update(view.header.code, view.stage);
  }
  return { element, update };
}

function createStation(name) {
  const title = el("b", { class: "loop-title", translate: false }, name);
  const lines = Array.from({ length: N_LINES }, () => el("span", { class: "loop-line", translate: false }));
  const element = el("div", { class: `loop-station is-${name}` }, title, ...lines);
  return {
    element,
    update(words, isLit) {
      setAttribute(element, "data-lit", isLit);
      setAttribute(element, "aria-current", isLit ? "step" : null);
      setText(title, words.title ?? name);
      lines.forEach((line, i) => {
        setText(line, words.lines[i] ?? "");
        setShown(line, i < words.lines.length);
      });
    },
  };
}

function createArrow() {
  const above = el("span", { class: "loop-above", translate: false });
  const below = el("span", { class: "loop-below", translate: false });
  const element = el("div", { class: "loop-arrow" }, above, el("span", { class: "loop-shaft" }), below);
  return {
    element,
    update(words) {
      setText(above, words[0]);
      setText(below, words[1]);
    },
  };
}

function createReturn(toggle) {
  const words = el("span", { class: "loop-return-words" });
  const element = el("div", { class: "loop-return" }, words, toggle);
  return {
    element,
    update(view) {
      setAttribute(element, "data-lit", view.stage === "append");
      const pace = view.isPaced ? " (stages paced for the eye)" : "";
      setText(
        words,
        view.header.finished
          ? ENDS[view.header.finished]
          : `the new token joins the context, and the model runs again${pace}`,
      );
    },
  };
}

/** The cache as columns, one for each token: the prompt's, then those that were written. */
function createCache() {
  const prompt = el("span", { class: "loop-columns is-prompt" });
  const written = el("span", { class: "loop-columns is-written" });
  const words = el("span", { class: "loop-line", translate: false });
  const strip = el("div", { class: "loop-cache", role: "img" }, prompt, written);
  const element = el("div", { class: "loop-cache-box" }, strip, words);
  return {
    element,
    update({ cache, n_prompt: nPrompt }, pass) {
      const nColumns = pass.hasKeys ? pass.tokens : 0; // of keys and values
      const nFromPrompt = Math.min(nColumns, nPrompt);
      strip.style.setProperty("--n", String(Math.max(nColumns, 1)));
      prompt.style.setProperty("--count", String(nFromPrompt));
      written.style.setProperty("--count", String(nColumns - nFromPrompt));
      setText(words, cacheInWords(pass));
      setAttribute(strip, "aria-label", cacheInWords(pass));
      setAttribute(strip, "title", cacheFormula(cache));
    },
  };
}
