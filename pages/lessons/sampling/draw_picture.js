// The distribution under temperature and top-p as one picture: rows that lie end to end, the draw bar below
// them, and one pointer through both. A dragged slider moves the bars; the pointer stands still.

import { announced } from "../../frame/live/announced.js";
import { createAxis, createBarCell } from "../../frame/live/bar_cell.js";
import { el, named, setAttribute, setSentence, setShown, setText, shorten } from "../../frame/live/dom.js";
import { formatCount, formatProbability, formatShare } from "../../frame/live/format.js";
import { NEUTRAL_SETTINGS, settingOf } from "../../frame/live/masks.js";
import { createSlider } from "../../frame/live/sliders.js";
import { SETTINGS } from "../../frame/live/settings.js";
import {
  drawnToken,
  effectOf,
  keptInWords,
  lastStage,
  remembered,
  scoredStage,
} from "../../frame/live/strategies.js";

/** @type {SettingName[]} */
const NAMES = ["temperature", "top_p"];
const N_ROWS = 5; // tokens one by one; the rest share the last row

/**
 * Makes the picture. Its two sliders are its own.
 * @param {import("./maskgrid.js").LabActions} actions
 * @returns {{element: HTMLElement, update(view: LabView): void}}
 */
export function createDrawPicture({ setControl }) {
  const rows = Array.from({ length: N_ROWS + 1 }, createRow);
  const segments = Array.from({ length: N_ROWS + 1 }, () => el("span", { class: "lab-segment" }));
  const pointer = el("i", { class: "lab-pointer" });
  const bar = el("div", { class: "lab-bar" }, ...segments);
  const hitName = el("b", { class: "lab-hit", "aria-hidden": "true" }); // a narrow segment has no room for it
  const sliders = NAMES.map((name) =>
    createSlider(name, (moved, value, isFinal) => setControl(`bar_${moved}`, value, isFinal))
  );
  const sentence = announced(el("p", { class: "lab-sentence" }));
  const words = el("span", {});
  const text = el(
    "p",
    { class: "lab-text", translate: false },
    words,
    " ",
    el("span", { class: "slot", "aria-hidden": "true" }, "?"),
  );
  const axis = createAxis();
  const plot = el(
    "div",
    { class: "lab-plot", translate: false },
    axis,
    ...rows.map(({ element }) => element),
    bar,
    pointer,
    hitName,
  );
  const hands = sliders.map(({ input, readout }, i) =>
    el("label", { class: "lab-hand" }, el("span", {}, SETTINGS[NAMES[i]].title, " ", readout), input)
  );
  const element = el(
    "section",
    { class: "lab-picture", "aria-label": "What is drawn from" },
    text,
    plot,
    el("div", { class: "lab-hands" }, ...hands),
    sentence,
  );

  /** @param {LabView} view */
  function update(view) {
    const { header, controls, distribution: { nVocab } } = view;
    const set = { ...NEUTRAL_SETTINGS, temperature: controls.bar_temperature, top_p: controls.bar_top_p };
    const result = remembered(view, "picture", { ...set, order: header.orders.transformers });
    sliders.forEach((slider, i) => {
      const effect = effectOf(NAMES[i], result, nVocab);
      slider.set(settingOf(set, NAMES[i]), nVocab, effect);
      slider.input.disabled = header.waits;
    });
    setShown(text, header.text !== "");
    setText(words, header.text);
    const drawn = drawnToken(result, header.pointer);
    const parts = partsOf(view, result);
    rows.forEach((row, i) => {
      setShown(row.element, i < parts.length);
      setShown(segments[i], i < parts.length && parts[i].share > 0);
      if (i >= parts.length) return;
      const { from, share, words } = parts[i];
      const isHit = drawn !== null && from <= header.pointer && header.pointer < from + share;
      row.show(parts[i], isHit);
      Object.assign(segments[i].style, { left: `${100 * from}%`, width: `${100 * share}%` });
      setText(segments[i], words); // where it has the room: see lab.css
      setAttribute(segments[i], "title", words);
      setAttribute(segments[i], "data-hit", isHit);
    });
    plot.style.setProperty("--at", String(header.pointer));
    setText(hitName, drawn ? asRead(view.label(drawn.id)) : "");
    const where = `Drawn from ${keptInWords(result, nVocab)} tokens.`;
    const hit = drawn &&
      `The pointer, at ${formatShare(header.pointer)}, falls on ${named(asRead(view.label(drawn.id)))}: ${
        formatProbability(drawn.to - drawn.from)
      }.`;
    setSentence(sentence, hit ? `${where} ${hit}` : where);
  }
  return { element, update };
}

function createRow() {
  const label = el("span", { class: "lab-label" });
  const { track, number, show } = createBarCell();
  const element = el("div", { class: "lab-line" }, label, el("span", { class: "bar-cell" }, track, number));
  /** @param {ReturnType<typeof partsOf>[number]} part @param {boolean} isHit */
  function showPart({ words, share, from, scored, scoredFrom }, isHit) {
    setText(label, shorten(words, 18));
    setAttribute(label, "title", words);
    if (share > 0) show(share, { pieces: [[from, from + share]] });
    else show(0, { out: scored, outFrom: scoredFrom });
    setAttribute(element, "data-state", share > 0 ? "kept" : "rejected");
    setAttribute(element, "data-hit", isHit);
  }
  return { element, show: showPart };
}

/** A token's label without the sign of its space. @param {string} label */
const asRead = (label) => label.replace(/^␣(?=.)/, "");

/**
 * The best tokens, and all others together: what each takes of the draw bar, and where its share lay just before
 * the cut.
 * @param {LabView} view
 * @param {Result} result
 */
function partsOf({ distribution, label }, result) {
  const { nVocab, nRows } = distribution;
  const [before, last] = [scoredStage(result), lastStage(result)];
  const nShown = Math.min(N_ROWS, nRows);
  let from = 0;
  let left = 1;
  const parts = Array.from({ length: nShown }, (_, row) => {
    const share = last.kept[row] ? last.probs[row] : 0;
    const part = {
      words: asRead(label(result.idOf(row))),
      share,
      from,
      scored: before.probs[row],
      scoredFrom: 1 - left,
    };
    from += share;
    left -= before.probs[row];
    return part;
  });
  if (nShown === nVocab) return parts;
  const nKept = last.nKept - last.kept.subarray(0, nShown).reduce((sum, kept) => sum + kept, 0);
  const words = `${formatCount(nKept || nVocab - nShown)} others`; // that stay, or all that are out
  const rest = { scored: Math.max(0, left), scoredFrom: 1 - left };
  return [...parts, { words, share: nKept > 0 ? Math.max(0, 1 - from) : 0, from, ...rest }];
}
