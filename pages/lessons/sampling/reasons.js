// Why each mask draws its line where it does: one sentence for each, made from its own numbers.

import { el, named, setSentence, setShown } from "../../frame/live/dom.js";
import {
  formatCount,
  formatNats,
  formatNumber,
  formatProbability,
  formatSetting,
} from "../../frame/live/format.js";
import { settingOf } from "../../frame/live/masks.js";
import { required } from "../../frame/live/required.js";
import { lastStage, MASKS, waitsForPython } from "../../frame/live/strategies.js";

/**
 * Makes the list of reasons.
 * @returns {{element: HTMLElement, update(view: LabView, results: Map<string, Result>): void}}
 */
export function createReasons() {
  const lines = MASKS.map(({ name, title }) => {
    const words = el("span", {});
    const element = el("li", {}, el("b", {}, title), words);
    element.dataset.mask = name;
    return { name, words, element };
  });
  const element = el(
    "section",
    { class: "lab-reasons" },
    el("h2", {}, "Why the line falls there"),
    el("ul", {}, ...lines.map((line) => line.element)),
  );
  /** @param {LabView} view @param {Map<string, Result>} results */
  function update(view, results) {
    lines.forEach(({ name, words, element }, i) => {
      setShown(element, i < view.nShown);
      setSentence(words, explainMask(name, view, required(results.get(name), `mask “${name}”`)));
    });
  }
  return { element, update };
}

/**
 * One sentence on what a mask kept and why, from its result.
 * @param {string} name
 * @param {LabView} view
 * @param {Result} result
 */
function explainMask(name, view, result) {
  if (waitsForPython(result)) return "Its line falls among tokens that the page does not hold.";
  const facts = factsOf(name, view, result);
  if (name === "greedy") return `${facts.last} is the best token; nothing else may be drawn.`;
  if (name === "temperature") return explainTemperature(facts, view.controls.temperature);
  if (facts.cutRow < 0) return "Every token passes: nothing is cut here.";
  return EXPLAIN[name](facts, settingOf(view.controls, name));
}

/**
 * The last token that was kept and the first that was cut, and what each measures.
 * @typedef {ReturnType<typeof factsOf>} CutFacts
 * @param {string} name
 * @param {LabView} view
 * @param {Result} result
 */
function factsOf(name, view, result) {
  const raw = result.stages[0];
  const stage = lastStage(result);
  const nFinite = raw.kept.reduce((sum, kept) => sum + kept, 0);
  /** @param {number} row */
  const distance = (row) => Math.abs(Math.log(raw.probs[row]) * -1 - raw.entropy);
  let [keptRow, cutRow] = [-1, -1];
  for (let row = 0; row < nFinite; row++) {
    if (name !== "typical_p") {
      if (stage.kept[row]) keptRow = row;
      else if (cutRow < 0) cutRow = row;
    } else if (stage.kept[row]) {
      if (keptRow < 0 || distance(row) > distance(keptRow)) keptRow = row;
    } else if (cutRow < 0 || distance(row) < distance(cutRow)) cutRow = row;
  }
  /** @param {number} row */
  const words = (row) => (row < 0 ? "" : named(view.label(result.idOf(row))));
  /** @param {number} row */
  const prob = (row) => raw.probs[row];
  return { raw, stage, keptRow, cutRow, last: words(keptRow), cut: words(cutRow), prob, distance };
}

/** @param {CutFacts} given @param {number} value */
function explainTemperature({ raw, stage }, value) {
  if (value === 0) return "At 0 it is greedy: the best token alone.";
  if (value === 1) return "At 1 nothing moves: these are the model’s own probabilities.";
  const move = `${formatProbability(raw.probs[0])} to ${formatProbability(stage.probs[0])}`;
  const how = value < 1 ? "sharpens" : "flattens";
  return (
    `It cuts nothing: every logit divided by ${formatSetting(value)} ${how}, ` +
    `the best goes from ${move}, and the order stays.`
  );
}

/** By mask; each is told its value, too. @type {Record<string, (facts: CutFacts, value: number) => string>} */
const EXPLAIN = {
  top_k({ stage, last, cut, cutRow, prob }, k) {
    const ties = stage.nKept > k ? ` (${formatCount(stage.nKept)} with its ties)` : "";
    return (
      `${last} is number ${formatCount(k)}${ties} and in; ${cut} is next and out, ` +
      `whatever its ${formatProbability(prob(cutRow))}.`
    );
  },
  top_p({ raw, keptRow, last, cut }, p) {
    const mass = raw.probs.subarray(0, keptRow + 1).reduce((sum, prob) => sum + prob, 0);
    const before = mass - raw.probs[keptRow];
    const short = keptRow > 0
      ? `without ${last} they would hold ${formatProbability(before)}`
      : "it is alone";
    return (
      `The best ${formatCount(keptRow + 1)} hold ${formatProbability(mass)} and reach ` +
      `${formatProbability(p)}; ${short}, so the line falls before ${cut}.`
    );
  },
  min_p({ raw, last, cut, keptRow, cutRow, prob }, fraction) {
    const limit = formatProbability(fraction * raw.probs[0]);
    return (
      `The limit is ${formatSetting(fraction)} × ${formatProbability(raw.probs[0])} = ${limit}: ` +
      `${last} has ${formatProbability(prob(keptRow))}, ${cut} ${formatProbability(prob(cutRow))}.`
    );
  },
  typical_p({ raw, stage, last, cut, keptRow, cutRow, distance }, mass) {
    const best = stage.kept[0] ? "" : "; the best token is too expected to be typical";
    return (
      `The entropy is ${formatNats(raw.entropy)}: ${last}, ${formatNumber(distance(keptRow))} ` +
      `away in surprise, fills up ${formatProbability(mass)}; ${cut}, ` +
      `${formatNumber(distance(cutRow))} away, is out${best}.`
    );
  },
  epsilon({ last, cut, keptRow, cutRow, prob }, cutoff) {
    return (
      `The limit is ${formatProbability(cutoff)} for any distribution: ${last} has ` +
      `${formatProbability(prob(keptRow))}, ${cut} ${formatProbability(prob(cutRow))}.`
    );
  },
  eta({ raw, cut, cutRow, prob }, cutoff) {
    const relaxed = Math.sqrt(cutoff) * Math.exp(-raw.entropy);
    const limit = formatProbability(Math.min(cutoff, relaxed));
    const how = relaxed < cutoff
      ? `lowered from ${formatProbability(cutoff)} as the entropy is ${formatNats(raw.entropy)}`
      : `as the entropy, ${formatNats(raw.entropy)}, is too low to lower it`;
    return (
      `The limit is ${limit}, ${how}: ${cut}, ${formatProbability(prob(cutRow))}, ` +
      "is the first below."
    );
  },
  min_k({ raw, last, cut, keptRow, cutRow }) {
    const fall = formatNumber(raw.scores[keptRow] - raw.scores[cutRow]);
    return (
      `From ${last} to ${cut} the logits fall by ${fall}: of all falls, each divided by its place, ` +
      `none is steeper, or so few are kept at least.`
    );
  },
  top_h({ raw, last, cut }, share) {
    return (
      `The entropy is ${formatNats(raw.entropy)}: up to ${last} the tokens add no more than ` +
      `${formatProbability(share)} of that of the 100 best, with ${cut} they would.`
    );
  },
  p_less({ raw, last, cut, keptRow, cutRow, prob }) {
    const limit = formatProbability(raw.probs.reduce((sum, one) => sum + one * one, 0));
    return (
      `Two draws are equal with ${limit}, and that is the limit: ${last} has ` +
      `${formatProbability(prob(keptRow))}, ${cut} ${formatProbability(prob(cutRow))}. There is no knob.`
    );
  },
  mirostat({ last, cut, keptRow, cutRow, prob }, target) {
    /** @param {number} row */
    const bits = (row) => formatNumber(-Math.log2(prob(row)));
    return (
      `A text begins with twice the target, ${formatNumber(2 * target)} bits: ${last} has ` +
      `${bits(keptRow)}, ${cut} ${bits(cutRow)}. Each token drawn then moves this limit.`
    );
  },
  top_n_sigma({ raw, last, cut, keptRow, cutRow }, n) {
    /** @param {number} row */
    const gap = (row) => formatNumber(raw.scores[0] - raw.scores[row]);
    return (
      `Counted in logits, ${formatSetting(n)} σ below the best: ${last} is ${gap(keptRow)} below ` +
      `and in, ${cut} ${gap(cutRow)} below and out.`
    );
  },
};
