// One row of the bars: a token, and what every strategy makes of it.

import { spoken } from "../../../frame/live/aloud.js";
import {
  createButton,
  el,
  quote,
  setAttribute,
  setShown,
  setText,
  tokenParts,
} from "../../../frame/live/dom.js";
import { formatCount, formatCumulative, formatProbability } from "../../../frame/live/format.js";
import { createBarCell } from "../../../frame/live/bar_cell.js";
import { isDrawShown } from "./beats.js";
import { COLUMNS } from "./column_headers.js";
import { N_TOKEN_ROWS } from "./rows.js";
import { createOthers } from "./others.js";
import { _ } from "../../../frame/live/words.js";

const MAX_END = 0.7; // of the axis: behind it a number has room beside a bar

/**
 * Makes a row; pressing it forces its token. A tail stands for many tokens together.
 * @param {boolean} isTail
 * @param {Actions} actions
 */
export function createRow(isTail, actions) {
  const others = isTail ? createOthers(actions) : null;
  const label = others?.button ?? createButton("bars-label");
  if (!isTail) setAttribute(label, "aria-description", _("press to choose it"));
  label.translate = false;
  const rank = el("span", { class: "bars-rank" });
  const cells = COLUMNS.map(({ name }) => createCell(name));
  const element = el(
    "tr",
    { class: isTail ? "bars-tail" : "bars-row" },
    el("th", { scope: "row" }, label, rank, others?.menu ?? null),
    ...cells.map((cell) => cell.element),
  );
  /** @type {string|null} */
  let shownLabel = null;
  if (!isTail) element.addEventListener("click", () => actions.force(Number(element.dataset.id)));

  /**
   * @param {number|null} count of the tokens of a tail; null: it has no room
   * @param {BarsView} view
   * @param {Result} result
   * @param {number|null} loneId the one token of the tail
   */
  function setCount(count, view, result, loneId) {
    setShown(element, count !== null);
    setAttribute(element, "data-none", count === 0);
    setAttribute(element, "data-lone", loneId);
    const words = loneId === null
      ? _("{number} more", { number: formatCount(count ?? 0) })
      : view.label(loneId);
    if (words !== shownLabel) label.replaceChildren(...(loneId === null ? [words] : tokenParts(words)));
    shownLabel = words;
    others?.offer(view, result);
  }
  /** @param {{id: number, rank: number}|null} token @param {BarsView} view */
  function setToken(token, view) {
    setShown(element, token !== null);
    if (token === null) return;
    setAttribute(element, "data-id", token.id);
    const isChosen = token.id === view.chosenId && isDrawShown(view);
    setAttribute(element, "data-chosen", isChosen);
    setAttribute(element, "data-mine", view.guess?.label === view.label(token.id));
    const words = view.label(token.id);
    if (words !== shownLabel) {
      shownLabel = words;
      label.replaceChildren(...tokenParts(words));
      setAttribute(
        element,
        "title",
        _("{token}, id {id}: press to choose it", { token: quote(words), id: token.id }),
      );
    }
    setAttribute(
      label,
      "aria-label",
      isChosen ? _("{token}, chosen", { token: spoken(words) }) : spoken(words),
    );
    setText(rank, rankInWords(token.rank));
  }
  /** @param {number|undefined} sum */
  const setSum = (sum) => cells[cells.length - 1].setSum(sum === undefined ? "" : formatCumulative(sum));
  return { element, cells, setToken, setCount, setSum };
}

/** The rank among all tokens, where the row's place does not tell it. @param {number} rank */
function rankInWords(rank) {
  if (rank < 0) return _("rank unknown");
  return rank < N_TOKEN_ROWS ? "" : _("rank {number}", { number: formatCount(rank + 1) });
}

/** @param {string} name */
function createCell(name) {
  const { track, bars, ghost, number, show } = createBarCell();
  const pointer = el("span", {
    class: "bar-pointer",
    role: "img",
    "aria-label": _("the pointer falls here"),
  });
  const sum = name === "active" ? el("span", { class: "bar-sum" }) : null;
  const was = name === "active" ? el("span", { class: "bar-was", "aria-hidden": "true" }) : null;
  const element = el("td", {}, el("span", { class: "bar-cell" }, track, was, pointer, number, sum));
  element.dataset.col = name;

  /**
   * @param {Cell} cell
   * @param {Look} look which share it shows, and where it lies when the cells lie end to end
   * @param {string|null} boundary
   */
  function update(cell, look, boundary) {
    const isOut = look.share === "prob" && !cell.isKept;
    const share = look.share === "none" ? 0 : cell[look.isUncut ? "scored" : look.share];
    const outline = { out: isOut ? cell.scored : null, outFrom: look.pieces ? look.start : 0 };
    show(share, { ...outline, pieces: look.pieces, words: wordsOf(cell, look, isOut) });
    if (was) showWas(was, cell, look, isOut ? 0 : share);
    setAttribute(element, "data-state", isOut ? "rejected" : look.share === "none" ? "open" : "kept");
    setAttribute(element, "data-boundary", boundary);
    setAttribute(
      element,
      "aria-label",
      isOut ? _("out, {share} before the cut", { share: formatProbability(cell.scored) }) : null,
    );
    setShown(pointer, cell.hasPointer ?? false);
  }
  return {
    element,
    bars,
    ghost,
    number,
    was,
    update,
    setSum: (/** @type {string} */ text) => sum && setText(sum, text),
  };
}

/**
 * Shows the share that a token had before this beat, beside the one it has now, and what changes it; unless its bar
 * lies there.
 * @param {HTMLElement} was
 * @param {Cell} cell
 * @param {Look} look
 * @param {number} share that it has now; 0: it is out
 */
function showWas(was, cell, { was: before, changedBy, pieces }, share) {
  const past = before ? cell[before] : 0;
  const end = pieces?.at(-1)?.[1] ?? Math.max(past, share);
  const [from, to] = [past, share].map(formatProbability);
  setShown(was, before !== null && share > 0 && end < MAX_END && from !== to);
  if (was.hidden) return;
  was.replaceChildren(el("span", { class: "bar-was-by" }, changedBy), el("s", {}, from), " →");
}

/**
 * What stands in the place of a number that is not known, or only bounded; null where it is.
 * @param {Cell} cell
 * @param {Look} look
 * @param {boolean} isOut
 */
function wordsOf(cell, { share }, isOut) {
  if (share === "none") return "";
  if (!cell.isHeld) return "–";
  if (isOut || !cell.bound) return null;
  return (cell.bound > 0 ? "≤" : "≥") + formatProbability(cell[share]);
}
