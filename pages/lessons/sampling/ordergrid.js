// The engines' orders: the same masks at the same values on the same logits, in four pipelines. Rows
// that one engine keeps and another cuts are lit.

import { announced } from "../../frame/live/announced.js";
import { el, named, setAttribute, setSentence, setText } from "../../frame/live/dom.js";
import { formatCount } from "../../frame/live/format.js";
import { drawToken, NEUTRAL_SETTINGS, settingOf } from "../../frame/live/masks.js";
import {
  describeStage,
  ENGINE_TITLES,
  ignoredSettings,
  lastStage,
  remembered,
  replacedSettings,
  stageTitle,
} from "../../frame/live/strategies.js";
import { createGrid } from "./grid.js";

const MAX_NAMED = 4; // tokens named in the sentence

/** @returns {{element: HTMLElement, update(view: LabView): void}} */
export function createOrderGrid() {
  const heads = Object.entries(ENGINE_TITLES).filter(([name]) => name !== "all").map(createEngineHead);
  const grid = createGrid("The same masks in four engines", heads);
  const source = el("p", { class: "lab-caption" });
  const verdict = announced(el("p", { class: "lab-verdict" }));
  const element = el(
    "section",
    { class: "lab-orders" },
    el("h2", {}, "The same masks in another order"),
    verdict,
    grid.element,
    source,
  );

  /** @param {LabView} view */
  function update(view) {
    const { controls, header } = view;
    const results = heads.map(({ name }) =>
      remembered(view, `as ${name}`, settingsOf(controls, header.orders[name]))
    );
    heads.forEach((head, i) => head.update(view, results[i]));
    grid.update(view, results);
    const { isParted, words } = describeOrders(view, results);
    setSentence(verdict, words);
    setText(source, `The orders are those of ${header.ordersRead}.`);
    setAttribute(element, "data-parted", isParted);
  }
  return { element, update };
}

/** The masks that are ticked, in some order. @param {Controls} controls @param {SettingName[]} order */
export function settingsOf(controls, order) {
  const used = Object.fromEntries(controls.use.map((name) => [name, settingOf(controls, name)]));
  return { ...NEUTRAL_SETTINGS, ...used, order };
}

/** @param {[string, string]} given */
function createEngineHead([name, title]) {
  const order = el("span", { class: "lab-order" });
  const kept = el("span", { class: "lab-count" });
  const drawn = el("span", { class: "lab-fact" });
  const lacks = el("span", { class: "lab-fact" });
  const element = el(
    "th",
    { scope: "col", class: "lab-head" },
    el("span", { class: "lab-name" }, title),
    order,
    kept,
    drawn,
    lacks,
  );
  return {
    name,
    element,
    /** @param {LabView} given @param {Result} result */
    update({ controls, header, label }, result) {
      const settings = settingsOf(controls, header.orders[name]);
      const stages = result.stages.slice(1).map((stage) => describeStage(stage.name, settings));
      setText(order, stages.length > 0 ? stages.join(" → ") : "no mask");
      setText(kept, `keeps ${formatCount(lastStage(result).nKept)}`);
      const token = drawToken(result, header.pointer);
      setSentence(drawn, token ? `pointer ${header.pointer}: ${named(label(token.id))}` : "");
      setText(lacks, idleInWords(settings));
    },
  };
}

/** Which of the ticked masks do nothing in an engine's pipeline. @param {Settings} settings */
function idleInWords(settings) {
  const [missing, replaced] = [ignoredSettings, replacedSettings].map((of) => of(settings).map(stageTitle));
  if (replaced.length > 0) return `in place of ${replaced.join(", ")}`;
  return missing.length > 0 ? `has no ${missing.join(", ")}` : "";
}

/** Where the engines part, in words. @param {LabView} given @param {Result[]} results */
function describeOrders({ controls, distribution, label }, results) {
  if (controls.use.length === 0) {
    return { isParted: false, words: "Tick masks above: they make up the pipelines." };
  }
  const stages = results.map(lastStage);
  const parted = [];
  for (let row = 0; row < distribution.nRows; row++) {
    const n = stages.reduce((sum, stage) => sum + stage.kept[row], 0);
    if (n > 0 && n < stages.length) parted.push(named(label(distribution.ids[row])));
  }
  if (parted.length === 0) {
    return { isParted: false, words: "All four keep the same tokens with these masks." };
  }
  const first = parted.slice(0, MAX_NAMED).join(", ");
  const more = parted.length - MAX_NAMED;
  const others = more > 0 ? ` and ${formatCount(more)} more` : "";
  return {
    isParted: true,
    words: `They part over ${first}${others}: kept by one engine, cut by another.`,
  };
}
