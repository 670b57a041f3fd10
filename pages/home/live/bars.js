// The bars: the distribution that the next token is drawn from; or, side by side, the same tokens under
// every strategy, on the same raw logits, to the same scale.
// Kept bars are solid, rejected ones hatched at their raw length, the chosen one outlined.

import { createCoinBar } from "./coinbar.js";
import { el, setAttribute, setShown, setText, visibleParts } from "../../frame/live/dom.js";
import { formatCount, formatProbability, formatSetting } from "../../frame/live/format.js";
import { COLUMNS, isInUse, RARER } from "./column_headers.js";
import { createMatrix } from "./matrix.js";
import { createPictureButtons } from "./picture.js";
import { keepPreference, prefers } from "./preferences.js";
import { createPipeline } from "./pipeline.js";
import {
  activeResult,
  aloneResult,
  describePipeline,
  fittingScale,
  FULL_BARS,
  keptInWords,
  lastStage,
} from "../../frame/live/strategies.js";

const LEGEND = ["kept", "rejected", "chosen", "coin"];
const UNSENT =
  "tokens were not sent by the server: their sum is exact at temperature 1, else a bound (≤, ≥); " +
  "entropies take them as equally likely.";
const HEADROOM = 1.5; // over the best raw token, for what a mask may make of it

/** The bars with the sliders in their heads, the coin bar and the rarer masks. @type {MakePart} */
export function createBars(actions) {
  const top = createTopLine(() => lastView && update(lastView));
  const matrix = createMatrix(actions);
  const coin = createCoinBar(actions);
  const pipeline = createPipeline(actions);
  const unsent = el("p", { class: "muted bars-unsent" });
  const element = el(
    "section",
    { class: "bars", "aria-label": "The next token under every strategy" },
    top.element,
    createPicker(matrix.table),
    matrix.table,
    unsent,
    coin.element,
    createPictureButtons(() => lastView),
    pipeline.element,
  );
  let lastView = null;
  arrange(RARER.join(" "));

  /** Which strategies show; so also before there is anything to show. */
  function arrange(hidden) {
    setAttribute(matrix.table, "data-hides", top.isComparing ? null : hidden);
    setAttribute(element, "data-comparing", top.isComparing);
  }

  function update(view) {
    lastView = view;
    if (view.distribution === null) return;
    setAttribute(element, "data-stage", view.stage);
    setAttribute(element, "data-drawn", view.isDrawn);
    const active = activeResult(view);
    top.update(view, active);
    const hidden = unused(view.controls);
    arrange(hidden);
    const isShown = ({ name }) => top.isComparing || !["raw", ...hidden.split(" ")].includes(name);
    const resultOf = (name) => name === "active" ? active : aloneResult(view, name);
    const results = new Map(COLUMNS.filter(isShown).map(({ name }) => [name, resultOf(name)]));
    matrix.update(view, results, top.fullBar(active.stages[0].probs[0]), !top.isComparing);
    const { nUnsent } = view.distribution;
    setShown(unsent, nUnsent > 0);
    setText(unsent, `${formatCount(nUnsent)} ${UNSENT}`);
    coin.update(view);
    pipeline.update(view, active);
  }
  return { element, update };
}

/** What one sees, in a sentence; the legend; which strategies show, and to which scale. */
function createTopLine(onChange) {
  const likeliest = el("span", { class: "named", translate: false });
  const share = el("b", {});
  const words = el("b", { class: "bars-words" });
  const kept = el("span", {});
  const compare = el("input", {
    type: "checkbox",
    name: "compare",
    checked: prefers("side", false),
    onchange() {
      keepPreference("side", compare.checked);
      onChange();
    },
  });
  const auto = el("option", { value: "auto" });
  const fixed = FULL_BARS.map((share) => el("option", { value: share }, fullInWords(share)));
  const ofScale = { class: "bars-scale", "aria-label": "probability of a full bar", onchange: onChange };
  const scale = el("select", ofScale, auto, ...fixed);
  const keys = LEGEND.map((name) =>
    el("span", { class: `bars-key is-${name}` }, name === "coin" ? "pointer" : name)
  );
  const element = el(
    "div",
    { class: "row bars-top" },
    el(
      "p",
      { class: "bars-active" },
      ...["Likeliest: ", likeliest, " ", share, ". Drawn from ", kept, " tokens: ", words, "."],
    ),
    el("span", { class: "row muted bars-legend" }, ...keys),
    el("label", { class: "switch muted bars-compare" }, compare, "side by side"),
    scale,
  );
  /** The probability of a full bar: by itself it follows the raw logits, never a slider. */
  function fullBar(bestRaw) {
    const fitting = fittingScale(bestRaw, HEADROOM);
    setText(auto, `${fullInWords(fitting)} (auto)`);
    return scale.value === "auto" ? fitting : Number(scale.value);
  }
  function update(view, active) {
    const [best] = active.order;
    likeliest.replaceChildren(...visibleParts(view.label(active.idOf(best))));
    setText(share, formatProbability(lastStage(active).probs[best]));
    setText(words, describePipeline(active, view.settings));
    setText(kept, keptInWords(active, view.distribution.nVocab));
  }
  return {
    element,
    update,
    fullBar,
    get isComparing() {
      return compare.checked;
    },
  };
}

/** The rarer strategies that are not in use: they show when all are compared. */
function unused(controls) {
  return RARER.filter((name) => !isInUse(name, controls)).join(" ");
}

function fullInWords(share) {
  return `full bar ${formatSetting(100 * share)}\u202f%`;
}

/** On a narrow page one strategy stands beside the active one: this chooses which. */
function createPicker(table) {
  const choices = COLUMNS.filter(({ name }) => name !== "active");
  const options = choices.map(({ name, title }) => el("option", { value: name }, title));
  const show = () => {
    for (const cell of table.querySelectorAll("[data-col]"))
      cell.toggleAttribute("data-picked", cell.dataset.col === select.value);
  };
  const select = el("select", { onchange: show }, ...options);
  select.value = "temperature";
  show();
  return el("label", { class: "bars-picker" }, "Strategy beside the active one ", select);
}
