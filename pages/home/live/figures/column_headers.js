// The heads of the bars' columns: a strategy, what it keeps, and the axis of its bars.

import { createAxis } from "../../../frame/live/bar_cell.js";
import { el, setText } from "../../../frame/live/dom.js";
import { formatCount, formatEntropy } from "../../../frame/live/format.js";
import { keptInWords, lastStage, maskNamed, waitsForPython } from "../../../frame/live/strategies.js";
import { _ } from "../../../frame/live/words.js";

/** The masks that show while they are in use, or when all strategies are compared. */
export const RARER = ["min_p", "greedy"];
/** The masks with a column of their own. */
export const SWITCHED = ["temperature", "top_k", "top_p", "min_p", "greedy"];

/**
 * The columns from left to right: what the model says, each mask alone on it, and all together.
 * @type {Column[]}
 */
export const COLUMNS = [
  { name: "raw", title: _("Model"), says: _("no mask") },
  ...SWITCHED.map(maskNamed),
  { name: "active", title: _("Active"), says: _("all ticked masks") },
];

/**
 * Makes the head of one column; `setting` is where its slider stands while columns are compared.
 * @param {Column} column
 */
export function createHead({ name, title, says }) {
  const setting = el("div", { class: "bars-setting" });
  const words = el("span", { class: "bars-lead" }, says);
  const isPlain = !SWITCHED.includes(name);
  const nodes = isPlain ? [el("span", { class: "bars-name" }, title), words] : [setting];
  const kept = el("span", { class: "bars-count" });
  const entropy = el("span", { class: "bars-entropy" });
  const last = name === "active" ? withSumTitle(entropy) : entropy;
  const box = el("div", { class: "bars-head-box" }, ...nodes, kept, last);
  // its name alone is said before each cell; what stands in it is read by itself
  const named = { abbr: title, "aria-label": title, title: says };
  const element = el("th", { scope: "col", class: "bars-head", ...named }, box, createAxis());
  element.dataset.col = name;
  return {
    element,
    setting,
    /** @param {BarsView} view @param {Result} result */
    update(view, result) {
      const isPast = name === "active" && view.inspecting !== null && !view.isWhatIf;
      setText(words, isPast ? _("as it was at that step") : says);
      setText(kept, _("keeps {tokens}", { tokens: numberKept(result, view.distribution.nVocab) }));
      setText(entropy, formatEntropy(lastStage(result))); // the corner names it
    },
  };
}

/** How many tokens stay: all columns have the same number of them. @param {Result} result @param {number} nVocab */
function numberKept(result, nVocab) {
  const { nKept } = lastStage(result);
  return nKept === nVocab || waitsForPython(result) ? keptInWords(result, nVocab) : formatCount(nKept);
}

/** The active column also has the running sum, whose title stands over it. @param {HTMLElement} entropy */
function withSumTitle(entropy) {
  return el(
    "span",
    { class: "bars-title" },
    entropy,
    el("span", { class: "bars-sum-title" }, _("cumulative")),
  );
}
