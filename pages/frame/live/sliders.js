// Sliders of the sampling settings, as their table has them.

import { withCommas } from "./aloud.js";
import { el, setAttribute, setText } from "./dom.js";
import { formatSetting } from "./format.js";
import { SETTINGS } from "./settings.js";
import { _, listed } from "./words.js";

const SWIPE_PX = 10;
const ROUND_COUNTS = [1, 1.5, 2, 3, 5, 7];

/**
 * Makes the slider of one setting. Where a scale is uneven the slider walks over its positions.
 * @param {SettingName} name the setting
 * @param {(name: string, value: number, isFinal: boolean) => void} onMove while dragged and released
 * @returns {{
 *   input: HTMLInputElement,
 *   readout: HTMLElement,
 *   set(value: number, nVocab: number, effect?: string): void,
 * }} `effect` is heard behind the value: what it does at this place of the text
 */
export function createSlider(name, onMove) {
  const { slider: scale, title } = SETTINGS[name];
  const input = el("input", { type: "range", class: "slider", name, "aria-label": title });
  const readout = el("span", { class: "slider-value", "aria-hidden": "true" }); // aria-valuetext says it
  /** @type {number[]|null} */
  let positions = null;
  /** Where it stood, as it was pressed. @type {{event: PointerEvent, value: string}|null} */
  let start = null;
  const read = () => (positions ? positions[Number(input.value)] : Number(input.value));
  input.addEventListener("input", () => onMove(name, read(), false));
  input.addEventListener("change", () => onMove(name, read(), true));
  input.addEventListener("pointerdown", (event) => (start = { event, value: input.value }));
  input.addEventListener("pointerup", takeBackSwipe);
  input.addEventListener("pointercancel", takeBackSwipe);

  /**
   * A finger that moves up or down scrolls the page; where it came down it has moved the slider.
   * @param {PointerEvent} event
   */
  function takeBackSwipe({ type, pointerType, clientX, clientY }) {
    if (start === null) return;
    const { event, value } = start;
    const [across, along] = [Math.abs(clientY - event.clientY), Math.abs(clientX - event.clientX)];
    const isSwipe = pointerType === "touch" && across > Math.max(SWIPE_PX, along);
    if (type !== "pointercancel" && !isSwipe) return;
    input.value = value;
    onMove(name, read(), true);
  }

  /** @param {number} value @param {number} nVocab */
  function set(value, nVocab, effect = "") {
    positions = scale === "counts" ? topKPositions(nVocab) : Array.isArray(scale) ? scale : null;
    const range = positions ? { min: 0, max: positions.length - 1, step: 1 } : scale;
    for (const [limit, at] of Object.entries(range)) setAttribute(input, limit, at);
    const place = String(positions ? nearest(positions, value) : value);
    if (input.value !== place) input.value = place;
    const words = inWords(name, value);
    setText(readout, words);
    setAttribute(input, "aria-valuetext", withCommas(effect ? listed([words, effect]) : words));
  }
  return { input, readout, set };
}

/**
 * The value of a setting as its slider shows it: "off" where it does nothing at all.
 * @param {SettingName} name
 * @param {number} value
 */
function inWords(name, value) {
  const isOff = name !== "temperature" && value === SETTINGS[name].neutral;
  if (isOff) return _("off");
  const { slider } = SETTINGS[name];
  const isSwitch = typeof slider === "object" && "step" in slider && slider.step === 1;
  return isSwitch ? _("on") : formatSetting(value);
}

/**
 * Index of the position nearest to a value; top-k 0 and top-n-sigma 0 (off) stand at the end.
 * @param {number[]} positions
 * @param {number} value
 */
function nearest(positions, value) {
  const exact = positions.indexOf(value);
  if (exact >= 0) return exact;
  const distance = (/** @type {number} */ i) => Math.abs(positions[i] - value);
  return positions.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0);
}

/** @type {{nVocab: number, positions: number[]}} */
let topKCache = { nVocab: -1, positions: [] };

/**
 * 1 to 50 one by one, then round numbers up to the vocabulary; at the very end 0, off.
 * @param {number} nVocab
 */
function topKPositions(nVocab) {
  if (topKCache.nVocab !== nVocab) {
    const ones = Array.from({ length: 50 }, (_, i) => i + 1);
    const round = [];
    for (let scale = 10; scale < nVocab; scale *= 10) {
      round.push(...ROUND_COUNTS.map((count) => count * scale).filter((k) => k > 50 && k < nVocab));
    }
    topKCache = { nVocab, positions: [...ones.filter((k) => k <= nVocab), ...round, 0] };
  }
  return topKCache.positions;
}
