// One step in a picture to save: the text, the rows and the draw bar on one axis from 0 to 100 %, and the pointer
// through all of them; or one of its five beats at any moment of its motion.

import { quoted, shorten } from "../../../frame/live/dom.js";
import { formatCount } from "../../../frame/live/format.js";
import { activeResult, drawnToken, lastStage } from "../../../frame/live/strategies.js";
import { sentenceOf } from "./beat_words.js";
import { APPEND, BEAT_NAMES, BEATS, CUT, DRAW, READ, SCORE } from "./beats.js";
import { bottomOf, drawRows, LARGE } from "./picture_rows.js";
import { drawText } from "./picture_text.js";
import { sharesInWords, tokensRead } from "./reading.js";
import {
  chooseRows,
  cumulativeMass,
  layEndToEnd,
  loneOther,
  readColumn,
  startsBefore,
  topPEdge,
} from "./rows.js";
import { _ } from "../../../frame/live/words.js";

/**
 * The step that a picture shows: the one on the screen, else the last that was drawn, else the one to come.
 * @param {BarsView} view
 * @returns {BarsView}
 */
export function stepOf(view) {
  if (view.isDrawn && view.pointer !== null) return view;
  const { header, lastDrawn } = view;
  const position = header.ids.length - 1;
  const asDrawn = { isDrawn: true, isBeforeDraw: false };
  if (lastDrawn?.position !== position || lastDrawn.pointer === null || lastDrawn.distribution === null) {
    const { contextIds, toss: pointer } = view;
    const ids = header.next_id === null ? contextIds : [...contextIds, header.next_id];
    return { ...view, ...asDrawn, pointer, chosenId: header.next_id, forced: false, ids };
  }
  const { distribution, pointer, memory, settings } = lastDrawn;
  const last = {
    distribution,
    position,
    pointer,
    memory,
    settings: settings ?? view.settings,
    toss: pointer,
  };
  const chosen = { chosenId: header.ids[position], forced: header.steps.forced.at(-1) ?? false };
  const texts = { contextIds: header.ids.slice(0, position), ids: header.ids };
  return { ...view, ...last, ...chosen, ...texts, ...asDrawn };
}

/** What the rows of a step show. @param {BarsView} view @param {boolean} isCut @returns {PictureStep} */
function readStep(view, isCut) {
  const { nVocab } = view.distribution;
  const result = activeResult(view);
  const drawn = drawnToken(result, view.pointer);
  const rows = chooseRows(result, view, true);
  const where = { pointer: view.pointer, nVocab };
  const { cells } = readColumn(result, rows, where, isCut ? "cut" : "uncut");
  const isGreedy = lastStage(result).name === "greedy";
  /** @type {Span[][]} */
  const pieces = isGreedy
    ? cells.map(({ prob }) => [[0, prob]])
    : layEndToEnd(cells, rows, cumulativeMass(result, rows, drawn));
  const rests = cells.slice(rows.length).map((rest) => {
    const lone = loneOther(result, rows, rest);
    if (lone !== null) return shorten(view.label(lone), 14);
    return rest.count ? _("{number} more", { number: formatCount(rest.count) }) : "";
  });
  const labels = [...rows.map(({ id }) => shorten(view.label(id), 14)), ...rests];
  const ids = rows.map(({ id }) => id);
  const edge = topPEdge(result, view.settings, cells);
  return { result, cells, pieces, labels, ids, edge, isStill: isGreedy };
}

/**
 * Draws a step as the page shows it.
 * @param {import("./paint.js").Paint} paint
 * @param {BarsView} view
 * @param {{x: number, y: number}} at
 * @returns {number} where it ends
 */
export function drawStep(paint, view, at) {
  const step = readStep(view, true);
  const isLaid = view.pointer !== null && !step.isStill;
  const none = step.cells.map(() => 0);
  const look = isLaid
    ? looks(step, DRAW, 1)
    : { ...looks(step, CUT, 1), pieces: flat(step), starts: none, edge: 0, bar: 1 };
  const { bottom } = drawText(paint, view, {
    ...at,
    width: LARGE.width,
    size: LARGE.text,
    nLines: LARGE.nLines,
  });
  return drawRows(paint, view, step, look, LARGE, { x: at.x, y: bottom + 14 }).bottom;
}

/**
 * Draws one beat of a step, its word and its sentence first.
 * @param {import("./paint.js").Paint} paint
 * @param {BarsView} view what stepOf returned
 * @param {number} beat 1 to 5
 * @param {number} t from 0, when it begins, to 1
 * @param {PictureShape} shape
 * @param {{x: number, y: number}} at
 */
export function drawBeat(paint, view, beat, t, shape, { x, y }) {
  const { width, type, text: size, nLines } = shape;
  const step = readStep(view, beat >= CUT);
  paint.words(`${beat}  ${BEAT_NAMES[BEATS[beat - 1]]}`, x, y + 1.3 * type, 1.3 * type, { weight: 700 });
  const sentence = quoted(sentenceOf(beat, view, step.result));
  paint.wrap(sentence, type, width).slice(0, shape.nWords)
    .forEach((line, i) => paint.words(line, x, y + (2.9 + 1.3 * i) * type, type));
  const top = y + (2.3 + 1.3 * shape.nWords) * type;
  const isWhole = beat === APPEND && t === 1;
  const shown = isWhole ? view : { ...view, ids: view.contextIds };
  const n = shown.ids.length;
  const isLighting = beat === READ && t < 1;
  /** @param {number} i */
  const lit = (i) => isLighting ? Math.max(0, 1 - Math.abs(t * (n + 2) - i - 1) / 2) : 0;
  const { bottom, slot } = drawText(paint, shown, { x, y: top, width, size, nLines }, lit);
  if (!isWhole)
    paint.outline(slot.x, slot.y, 2 * size, 1.4 * size, "muted", { "stroke-dasharray": "5 4", rx: 5 });
  if (beat === READ) {
    const end = bottomOf(step, shape, bottom + 10);
    drawPass(paint, view, t, shape, { x, top: bottom + 10, bottom: end });
    return end;
  }
  const painted = drawRows(paint, view, step, looks(step, beat, t), shape, { x, y: bottom + 10 });
  if (beat === APPEND && t < 1) drawFlight(paint, view, painted.chosen, slot, t, shape);
  return painted.bottom;
}

/**
 * What is seen of every row, and of the draw bar, at a moment of a beat.
 * @param {PictureStep} step
 * @param {number} beat
 * @param {number} t
 * @returns {PictureMoment}
 */
function looks(step, beat, t) {
  const { cells, pieces } = step;
  const eased = t * t * (3 - 2 * t);
  /** @param {number} from @param {number} to */
  const part = (from, to) => Math.min(1, Math.max(0, (eased - from) / (to - from)));
  const none = cells.map(() => 0);
  const starts = step.isStill ? none : startsBefore(cells);
  const still = { pieces, starts, fade: none, ghosts: none, edge: 0, bar: 0, pointer: null, isScored: false };
  if (beat === SCORE) {
    const shares = cells.map(({ raw, scored }) => part(0, 0.6) * (raw + part(0.6, 1) * (scored - raw)));
    return { ...still, pieces: shares.map((share) => [[0, share]]), isScored: true };
  }
  if (beat === CUT) return cutAt(step, still, part);
  const pointer = beat === DRAW ? part(0.3, 1) : 1;
  return { ...still, ghosts: ghostsOf(cells, 1), bar: beat === DRAW ? part(0, 0.4) : 1, pointer };
}

/**
 * The rows slide end to end; what is out goes, and what stays grows to the whole axis.
 * @param {PictureStep} step
 * @param {PictureMoment} still
 * @param {(from: number, to: number) => number} part
 * @returns {PictureMoment}
 */
function cutAt({ cells, pieces, isStill }, still, part) {
  const [slid, gone, grown] = [part(0, 0.35), part(0.35, 0.6), part(0.6, 1)];
  const starts = startsBefore(cells);
  const now = cells.map(({ scored, isKept }, i) => {
    const from = isStill ? 0 : starts[i] * slid;
    /** @type {Span} */
    const there = [from, from + scored];
    if (!isKept || pieces[i].length !== 1) return grown === 1 ? pieces[i] : [there];
    const grow = (/** @type {0|1} */ k) => there[k] + grown * (pieces[i][0][k] - there[k]);
    return [/** @type {Span} */ ([grow(0), grow(1)])];
  });
  return {
    ...still,
    pieces: now.map((piece, i) => gone === 1 && !cells[i].isKept ? [] : piece),
    fade: cells.map(({ isKept }) => isKept ? 0 : gone),
    ghosts: ghostsOf(cells, grown),
    edge: isStill ? 0 : slid,
    isScored: grown < 1,
  };
}

/** @param {Cell[]} cells @param {number} opacity */
const ghostsOf = (cells, opacity) => cells.map(({ isKept }) => isKept ? 0 : opacity);
/** @param {PictureStep} step @returns {Span[][]} */
const flat = ({ cells }) => cells.map(({ isKept, prob }) => isKept ? [[0, prob]] : []);

/**
 * The pass: the tokens go into the model together, and a share for each token that it knows comes out.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {number} t
 * @param {PictureShape} shape
 * @param {{x: number, top: number, bottom: number}} at
 */
function drawPass(paint, view, t, { width, type }, { x, top, bottom }) {
  const { names, isCut } = tokensRead(view);
  const tokens = [...isCut ? ["…"] : [], ...names].map((name) => shorten(name, 12));
  const [model, shares] = [shorten(view.header.model.name, 14), sharesInWords(view)];
  const [high, gap, arrow, middle] = [1.7 * type, 0.6 * type, 1.6 * type, (top + bottom) / 2];
  const widest = Math.max(...tokens.map((token) => paint.measure(token, type, "read"))) + gap;
  const boxed = 1.15 * paint.measure(model, type) + 2 * gap; // it is bold
  const words = 1.15 * paint.measure(shares, 0.9 * type);
  let left = x + Math.max(0, (width - widest - boxed - words - 2 * arrow - 4 * gap) / 2);
  const first = middle - tokens.length * high / 2;
  tokens.forEach((token, i) => {
    paint.box(left, first + i * high, widest, 1.4 * type, "stage-tint", { rx: 4 });
    paint.words(token, left + gap / 2, first + i * high + 1.04 * type, type, { face: "read" });
  });
  const passed = (/** @type {number} */ from) => Math.min(1, Math.max(0, (t - from) / 0.3));
  const drawArrow = (/** @type {number} */ opacity) => {
    const [end, tip] = [left + arrow, 0.3 * type];
    paint.line(left, middle, end - tip, middle, "muted", { opacity });
    const d = `M${end} ${middle}l${-1.5 * tip} ${-tip}v${2 * tip}z`;
    paint.add("path", { d, fill: paint.colours.muted, opacity });
    left = end + gap;
  };
  left += widest + gap;
  drawArrow(passed(0.2));
  paint.outline(left, middle - 2 * type, boxed, 4 * type, "ink", { rx: 6 });
  paint.words(model, left + boxed / 2, middle + 0.35 * type, type, { anchor: "middle", weight: 600 });
  left += boxed + gap;
  drawArrow(passed(0.6));
  paint.words(shares, left, middle + 0.32 * type, 0.9 * type, { weight: 600, opacity: passed(0.7) });
}

/**
 * The segment on its way to the text's empty place.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {number} t
 * @param {PictureShape} shape
 */
function drawFlight(paint, view, from, to, t, { text: size }) {
  const eased = t * t * (3 - 2 * t);
  const label = shorten(view.chosenId === null ? "" : view.label(view.chosenId), 16);
  const [x, y] = [from.x + eased * (to.x - from.x), from.y + eased * (to.y - from.y)];
  const wide = paint.measure(label, size, "read") + 10;
  paint.box(x, y, wide, 1.4 * size, "generated-tint", { rx: 4 });
  paint.words(label, x + 5, y + 1.04 * size, size, { face: "read" });
}
