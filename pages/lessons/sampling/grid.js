// A grid of bars: a row for each token, a column for each pipeline, all on the same raw logits. Built
// once; a repaint writes only what changed. It knows nothing of what the columns mean.

import { createAxis, createBarCell } from "../../frame/live/bar_cell.js";
import { el, setAttribute, setShown, setText, shorten } from "../../frame/live/dom.js";
import { formatCount, formatProbability } from "../../frame/live/format.js";
import { lastStage, waitsForPython } from "../../frame/live/strategies.js";

/** Tokens that are shown one by one; the rest share the last row. */
const N_LAB_ROWS = 11;

/**
 * Makes a grid.
 * @param {string} name of the table, for who hears the page
 * @param {{name: string, element: HTMLElement}[]} heads one for each column
 * @returns {{element: HTMLElement, update(view: LabView, results: Result[], nShown?: number): void}}
 */
export function createGrid(name, heads) {
  const rows = Array.from({ length: N_LAB_ROWS + 1 }, (_, i) => createGridRow(heads, i));
  const corner = el("th", { scope: "col", class: "lab-corner" }, "next token");
  const table = el(
    "table",
    { class: "lab-table", "aria-label": name },
    el("thead", {}, el("tr", {}, corner, ...heads.map((head) => withAxis(head.element)))),
    el("tbody", {}, ...rows.map((row) => row.element)),
  );
  const element = el("div", { class: "lab-scroll", tabIndex: 0, role: "group" }, table);
  element.setAttribute("aria-label", `${name}: scrolls sideways where it is narrow`);

  /** @param {LabView} view @param {Result[]} results */
  function update(view, results, nColumns = heads.length) {
    heads.forEach((head, c) => setShown(head.element, c < nColumns));
    const { nVocab, nRows, ids } = view.distribution;
    const nShown = Math.min(N_LAB_ROWS, nRows);
    rows.forEach((row, i) => {
      const isRest = i === N_LAB_ROWS;
      setShown(row.element, isRest ? nVocab > nShown : i < nShown);
      if (row.element.hidden) {
        setAttribute(row.element, "data-parted", null);
        return;
      }
      const words = isRest ? `${formatCount(nVocab - nShown)} others` : view.label(ids[i]);
      row.setLabel(words);
      const cells = results.map((result) => readGridCell(result, isRest ? null : i, nShown));
      const isParted = new Set(cells.map((cell) => cell.isKept && cell.nKept)).size > 1;
      setAttribute(row.element, "data-parted", isParted);
      row.cells.forEach((cell, c) => {
        setShown(cell.element, c < nColumns);
        cell.update(cells[c]);
      });
    });
  }
  return { element, update };
}

/** Under each head stands the one axis of its column. @param {HTMLElement} head */
function withAxis(head) {
  head.append(createAxis());
  return head;
}

/** @param {{ name: string, element: HTMLElement }[]} heads @param {number} i */
function createGridRow(heads, i) {
  const label = el("span", { class: "lab-label" });
  const cells = heads.map((head) => createGridCell(head.name));
  const element = el(
    "tr",
    { class: i === N_LAB_ROWS ? "lab-row lab-rest" : "lab-row" },
    el("th", { scope: "row", translate: false }, label),
    ...cells.map((cell) => cell.element),
  );
  /** @param {string} words */
  function setLabel(words) {
    setText(label, shorten(words, 18));
    setAttribute(label, "title", words);
  }
  return { element, cells, setLabel };
}

/** @param {string} name */
function createGridCell(name) {
  const { track, number, show } = createBarCell();
  const element = el("td", {}, el("span", { class: "bar-cell" }, track, number));
  element.dataset.col = name;
  /** @param {ReturnType<typeof readGridCell>} given */
  function update({ isKept, isUnknown, isLast, prob }) {
    show(prob, { out: isKept ? null : prob, words: isUnknown ? "…" : null });
    setAttribute(element, "data-state", isKept ? "kept" : "rejected");
    setAttribute(element, "data-boundary", isLast ? "under" : null);
    setAttribute(element, "aria-label", isKept ? null : `out, raw ${formatProbability(prob)}`);
  }
  return { element, update };
}

/**
 * What a pipeline makes of one row: its probability, or the raw one where it is cut.
 * @param {Result} result
 * @param {number | null} row
 * @param {number} nShown
 */
function readGridCell(result, row, nShown) {
  const raw = result.stages[0];
  const last = lastStage(result);
  const isUnknown = waitsForPython(result);
  if (row !== null) {
    const isKept = last.kept[row] === 1;
    const isLast = isKept && isPrefixCut(result) && result.idOf(row) === last.boundaryId;
    return { isKept, isUnknown, isLast, nKept: 1, prob: (isKept ? last : raw).probs[row] };
  }
  const nKept = last.nKept - last.kept.subarray(0, nShown).reduce((sum, kept) => sum + kept, 0);
  const isKept = nKept > 0;
  const { probs } = isKept ? last : raw;
  const shown = probs.subarray(0, nShown).reduce((sum, prob) => sum + prob, 0);
  return { isKept, isUnknown, isLast: false, nKept, prob: Math.max(0, 1 - shown) };
}

/** Whether a mask keeps the best and cuts the rest, so that one line parts the two. @param {Result} given */
function isPrefixCut({ stages }) {
  return !stages.some(({ name }) => name === "greedy" || name === "typical_p");
}
