// The matrix: a row for each token, a column for each strategy, all on the same raw logits. Built once;
// a repaint only writes what changed.

import { createRow } from "./bar_row.js";
import { el, setAttribute } from "../../frame/live/dom.js";
import { COLUMNS, createHead } from "./column_headers.js";
import { chooseRows, cumulativeMass, N_TOKEN_ROWS, readColumn } from "./rows.js";
import { drawnToken, lastStage } from "../../frame/live/strategies.js";

/** Makes the matrix. @param {Actions} actions */
export function createMatrix(actions) {
  const heads = COLUMNS.map((column) => createHead(column, actions));
  const corner = el("th", { scope: "col", class: "bars-corner" }, "next token");
  const rows = Array.from({ length: N_TOKEN_ROWS + 1 }, (_, i) => createRow(i === N_TOKEN_ROWS, actions));
  const table = el(
    "table",
    { class: "bars-table", "aria-label": "Probability of the next token" },
    el("thead", {}, el("tr", {}, corner, ...heads.map((head) => head.element))),
    el("tbody", {}, ...rows.map((row) => row.element)),
  );

  /** Draws the columns that show, of which there are results; the active one's bars alone, or all. */
  function update(view, results, fullBar, isAlone) {
    const active = results.get("active");
    const drawn = drawnToken(active, view.coin);
    const tokens = chooseRows(active, view.chosenId ?? drawn?.id ?? null, isAlone);
    const sums = cumulativeMass(active, tokens, drawn);
    const where = { coin: view.coin, nVocab: view.distribution.nVocab };
    rows.forEach((row, i) => {
      row.setToken(tokens[i] ?? null, view, where.nVocab - tokens.length);
      row.setSum(tokens[i] ? sums.get(tokens[i].id) : undefined);
    });
    rows.at(-1).offer(view, active);
    COLUMNS.forEach(({ name }, c) => {
      const result = results.get(name);
      if (result) heads[c].update(view, result);
      if (!result || (isAlone && result !== active)) return;
      const column = readColumn(result, tokens, where);
      updateCells(rows, c, column, { tokens, fullBar, isCutShown: isCutShown(name) });
    });
    if (!isAlone) drawMinPLimit(table, view.controls.min_p, results.get("min_p"), fullBar);
  }
  return { table, update };
}

function updateCells(rows, c, column, { tokens, fullBar, isCutShown }) {
  rows.forEach((row, i) => {
    const cell = column.cells[i === N_TOKEN_ROWS ? tokens.length : i];
    if (cell) row.cells[c].update(cell, fullBar, isCutShown ? boundaryAt(i, column, tokens) : null);
  });
}

/** Min-p's threshold is a length: a bar that does not reach it is rejected. */
function drawMinPLimit(table, minP, result, fullBar) {
  const limit = minP * lastStage(result).probs[result.order[0]];
  table.style.setProperty("--min-p-limit", `${Math.min(100, (100 * limit) / fullBar)}%`);
  setAttribute(table, "data-min-p", limit > 0 ? "on" : null);
}

/** A mask alone shows its cut; greedy's is plain, and penalties can scatter what is active. */
function isCutShown(name) {
  return !["raw", "greedy", "active"].includes(name);
}

/** Whether a mask's cut lies right under a row ("under"), or among the other tokens ("inside"). */
function boundaryAt(row, { boundaryId }, tokens) {
  if (boundaryId === null) return null;
  if (row < N_TOKEN_ROWS) return tokens[row]?.id === boundaryId ? "under" : null;
  return tokens.some(({ id }) => id === boundaryId) ? null : "inside";
}
