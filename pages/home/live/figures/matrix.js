// The matrix: a row for each token, a column for each strategy, all on the same raw logits and the same axis
// from 0 to 100 %. Built once; a repaint only writes what changed.

import { createRow } from "./bar_row.js";
import { changedBy } from "./beat_words.js";
import { CUT, READ, SCORE } from "./beats.js";
import { el, setAttribute } from "../../../frame/live/dom.js";
import { COLUMNS, createHead } from "./column_headers.js";
import {
  chooseRows,
  cumulativeMass,
  layEndToEnd,
  loneOther,
  N_TOKEN_ROWS,
  readColumn,
  startsBefore,
  topPEdge,
} from "./rows.js";
import { drawnToken, lastStage } from "../../../frame/live/strategies.js";
import { required } from "../../../frame/live/required.js";
import { _ } from "../../../frame/live/words.js";

/** Makes the matrix. @param {Actions} actions */
export function createMatrix(actions) {
  const heads = COLUMNS.map((column) => createHead(column));
  const named = el("span", { class: "bars-entropy-name" }, _("entropy"));
  const corner = el("th", { scope: "col", class: "bars-corner" }, named, _("next token"));
  // all other tokens, or those of them that stay and those that are out
  const rests = [createRow(true, actions), createRow(true, actions)];
  const rows = [...Array.from({ length: N_TOKEN_ROWS }, () => createRow(false, actions)), ...rests];
  const table = el(
    "table",
    { class: "bars-table", "aria-label": _("Probability of the next token") },
    el("thead", {}, el("tr", {}, corner, ...heads.map((head) => head.element))),
    el("tbody", {}, ...rows.map((row) => row.element)),
  );

  /**
   * Draws the columns that show, of which there are results; the active one's bars alone, or all.
   * @param {BarsView} view
   * @param {Map<string, Result>} results
   * @param {boolean} isAlone
   * @param {boolean} isTouched top-p is: the rows lie end to end, and its limit is a line through them
   * @param {boolean} isUncut where top-p cuts, the rows lie as they lay before, and its limit goes through all
   * @returns {Picture} what the active column shows, for what moves
   */
  function update(view, results, isAlone, isTouched, isUncut) {
    const active = required(results.get("active"), "active column");
    const drawn = drawnToken(active, view.pointer);
    const tokens = chooseRows(active, view, isAlone);
    const sums = cumulativeMass(active, tokens, drawn);
    const where = { pointer: view.pointer, nVocab: view.distribution.nVocab };
    rows.forEach((row, i) => {
      if (i < N_TOKEN_ROWS) row.setToken(tokens[i] ?? null, view);
      row.setSum(tokens[i] ? sums.get(tokens[i].id) : undefined);
    });
    const restOf = isAlone ? view.beat > 0 && view.beat < CUT ? "uncut" : "cut" : "one";
    /** @type {Picture|null} */
    let picture = null;
    COLUMNS.forEach(({ name }, c) => {
      const result = results.get(name);
      if (result) heads[c].update(view, result);
      if (!result || (isAlone && result !== active)) return;
      const { cells, boundaryId } = readColumn(result, tokens, where, restOf);
      const starts = startsBefore(cells);
      const limit = isAlone && isUncut && view.beat === 0 ? topPEdge(active, view.settings, cells) : null;
      const pieces = limit ? layUncut(cells, starts) : layEndToEnd(cells, tokens, sums);
      const isStairs = isAlone && (limit !== null || isLaidEndToEnd(view, active, isTouched));
      const boundary = isCutShown(name) ? boundaryId : null;
      rows.forEach((row, i) => {
        const k = i < N_TOKEN_ROWS ? i : i - N_TOKEN_ROWS + tokens.length;
        if (k >= cells.length || (i < N_TOKEN_ROWS && k >= tokens.length)) return;
        const look = {
          share: shareOf(view),
          pieces: isStairs ? pieces[k] : null,
          start: starts[k],
          isUncut: limit !== null,
          was: isAlone ? shareBefore(view) : null,
          changedBy: i === 0 ? changedBy(view, active) : "",
        };
        row.cells[c].update(cells[k], look, boundaryAt(i, boundary, tokens));
      });
      if (result !== active) return;
      const hasOthers = where.nVocab > tokens.length;
      rests.forEach((row, i) => {
        const rest = hasOthers ? cells[tokens.length + i] : undefined;
        row.setCount(rest?.count ?? null, view, active, loneOther(active, tokens, rest));
      });
      const isEdgeShown = isStairs && (view.beat === CUT || isTouched);
      const edge = limit !== null
        ? { ...limit, isWhole: true }
        : isEdgeShown
        ? topPEdge(active, view.settings, cells)
        : null;
      picture = { cells, pieces, tokens, shown: shownCells(rows, tokens, c), isStairs, edge };
    });
    if (!isAlone)
      drawMinPLimit(table, view.controls.min_p, required(results.get("min_p"), "column of min-p"));
    return required(picture, "active column");
  }
  return { table, heads, update };
}

/** What is kept, end to end as it lay before the cut. @param {Cell[]} cells @param {number[]} starts @returns {Span[][]} */
const layUncut = (cells, starts) =>
  cells.map(({ isKept, scored }, i) => isKept && scored > 0 ? [[starts[i], starts[i] + scored]] : []);

/**
 * Min-p's threshold is a length: a bar that does not reach it is out.
 * @param {HTMLElement} table
 * @param {number} minP
 * @param {Result} result
 */
function drawMinPLimit(table, minP, result) {
  const limit = minP * lastStage(result).probs[result.order[0]];
  table.style.setProperty("--min-p-limit", `${100 * limit}%`);
  setAttribute(table, "data-min-p", limit > 0 ? "on" : null);
}

/**
 * The cells of a column, in the order of the rows.
 * @param {ReturnType<typeof createRow>[]} rows
 * @param {{id: number}[]} tokens
 * @param {number} c
 */
function shownCells(rows, tokens, c) {
  return [...rows.slice(0, tokens.length), ...rows.slice(N_TOKEN_ROWS)].map((row) => row.cells[c]);
}

/**
 * Left-aligned while one compares; end to end once a pointer has fallen, so that it crosses what it takes.
 * @param {View} view
 * @param {Result} active
 * @param {boolean} isTouched
 */
function isLaidEndToEnd(view, active, isTouched) {
  if (lastStage(active).name === "greedy") return false;
  return view.beat > 0 ? view.beat > SCORE : isTouched || view.pointer !== null;
}

/**
 * Which share of a token shows: that which is drawn from, unless the step is played slowly.
 * @param {View} view
 * @returns {Look["share"]}
 */
function shareOf({ beat }) {
  if (beat === READ) return "none";
  return beat === SCORE ? "scored" : "prob";
}

/**
 * Which share a token had before this beat changed it.
 * @param {View} view
 * @returns {Look["was"]}
 */
function shareBefore({ beat }) {
  if (beat === SCORE) return "raw";
  return beat === CUT ? "scored" : null;
}

/**
 * A mask alone shows its cut; greedy's is plain, and penalties can scatter what is active.
 * @param {string} name
 */
function isCutShown(name) {
  return !["raw", "greedy", "active"].includes(name);
}

/**
 * Whether a mask's cut lies right under a row ("under"), or among the other tokens ("inside").
 * @param {number} row
 * @param {number|null} boundaryId
 * @param {{id: number}[]} tokens
 */
function boundaryAt(row, boundaryId, tokens) {
  if (boundaryId === null) return null;
  if (row < N_TOKEN_ROWS) return tokens[row]?.id === boundaryId ? "under" : null;
  return tokens.some(({ id }) => id === boundaryId) ? null : "inside";
}
