// One row of the bars: a token, and what every strategy makes of it.

import { spoken } from "../../frame/live/aloud.js";
import {
  createButton,
  el,
  quote,
  setAttribute,
  setShown,
  setText,
  visibleParts,
} from "../../frame/live/dom.js";
import { formatCount, formatCumulative, formatProbability } from "../../frame/live/format.js";
import { isDrawShown } from "./beats.js";
import { COLUMNS } from "./column_headers.js";
import { N_TOKEN_ROWS } from "./rows.js";
import { createOthers } from "./others.js";

const ROOMY = 0.4; // of a track: a longer bar leaves no room for the word "boundary"

/** Makes a row; pressing it forces its token. The tail is the last row: all other tokens together. */
export function createRow(isTail, actions) {
  const others = isTail ? createOthers(actions) : null;
  const label = others?.button ?? createButton("bars-label");
  if (!isTail) setAttribute(label, "aria-description", "press to choose it");
  const rank = el("span", { class: "bars-rank" });
  const cells = COLUMNS.map(({ name }) => createCell(name));
  const element = el(
    "tr",
    { class: isTail ? "bars-tail" : "bars-row" },
    el("th", { scope: "row" }, label, rank, others?.menu ?? null),
    ...cells.map((cell) => cell.element),
  );
  let shownLabel = null;
  if (!isTail) element.addEventListener("click", () => actions.force(Number(element.dataset.id)));

  function setToken(token, view, nOthers) {
    setShown(element, isTail ? nOthers > 0 : token !== null);
    if (isTail) setText(label, `${formatCount(nOthers)} more`);
    if (isTail || token === null) return;
    setAttribute(element, "data-id", token.id);
    const isChosen = token.id === view.chosenId && isDrawShown(view);
    setAttribute(element, "data-chosen", isChosen);
    setAttribute(element, "data-mine", view.guess?.label === view.label(token.id));
    const words = view.label(token.id);
    if (words !== shownLabel) {
      shownLabel = words;
      label.replaceChildren(...visibleParts(words));
      setAttribute(element, "title", `${quote(words)}, id ${token.id}: press to choose it`);
    }
    setAttribute(
      label,
      "aria-label",
      `${spoken(words)}${isChosen ? ", chosen" : ""}`,
    );
    setText(rank, rankInWords(token.rank));
  }
  const setSum = (sum) => cells[cells.length - 1].setSum(sum === undefined ? "" : formatCumulative(sum));
  return { element, cells, setToken, setSum, offer: others?.offer };
}

/** The rank among all tokens, where the row's place does not tell it. */
function rankInWords(rank) {
  if (rank < 0) return "rank unknown";
  return rank < N_TOKEN_ROWS ? "" : `rank ${formatCount(rank + 1)}`;
}

/**
 * A cell: on the axis from 0 to 100 % the bar of what is drawn from, with its number. What the masks took
 * leaves a dashed outline of its raw share, and the word "out" in place of a number.
 */
function createCell(name) {
  const ghost = el("span", { class: "bar-ghost" });
  const coin = el("span", { class: "bar-coin", role: "img", "aria-label": "the pointer falls here" });
  const track = el("span", { class: "bar-track" }, ghost);
  const bars = [addBar(track)];
  const number = el("span", { class: "bar-number" });
  const sum = name === "active" ? el("span", { class: "bar-sum" }) : null;
  const element = el("td", {}, el("span", { class: "bar-cell" }, track, coin, number, sum));
  element.dataset.col = name;

  /**
   * @param {Cell} cell
   * @param {Look} look which share it shows, and where it lies when the cells lie end to end
   * @param {string|null} boundary
   */
  function update(cell, { share: name, pieces = null }, boundary) {
    const isOut = name === "prob" && !cell.isKept;
    const share = name === "none" || isOut ? 0 : cell[name];
    /** @type {[number, number][]} */
    const lies = pieces?.length ? pieces : [[0, share]];
    while (bars.length < lies.length) bars.push(addBar(track));
    bars.forEach((bar, i) => lay(bar, lies[i] ?? [0, 0]));
    setLength(ghost, isOut ? cell.raw : 0);
    const sign = cell.isKept && cell.bound ? (cell.bound > 0 ? "≤" : "≥") : "";
    const words = isOut ? "out" : sign + formatProbability(share);
    setText(number, name === "none" ? "" : cell.isHeld ? words : "–");
    setAttribute(element, "data-state", isOut ? "rejected" : name === "none" ? "open" : "kept");
    setAttribute(element, "data-boundary", boundary);
    setAttribute(element, "data-full", boundary && share > ROOMY);
    setAttribute(element, "aria-label", isOut ? `out, raw ${formatProbability(cell.raw)}` : null);
    setShown(coin, cell.hasCoin);
  }
  return { element, bars, ghost, update, setSum: (text) => setText(sum, text) };
}

function addBar(track) {
  const bar = el("span", { class: "bar" });
  track.append(bar);
  return bar;
}

const lengths = new WeakMap(); // of bars and outlines, as written
const starts = new WeakMap(); // of bars, as written

/** Lays a bar on the axis: it is moved there by a transform, which shifts nothing else. */
function lay(bar, [from, to]) {
  setLength(bar, to - from);
  const start = from === 0 ? "" : startAt(from);
  if (starts.get(bar) === start) return;
  starts.set(bar, start);
  bar.style.transform = start;
}

function setLength(node, share) {
  const length = `${(100 * share).toFixed(3)}%`;
  if (lengths.get(node) === length) return;
  lengths.set(node, length);
  node.style.width = length;
  setShown(node, share > 0);
}

/** Where a bar begins on the axis, as CSS says it: of the width of its track. */
export const startAt = (share) => `translateX(${(100 * share).toFixed(3)}cqw)`;
