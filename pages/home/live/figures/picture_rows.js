// Rows and draw bar of a picture to save, on one axis from 0 to 100 %: the rule of the page.

import { shorten } from "../../../frame/live/dom.js";
import { formatPointer, formatProbability, formatSetting } from "../../../frame/live/format.js";
import { SETTINGS } from "../../../frame/live/settings.js";
import { roomBeside, segmentsOf } from "./draw_bar.js";

const TICKS = [0, 25, 50, 75, 100];
/** @type {PictureShape} */
export const LARGE = {
  width: 1120,
  label: 220,
  number: 130,
  row: 44,
  type: 26,
  text: 40,
  nLines: 2,
  nWords: 2,
};
/** @type {PictureShape} */
export const SMALL = {
  width: 500,
  label: 120,
  number: 88,
  row: 34,
  type: 19,
  text: 25,
  nLines: 2,
  nWords: 4,
};

/**
 * Draws rows and draw bar; returns where they end, and where the chosen segment lies.
 * @param {import("./paint.js").Paint} paint
 * @param {BarsView} view
 * @param {PictureStep} step
 * @param {PictureMoment} look
 * @param {PictureShape} shape
 * @param {{x: number, y: number}} at
 */
export function drawRows(paint, view, step, look, shape, { x, y }) {
  const { label, number, row: high, type, width } = shape;
  const [left, across] = [x + label, width - label - number];
  const top = y + 1.1 * type;
  const nRows = step.cells.length;
  const foot = top + nRows * high + 0.4 * high;
  for (const percent of TICKS) {
    const at = left + across * percent / 100;
    paint.line(at, top, at, foot, "line", { "stroke-width": 1 });
    if (shape === LARGE || percent % 50 === 0)
      paint.words(`${percent}\u202f%`, at, y + 0.7 * type, 0.72 * type, { role: "muted", anchor: "middle" });
  }
  step.cells.forEach((cell, i) => {
    const middle = top + (i + 0.5) * high;
    const isChosen = i < step.ids.length && step.ids[i] === view.chosenId && look.pointer === 1;
    drawCell(paint, look, i, {
      left,
      across,
      y: top + i * high,
      high,
      isChosen,
      isRest: i >= step.ids.length,
    });
    const [face, size] = i < step.ids.length ? ["read", type] : ["plain", 0.72 * type];
    const base = middle + 0.35 * type;
    paint.words(step.labels[i], left - 12, base, size, { anchor: "end", face, weight: isChosen ? 700 : 400 });
    const isOut = !look.isScored && look.ghosts[i] > 0;
    const style = isOut ? { role: "muted" } : { weight: 600 };
    paint.words(numberOf(cell, look, i), x + width, base, 0.9 * type, { anchor: "end", ...style });
  });
  const chosen = drawBar(paint, view, step, look, shape, { left, across, top, foot });
  step.cells.forEach((cell, i) => drawOut(paint, cell, look, i, { left, across, y: top + i * high, high }));
  drawEdge(paint, step, look, shape, { left, across, top });
  return { bottom: bottomOf(step, shape, y), chosen };
}

/** Where rows and draw bar of a step end. @param {PictureStep} step @param {PictureShape} shape @param {number} y */
export const bottomOf = ({ cells }, { row, type }, y) => y + 2.5 * type + (cells.length + 1.9) * row;

/** @param {Cell} cell @param {PictureMoment} look @param {number} i */
function numberOf(cell, { isScored, ghosts }, i) {
  if (cell.count === 0) return "";
  if (isScored) return formatProbability(cell.scored);
  return ghosts[i] > 0 ? "out" : formatProbability(cell.prob);
}

/**
 * A row's bars.
 * @param {import("./paint.js").Paint} paint
 * @param {PictureMoment} look
 * @param {number} i
 * @param {{left: number, across: number, y: number, high: number, isChosen: boolean, isRest: boolean}} at
 */
function drawCell(paint, look, i, { left, across, y, high, isChosen, isRest }) {
  const [top, thick] = [y + 0.14 * high, 0.72 * high];
  const [inset, thin] = isRest ? [0.2 * high, 0.32 * high] : [0, thick]; // many together are no one wide bar
  for (const [from, to] of look.pieces[i]) {
    const [x, wide] = [left + across * from, across * (to - from)];
    paint.box(x, top + inset, wide, thin, "kept", { "data-row": i, opacity: 1 - look.fade[i] });
    if (isRest) {
      const middle = top + inset + thin / 2;
      paint.line(x, middle, x + wide, middle, "paper", { "stroke-width": thin, "stroke-dasharray": "1 3" });
    }
    if (isChosen) paint.outline(x, top, wide, thick, "chosen", { "stroke-width": 3 });
  }
}

/**
 * The dashed outline of what was cut, where it lay before the cut; while a pointer stands, beyond the bar.
 * @param {import("./paint.js").Paint} paint
 * @param {Cell} cell
 * @param {PictureMoment} look
 * @param {number} i
 * @param {{left: number, across: number, y: number, high: number}} at
 */
function drawOut(paint, cell, look, i, { left, across, y, high }) {
  if (look.ghosts[i] === 0 || cell.count === 0) return;
  const dashed = { "stroke-dasharray": "4 3", "stroke-width": 1.5, fill: paint.colours.paper };
  const [x, wide] = [left + across * look.starts[i], across * cell.scored];
  const more = { ...dashed, opacity: look.ghosts[i], "data-out": i };
  if (look.pointer !== null)
    return paint.outline(
      left + across + 0.2 * high,
      y + 0.48 * high,
      0.4 * high,
      0.04 * high,
      "rejected",
      more,
    );
  paint.outline(x, y + 0.14 * high, wide, 0.72 * high, "rejected", more);
}

/**
 * Top-p's limit, through the rows that it cuts, with its name.
 * @param {import("./paint.js").Paint} paint
 * @param {PictureStep} step
 * @param {PictureMoment} look
 * @param {PictureShape} shape
 * @param {{left: number, across: number, top: number}} at
 */
function drawEdge(paint, { edge, cells }, { edge: opacity }, { row: high, type }, { left, across, top }) {
  if (edge === null || opacity === 0) return;
  const [x, from, to] = [
    left + across * edge.at,
    top + (cells.length - edge.nOut) * high,
    top + cells.length * high,
  ];
  paint.line(x, from, x, to, "stage", { "stroke-dasharray": "6 4", opacity, "data-edge": "" });
  const name = `${SETTINGS.top_p.title} ${formatSetting(edge.at)}`;
  const isBefore = paint.measure(name, 0.72 * type) + 8 < x - left;
  const look = { anchor: isBefore ? "end" : "start", weight: 600, opacity };
  paint.words(name, isBefore ? x - 8 : x + 8, to - 0.35 * high, 0.72 * type, look);
}

/**
 * The draw bar and the pointer; returns where the chosen segment lies.
 * @param {import("./paint.js").Paint} paint
 * @param {BarsView} view
 * @param {PictureStep} step
 * @param {PictureMoment} look
 * @param {PictureShape} shape
 * @param {{left: number, across: number, top: number, foot: number}} at
 */
function drawBar(paint, view, { result }, look, { row: high, type }, { left, across, top, foot }) {
  const thick = 1.3 * high;
  paint.outline(left, foot, across, thick, "line", { "stroke-width": 1, fill: paint.colours.raised });
  let chosen = { x: left, y: foot, width: 0, label: "" };
  const pointer = look.pointer === null ? null : view.pointer;
  for (const part of look.bar > 0 ? segmentsOf(view, result) : []) {
    const { id, from, width } = part;
    const [x, wide] = [left + across * from, across * width];
    const label = id === null ? "" : shorten(view.label(id), 16);
    const isChosen = id !== null && id === view.chosenId;
    paint.box(x, foot, wide, thick, "kept", { opacity: look.bar });
    paint.line(x + wide, foot, x + wide, foot + thick, "paper", { "stroke-width": 1 });
    const [a, b] = roomBeside(part, pointer);
    if (paint.measure(label, 0.85 * type, "read") + 12 < across * (b - a)) {
      const words = { anchor: "middle", face: "read", role: "kept-ink", opacity: look.bar };
      paint.words(label, left + across * (a + b) / 2, foot + 0.6 * thick, 0.85 * type, words);
    }
    if (isChosen) chosen = { x, y: foot, width: wide, label };
  }
  if (pointer === null || look.pointer === null) return chosen;
  if (look.pointer === 1)
    paint.outline(chosen.x, foot, Math.max(2, chosen.width), thick, "chosen", { "stroke-width": 3 });
  const at = left + across * pointer * look.pointer;
  paint.line(at, top - 4, at, foot + thick, "pointer", { "stroke-width": 3, "data-pointer": "" });
  paint.add("path", { d: `M${at - 9} ${foot + thick + 11}h18l-9 -13z`, fill: paint.colours.pointer });
  if (look.pointer === 1)
    paint.words(formatPointer(pointer), at, foot + thick + 0.5 * high + 0.9 * type, 0.9 * type, {
      anchor: "middle",
      weight: 600,
    });
  return chosen;
}
