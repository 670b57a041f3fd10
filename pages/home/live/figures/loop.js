// The loop as its five beats, with the true numbers of the last pass, and the one that runs now lit; folded
// away, all numbers and the code that ran.

import { BEAT_NAMES, BEATS } from "./beats.js";
import { createCode } from "./code.js";
import { el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { createTerm } from "../../../frame/live/term.js";
import { cacheFormula, cacheInWords, loopFacts, passOf } from "./loopfacts.js";
import { _ } from "../../../frame/live/words.js";

const N_LINES = 4;
/** What a beat does, until it has happened; of the last the second line shows. @type {Record<string, string[]>} */
const TO_COME = {
  read: [_("reads the text")],
  score: [_("gives each token a share")],
  cut: [_("leaves out the unlikely")],
  draw: [_("a pointer falls")],
  append: ["", _("the token joins")],
};

/** Makes the band and, folded away, the numbers and the code that ran. @returns {Part} */
export function createLoop() {
  /** @type {Record<string, string>} */
  let terms = {};
  const stations = Object.fromEntries(
    BEATS.map((name, i) => [name, createStation(name, i + 1, () => terms[name])]),
  );
  const code = createCode((isOpen) => setAttribute(element, "data-open", isOpen));
  const back = createReturn(code.toggle);
  const band = el("ol", { class: "loop-band" }, ...BEATS.map((name) => stations[name].element));
  const cache = createCache();
  stations.read.element.append(cache.element);
  const element = el(
    "section",
    { class: "loop", "aria-label": _("The loop") },
    band,
    back.element,
    code.element,
  );

  /** @param {View} view */
  function update(view) {
    terms = view.header.terms;
    const pass = passOf(view);
    const facts = loopFacts(view, pass);
    const lit = BEATS.findIndex((name) => name === view.stage);
    BEATS.forEach((name, i) => {
      const state = lit === i ? "lit" : view.beat > 0 && i < lit ? "done" : null;
      const isToCome = view.beat > 0 ? i > lit : view.hidden && view.asksNewcomer;
      stations[name].update(isToCome ? TO_COME[name] : facts[name], state);
    });
    setAttribute(stations.read.element, "data-phase", pass.phase);
    cache.update(view.header, pass);
    back.update(view);
    code.update(view.header.code, view.stage);
  }
  return { element, update };
}

/** @param {BeatName} name @param {number} number @param {() => string} says */
function createStation(name, number, says) {
  const title = el(
    "b",
    { class: "loop-title" },
    el("span", { class: "loop-rank" }, `${number}\u00a0`),
    ...createTerm(BEAT_NAMES[name], says),
  );
  const lines = Array.from({ length: N_LINES }, () => el("span", { class: "loop-line", translate: false }));
  const element = el("li", { class: `loop-station is-${name}` }, title, ...lines);
  return {
    element,
    /** @param {string[]} words @param {string|null} state */
    update(words, state) {
      setAttribute(element, "data-lit", state === "lit");
      setAttribute(element, "data-done", state === "done");
      setAttribute(element, "aria-current", state === "lit" ? "step" : null);
      lines.forEach((line, i) => {
        setText(line, words[i] ?? "");
        setShown(line, i === 0 || i < words.length);
      });
    },
  };
}

/** @param {HTMLElement} toggle */
function createReturn(toggle) {
  const words = el("span", { class: "loop-return-words" });
  const element = el("div", { class: "loop-return" }, words, toggle);
  return {
    element,
    /** @param {View} view */
    update(view) {
      setText(words, view.isPaced ? _("stages paced for the eye") : "");
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
    /** @param {Header} header @param {Pass} pass */
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
