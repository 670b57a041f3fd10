// One row of the bars: a token, and what every strategy makes of it. A rejected token keeps its raw
// bar, hatched; its number is 0.

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
import { COLUMNS } from "./column_headers.js";
import { N_TOKEN_ROWS } from "./rows.js";
import { createOthers } from "./others.js";

const ROOMY = 0.4; // of a track: a longer bar leaves no room for the word "boundary"

/** Makes a row; pressing it forces its token. The tail is the last row: all other tokens together. */
export function createRow(isTail, actions) {
  const others = isTail ? createOthers(actions) : null;
  const label = others?.button ?? createButton("bars-label");
  if (!isTail) setAttribute(label, "aria-description", "press to choose it");
  label.translate = false;
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
    if (isTail) setText(label, `all others (${formatCount(nOthers)})`);
    if (isTail || token === null) return;
    setAttribute(element, "data-id", token.id);
    setAttribute(element, "data-chosen", token.id === view.chosenId);
    const words = view.label(token.id);
    if (words !== shownLabel) {
      shownLabel = words;
      label.replaceChildren(...visibleParts(words));
      setAttribute(element, "title", `${quote(words)}, id ${token.id}: press to choose it`);
    }
    setAttribute(
      label,
      "aria-label",
      `${spoken(words)}${token.id === view.chosenId ? ", chosen" : ""}`,
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

function createCell(name) {
  const bar = el("span", { class: "bar" });
  const coin = el("span", { class: "bar-coin", role: "img", "aria-label": "the pointer falls here" });
  const track = el("span", { class: "bar-track" }, bar);
  const number = el("span", { class: "bar-number" });
  const sum = name === "active" ? el("span", { class: "bar-sum" }) : null;
  const element = el("td", {}, el("span", { class: "bar-cell" }, track, coin, number, sum));
  element.dataset.col = name;

  let width = "";
  function update(cell, fullBar, boundary) {
    const shown = cell.isKept ? cell.prob : cell.raw;
    const share = Math.min(1, shown / fullBar);
    const next = `${(100 * share).toFixed(2)}%`;
    if (next !== width) bar.style.width = width = next;
    const sign = cell.isKept && cell.bound ? (cell.bound > 0 ? "≤" : "≥") : "";
    setText(number, cell.isHeld ? sign + formatProbability(cell.prob) : "–"); // a column adds up
    setAttribute(element, "data-state", cell.isKept ? "kept" : "rejected");
    setAttribute(element, "data-over", shown > fullBar);
    setAttribute(element, "data-boundary", boundary);
    setAttribute(element, "data-full", boundary && share > ROOMY);
    setAttribute(element, "aria-label", cell.isKept ? null : `rejected, raw ${formatProbability(cell.raw)}`);
    setShown(coin, cell.hasCoin);
  }
  return { element, update, setSum: (text) => setText(sum, text) };
}
