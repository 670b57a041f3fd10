// Every mask alone on the same raw logits, its slider over its column.

import { el, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { formatCount, formatProbability } from "../../frame/live/format.js";
import { settingOf } from "../../frame/live/masks.js";
import { createSlider } from "../../frame/live/sliders.js";
import {
  aloneResult,
  effectOf,
  lastStage,
  MASKS,
  stageTitle,
  waitsForPython,
} from "../../frame/live/strategies.js";
import { createGrid } from "./grid.js";

/**
 * @typedef {{setControl(name: string, value: number | boolean, isFinal: boolean): void,
 *   setUse(name: string, isUsed: boolean): void}} LabActions
 */

const NEGLIGIBLE = 1e-6; // probability whose digits tell nothing

/**
 * Makes the grid of masks.
 * @param {LabActions} actions
 * @returns {{element: HTMLElement, caption: HTMLElement, update(view: LabView): Map<string, Result>}}
 */
export function createMaskGrid(actions) {
  const heads = MASKS.map((mask) => createMaskHead(mask, actions));
  const grid = createGrid("Each mask alone on the same logits", heads);
  const caption = el("p", { class: "lab-caption" });
  const more = createMore(actions);
  const foot = el("div", { class: "lab-foot" }, caption, more.element, createLegend());
  const element = el("section", { class: "lab-masks" }, el("h2", {}, "Each mask alone"), grid.element, foot);

  /** @param {LabView} view */
  function update(view) {
    const results = MASKS.map(({ name }) => aloneResult(view, name));
    heads.forEach((head, i) => head.update(view, results[i]));
    grid.update(view, results, view.nShown);
    more.update(view);
    return new Map(MASKS.map(({ name }, i) => [name, results[i]]));
  }
  return { element, caption, update };
}

/**
 * The button that shows the rarer masks too; they stay while one of them is in the pipeline.
 * @param {LabActions} actions
 */
function createMore(actions) {
  let more = false;
  const element = el("button", { class: "lab-more", type: "button" });
  element.addEventListener("click", () => actions.setControl("more", !more, true));
  /** @param {LabView} given */
  function update({ controls, nShown, header }) {
    more = controls.more;
    setShown(element, more || nShown === header.nFirst);
    const rest = MASKS.slice(header.nFirst).map(({ name }) => stageTitle(name)).join(", ");
    setText(element, more ? "Show fewer strategies" : `Show more: ${rest}`);
  }
  return { element, update };
}

function createLegend() {
  const keys = ["kept", "rejected"].map((key) =>
    el(
      "span",
      { class: `bars-key is-${key}` },
      key === "kept" ? "drawn from" : "out: its share before the cut",
    )
  );
  return el("span", { class: "row muted bars-legend" }, ...keys);
}

/** @param {(typeof MASKS)[number]} given @param {LabActions} actions */
function createMaskHead({ name, title, short, says }, actions) {
  const isGreedy = name === "greedy";
  const slider = isGreedy
    ? null
    : createSlider(/** @type {SettingName} */ (name), (...move) => actions.setControl(...move));
  const called = el("span", {});
  const kept = el("span", { class: "lab-count" });
  const removed = el("span", { class: "lab-fact" });
  const box = el("input", { type: "checkbox", name: `use_${name}` });
  box.setAttribute("aria-label", `${title} in the engines’ pipelines`);
  box.addEventListener("change", () => actions.setUse(name, box.checked));
  const words = el("span", {}, "as T = 0");
  const use = el(
    "label",
    { class: "lab-use", title: "in the engines’ pipelines below" },
    isGreedy ? null : box,
    words,
  );
  const element = el(
    "th",
    { scope: "col", class: "lab-head", title: says },
    el("span", { class: "lab-name" }, called, slider?.readout ?? null),
    slider?.input ?? el("span", { class: "lab-noslider" }, says),
    kept,
    removed,
    use,
  );
  return {
    name,
    element,
    /** @param {LabView} view @param {Result} result */
    update(view, result) {
      const stage = lastStage(result);
      const { nVocab } = view.distribution;
      const hasRoom = view.nShown < MASKS.length;
      setText(called, hasRoom ? title : short);
      if (!isGreedy) setText(words, hasRoom ? "in pipeline" : "pipeline");
      slider?.set(settingOf(view.controls, name), nVocab, effectOf(name, result, nVocab));
      box.checked = view.controls.use.includes(name);
      setAttribute(element, "data-in-use", box.checked);
      if (waitsForPython(result)) {
        setText(kept, "cuts in the tail");
        setText(removed, "");
        return;
      }
      setText(kept, stage.nKept === nVocab ? "keeps all" : `keeps ${formatCount(stage.nKept)}`);
      const isTiny = stage.removedMass > 0 && stage.removedMass < NEGLIGIBLE;
      setText(removed, isTiny ? "cuts next to nothing" : `cuts ${formatProbability(stage.removedMass)}`);
    },
  };
}
