// The rows of the bars: which tokens they show, and what every strategy makes of each.

import { drawnToken, lastStage, scoredStage, waitsForPython } from "../../../frame/live/strategies.js";

/** Tokens that are shown one by one, at most; the rest share the last row, or what is left of them and what is out. */
export const N_TOKEN_ROWS = 10;
export const N_LARGE_ROWS = 5; // where one distribution stands alone, in large type
const MIN_PIECE = 1e-9; // of the axis
const SURE_DIFFERENCE = 1e-6;
const NONE = { isHeld: true, isKept: false, prob: 0, raw: 0, scored: 0, count: 0 };

/**
 * Chooses the tokens to show: the best by raw logit, in that order. The last ones give way to the best active
 * one, to the token that was chosen, or on which the pointer falls, and to the one that the reader guessed, which
 * in large type has a row of its own.
 * @param {Result} active result of the active masks
 * @param {View} view
 * @param {boolean} isLarge fewer of them, for one distribution alone
 * @returns {{id: number, rank: number}[]} rank 0 is the best raw logit, -1 is one not held
 */
export function chooseRows(active, view, isLarge) {
  const nShown = Math.min(isLarge ? N_LARGE_ROWS : N_TOKEN_ROWS, active.order.length);
  const drawnId = drawnToken(active, view.pointer)?.id ?? null;
  const guess = guessedId(active, view);
  const wanted = [active.idOf(active.order[0]), view.chosenId ?? drawnId, isLarge ? null : guess];
  const ids = new Set(wanted.filter((id) => id !== null));
  for (let row = 0; ids.size < nShown; row += 1) ids.add(active.idOf(row)); // rows are raw ranks
  if (guess !== null) ids.add(guess);
  const place = ({ rank = 0 }) => rank < 0 ? active.order.length : rank;
  return [...ids].map((id) => ({ id, rank: active.rowOf(id) })).sort((a, b) => place(a) - place(b));
}

/** The token that the reader guessed, where the page holds it. @param {Result} active @param {View} view */
export function guessedId(active, { guess, label }) {
  if (!guess || guess.rank >= active.order.length) return null;
  const id = active.idOf(guess.rank);
  return label(id) === guess.label ? id : null;
}

/**
 * Reads one column: a cell for every row and one for all other tokens; or two, for those that stay and those
 * that are out, which are none before the cut.
 * @param {Result} result of the column's strategy
 * @param {{id: number}[]} rows
 * @param {{pointer: number|null, nVocab: number}} where
 * @param {"one"|"uncut"|"cut"} rest
 * @returns {{cells: Cell[], boundaryId: number|null}}
 */
export function readColumn(result, rows, { pointer, nVocab }, rest = "one") {
  const stage = lastStage(result);
  const raw = result.stages[0];
  const hasFallen = pointer !== null && stage.name !== "greedy" && !waitsForPython(result);
  const drawn = hasFallen ? drawnToken(result, pointer) : null;
  const scored = scoredStage(result);
  const cells = rows.map(({ id }) => readCell(result, { stage, raw, scored }, id, drawn));
  const shown = rows.map(({ id }) => result.rowOf(id));
  const tail = readTail(cells, { stage, raw, scored, shown }, nVocab);
  tail.bound = stage.tail.bound;
  tail.hasPointer = hasFallen && !cells.some((cell) => cell.hasPointer);
  const lost = rest === "cut" && !waitsForPython(result)
    ? readLost(tail, { stage, raw, scored, shown })
    : NONE;
  const kept = without(tail, lost);
  // a row of nothing stands last: no gap is left among the others
  const both = kept.count === 0 ? [lost, { ...NONE, count: 0 }] : [kept, lost];
  const others = rest === "one" ? [tail] : both;
  return { cells: [...cells, ...others], boundaryId: stage.boundaryId };
}

/**
 * The token that a last row stands for, where it is one alone that is drawn from: it has its name.
 * @param {Result} result
 * @param {{id: number}[]} rows
 * @param {Cell|undefined} rest
 */
export function loneOther(result, rows, rest) {
  if (rest?.count !== 1 || !rest.isKept) return null;
  const shown = new Set(rows.map(({ id }) => id));
  const { kept } = lastStage(result);
  const row = result.order.find((/** @type {number} */ row) =>
    kept[row] === 1 && !shown.has(result.idOf(row))
  );
  return row === undefined ? null : result.idOf(row);
}

/** Whether a distribution shows. @param {View} view @returns {view is BarsView} */
export const hasDistribution = (view) => view.distribution !== null;

/** @param {Result} result @param {StagesOfCell} stages @param {number} id @param {Drawn|null} drawn */
function readCell(result, { stage, raw, scored }, id, drawn) {
  const row = result.rowOf(id);
  const isKept = stage.kept[row] === 1;
  const prob = isKept ? stage.probs[row] : 0;
  const shares = { raw: raw.probs[row] ?? 0, scored: scored.probs[row] ?? 0 };
  return { isHeld: row >= 0, isKept, prob, ...shares, hasPointer: drawn?.id === id };
}

/** @param {Cell[]} cells @param {StagesOfCell & {shown: number[]}} stages @param {number} nVocab @returns {Cell} */
function readTail(cells, { stage, raw, scored, shown }, nVocab) {
  /** @param {"prob"|"raw"|"scored"} field @param {Float64Array} probs */
  const rest = (field, probs) => {
    const left = 1 - cells.reduce((sum, cell) => sum + cell[field], 0);
    // so close to 1 the difference is rounding: add up what is left, where all of it is held
    return left < SURE_DIFFERENCE && probs.length === nVocab ? sumBesides(probs, shown) : left;
  };
  const nKept = stage.nKept - cells.filter((cell) => cell.isKept).length;
  return {
    isHeld: true,
    isKept: nKept > 0,
    nKept,
    count: nVocab - cells.length,
    prob: nKept > 0 ? Math.max(0, rest("prob", stage.probs)) : 0,
    raw: Math.max(0, rest("raw", raw.probs)),
    scored: Math.max(0, rest("scored", scored.probs)),
  };
}

/**
 * What the masks took of the other tokens.
 * @param {Cell} tail
 * @param {StagesOfCell & {shown: number[]}} stages
 * @returns {Cell}
 */
function readLost({ count = 0, nKept = 0 }, { stage, raw, scored, shown }) {
  const isShown = new Set(shown);
  const sums = { raw: 0, scored: 0 };
  if (stage.keptTail === 0) Object.assign(sums, { raw: raw.tail.mass, scored: scored.tail.mass });
  stage.kept.forEach((isKept, row) => {
    if (isKept || isShown.has(row)) return;
    sums.raw += raw.probs[row];
    sums.scored += scored.probs[row];
  });
  return { ...NONE, ...sums, count: count - nKept };
}

/** @param {Cell} tail @param {Cell} lost @returns {Cell} */
function without(tail, lost) {
  const [raw, scored] = [Math.max(0, tail.raw - lost.raw), Math.max(0, tail.scored - lost.scored)];
  return { ...tail, raw, scored, count: (tail.count ?? 0) - (lost.count ?? 0) };
}

/** @param {Float64Array} probs @param {number[]} shown */
function sumBesides(probs, shown) {
  const isShown = new Set(shown);
  return probs.reduce((sum, prob, row) => (isShown.has(row) ? sum : sum + prob), 0);
}

/**
 * Sums the mass of every shown token and all better ones, in the order of the final scores.
 * @param {Result} result of the active masks
 * @param {{id: number}[]} rows
 * @param {{id: number, to: number}|null} drawn where the pointer falls, whose sum is known
 * @returns {Map<number, number>} by id; a token that is not kept has none
 */
export function cumulativeMass(result, rows, drawn) {
  const { probs, kept } = lastStage(result);
  const mass = new Map(drawn ? [[drawn.id, drawn.to]] : []);
  const others = rows.filter(({ id }) => !mass.has(id)).map(({ id }) => result.rowOf(id));
  const wanted = new Set(others.filter((row) => row >= 0 && kept[row]));
  let sum = 0;
  for (const row of result.order) {
    if (wanted.size === 0) break;
    sum += probs[row];
    if (wanted.delete(row)) mass.set(result.idOf(row), Math.min(1, sum));
  }
  return mass;
}

/**
 * Lays the cells of a column end to end, in the order of the draw: `pieces` of each are what it takes of the
 * axis from 0 to 1, as [from, to]. The cell after those of the rows takes what the others leave.
 * @param {Cell[]} cells
 * @param {{id: number}[]} rows
 * @param {Map<number, number>} sums what cumulativeMass returned
 * @returns {[number, number][][]}
 */
export function layEndToEnd(cells, rows, sums) {
  /** @type {([number, number]|null)[]} */
  const taken = rows.map(({ id }, i) => {
    const to = sums.get(id);
    return to === undefined || !cells[i].isKept ? null : [to - cells[i].prob, to];
  });
  const tail = cells[rows.length];
  const gaps = tail.isKept ? gapsBetween(taken.filter((piece) => piece !== null)) : [];
  const pieces = [...taken.map((piece) => piece === null ? [] : [piece]), gaps];
  return cells.map((_, i) => pieces[i] ?? []);
}

/**
 * Where each cell began before the cut, when all shares lay end to end: what is out lay behind what stays.
 * @param {Cell[]} cells
 * @returns {number[]}
 */
export function startsBefore(cells) {
  const starts = cells.map(() => 0);
  let sum = 0;
  for (const stays of [true, false])
    cells.forEach(({ isKept, scored }, i) => {
      if (isKept !== stays) return;
      starts[i] = sum;
      sum += scored;
    });
  return starts;
}

/**
 * Top-p's limit, on the axis of the shares that it cuts: all that is out lies behind it. Null where it cuts
 * nothing, or shares that another mask has cut before.
 * @param {Result} result
 * @param {Settings} settings
 * @param {Cell[]} cells
 * @returns {{at: number, nOut: number}|null} `nOut` is the number of the last rows, which are out
 */
export function topPEdge(result, { top_p: at }, cells) {
  const last = lastStage(result);
  const isAlone = result.stages.at(-2) === scoredStage(result);
  if (last.name !== "top_p" || !isAlone || last.removedMass <= 0 || last.reachesTail) return null;
  const starts = startsBefore(cells);
  /** @type {(cell: Cell) => boolean} */
  const isOut = ({ isKept, count }) => !isKept && count !== 0;
  const isBehind = cells.every((cell, i) => !isOut(cell) || starts[i] >= at - SURE_DIFFERENCE);
  const behind = cells.slice(cells.findLastIndex(({ isKept }) => isKept) + 1);
  return isBehind && behind.some(isOut) ? { at, nOut: behind.length } : null;
}

/** @param {Span[]} pieces */
function gapsBetween(pieces) {
  /** @type {[number, number][]} */
  const gaps = [];
  let at = 0;
  for (const [from, to] of [...pieces.sort((a, b) => a[0] - b[0]), [1, 1]]) {
    if (from - at > MIN_PIECE) gaps.push([at, from]);
    at = Math.max(at, to);
  }
  return gaps;
}
