// The heads of the bars' columns: a strategy, its slider, whether it is in use, what it keeps.

import { el, setAttribute, setText } from "../../frame/live/dom.js";
import { formatEntropy } from "../../frame/live/format.js";
import { createSlider } from "../../frame/live/sliders.js";
import { effectOf, keptInWords, lastStage, MASKS } from "../../frame/live/strategies.js";

const maskNamed = (name) => MASKS.find((mask) => mask.name === name);

/** The columns that show while they are in use, or when all strategies are compared. */
export const RARER = ["min_p", "greedy"];

/** The columns from left to right: what the model says, each mask alone on it, and all together. */
export const COLUMNS = [
  { name: "raw", title: "Model", says: "no mask" },
  ...["temperature", "top_k", "top_p", ...RARER].map(maskNamed),
  { name: "active", title: "Active", says: "all ticked masks" },
];

/** Makes the head of one column. @param {Actions} actions */
export function createHead(column, actions) {
  const isPlain = column.name === "active" || column.name === "raw";
  const head = isPlain ? plainHead(column) : switchedHead(column, actions);
  const kept = el("span", { class: "bars-count" });
  const entropy = el("span", { class: "bars-entropy" });
  const last = column.name === "active" ? withSumTitle(entropy) : entropy;
  const box = el("div", { class: "bars-head-box" }, ...head.nodes, kept, last);
  // its name alone is said before each cell; what stands in it is read by itself
  const named = { abbr: column.title, "aria-label": column.title, title: column.says };
  const element = el("th", { scope: "col", class: "bars-head", ...named }, box);
  element.dataset.col = column.name;
  return {
    element,
    update(view, result) {
      head.update(view, result);
      setText(kept, `keeps ${keptInWords(result, view.distribution.nVocab)}`);
      setText(entropy, `entropy ${formatEntropy(lastStage(result))}`);
    },
  };
}

/** The active column also has the running sum, whose title stands over it. */
function withSumTitle(entropy) {
  return el("span", { class: "bars-title" }, entropy, el("span", { class: "bars-sum-title" }, "cumulative"));
}

function plainHead({ name, title, says }) {
  const words = el("span", { class: "bars-lead" });
  return {
    nodes: [el("span", { class: "bars-name" }, title), words],
    update: ({ inspecting, isWhatIf }) =>
      setText(words, name === "raw" || inspecting === null || isWhatIf ? says : "as it was at that step"),
  };
}

function switchedHead({ name, title, says }, actions) {
  const box = el("input", {
    type: "checkbox",
    name: `use_${name}`,
    "aria-label": `use ${title.toLowerCase()}`,
  });
  box.addEventListener("change", () => actions.setUse(name, box.checked));
  const label = el("label", { class: "bars-name" }, box, title);
  const slider = name === "greedy" ? null : createSlider(name, (...move) => actions.setControl(...move));
  const second = slider
    ? el("span", { class: "bars-slider" }, slider.input, slider.readout)
    : el("span", { class: "bars-lead" }, says);
  return {
    nodes: [label, second],
    update(view, result) {
      box.checked = isInUse(name, view.controls);
      setAttribute(label, "data-in-use", box.checked);
      const { nVocab } = view.distribution;
      // while Play runs it would be said with every token
      slider?.set(view.controls[name], nVocab, view.isPlaying ? "" : effectOf(name, result, nVocab));
    },
  };
}

/** Greedy stands alone: while it is ticked the other boxes are empty. */
export function isInUse(name, controls) {
  return name === "greedy" ? controls.greedy : !controls.greedy && controls.use.includes(name);
}
