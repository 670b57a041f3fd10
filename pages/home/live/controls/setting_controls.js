// The sliders of the masks: beside the picture, or, while strategies are compared, each over its column.

import { isInUse } from "../controls.js";
import { el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatShare } from "../../../frame/live/format.js";
import { createSlider } from "../../../frame/live/sliders.js";
import { createTerm } from "../../../frame/live/term.js";
import { aloneResult, effectOf, maskNamed } from "../../../frame/live/strategies.js";
import { _, ngettext } from "../../../frame/live/words.js";

/** @type {(SettingName|"greedy")[]} */
const ORDER = ["temperature", "top_p", "top_k", "min_p", "greedy"]; // beside the picture
const SLIDER_KEYS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]);
/** What each does, in half a sentence. @type {Record<string, (controls: Controls) => string>} */
const HINTS = {
  temperature: () => _("lower: safer · higher: bolder"),
  top_p: ({ top_p: p }) => _("keep the likeliest until they make {share}", { share: formatShare(p) }),
  top_k: ({ top_k: k }) =>
    k === 0 ? _("keep all tokens") : ngettext("keep the {n} likeliest", "keep the {n} likeliest", k),
  min_p: ({ min_p: p }) =>
    _("keep what is at least {share} as likely as the best", { share: formatShare(p) }),
  greedy: () => _("always the likeliest"),
};

/** What the glossary calls a mask. @param {string} name */
const termOf = (name) => name === "greedy" ? "greedy decoding" : name.replace("_", "-");

/**
 * Makes the controls.
 * @param {Actions} actions
 * @param {(isTouched: boolean) => void} onTouch top-p's slider is held, or moved by a keyboard; or no longer
 */
export function createSettingControls(actions, onTouch) {
  const all = ORDER.map((name) => createControl(name, actions));
  const topP = all.find(({ name }) => name === "top_p")?.slider?.input;
  if (topP) listenForTouch(topP, onTouch);
  const element = el("div", { class: "settings", role: "group", "aria-label": _("Sampling") });
  element.append(...all.map((control) => control.element));
  let isApart = false;
  return {
    element,
    /**
     * Puts each over its column, or all of them beside the picture.
     * @param {Map<string|undefined, HTMLElement>|null} places
     * @param {string[]} hidden
     */
    arrange(places, hidden) {
      const wasApart = isApart;
      isApart = places !== null;
      for (const { name, element: control } of all) {
        setShown(control, isApart || !hidden.includes(name));
        if (isApart !== wasApart) (places?.get(name) ?? element).append(control);
      }
    },
    /** @param {BarsView} view */
    update(view) {
      for (const control of all) if (!control.element.hidden) control.update(view);
    },
  };
}

/** @param {HTMLInputElement} input @param {(isTouched: boolean) => void} onTouch */
function listenForTouch(input, onTouch) {
  let isTouched = false;
  /** @param {boolean} isNow */
  const touch = (isNow) => {
    if (isNow !== isTouched) onTouch(isTouched = isNow);
  };
  input.addEventListener("pointerdown", () => touch(true));
  input.addEventListener("keydown", ({ key }) => touch(isTouched || SLIDER_KEYS.has(key)));
  for (const end of ["pointerup", "pointercancel", "blur"]) input.addEventListener(end, () => touch(false));
}

/** @param {SettingName|"greedy"} name @param {Actions} actions */
function createControl(name, actions) {
  const { title, short } = maskNamed(name);
  const box = el("input", {
    type: "checkbox",
    name: `use_${name}`,
    "aria-label": _("use {setting}", { setting: title.toLowerCase() }),
    onchange: () => actions.setUse(name, box.checked),
  });
  const slider = name === "greedy" ? null : createSlider(name, (...move) => actions.setControl(...move));
  /** @type {Record<string, string>} */
  let terms = {};
  const term = createTerm(title, () => terms[termOf(name)]);
  const plain = el("span", { class: "setting-plain" }, short); // in columns
  const label = el("span", { class: "setting-name" }, el("label", {}, box, plain), ...term);
  const hint = el("p", { class: "setting-hint" });
  const head = el("div", { class: "setting-head" }, label, slider?.readout ?? null);
  const element = el("div", { class: "setting" }, head, slider?.input ?? null, hint);
  element.dataset.name = name;
  return {
    name,
    element,
    slider,
    /** @param {BarsView} view */
    update(view) {
      terms = view.header.terms;
      const isUsed = isInUse(name, view.controls);
      box.checked = isUsed;
      setAttribute(element, "data-in-use", isUsed);
      setText(hint, HINTS[name](view.controls));
      const { nVocab } = view.distribution;
      // while Play runs it would be said with every token
      const effect = view.isPlaying || !slider ? "" : effectOf(name, aloneResult(view, name), nVocab);
      if (slider && name !== "greedy") slider.set(view.controls[name], nVocab, effect);
    },
  };
}
