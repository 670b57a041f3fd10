// The likeliest texts as bars, beside each how many pointers hit it; and whether all of them fell as they
// should. And one text, token by token: what each choice cost.

import { announced } from "../../frame/live/announced.js";
import { createButton, el, setAttribute, setShown, setText, visibleParts } from "../../frame/live/dom.js";
import { formatCount, formatNats, formatNumber, formatProbability } from "../../frame/live/format.js";
import { snapped } from "./tree.js";

export const N_TEXTS = 8;
const UNUSUAL = 0.01; // p-value at which the reader is told to look again
const MAX_RUNS = 16; // of the first page, and of files

/** Makes the list. @param {FuturesActions} actions */
export function createTexts(actions) {
  const rows = Array.from({ length: N_TEXTS + 1 }, () => createRow(actions));
  const own = Array.from({ length: MAX_RUNS }, () => createRow(actions));
  const counted = el("th", { class: "texts-number", scope: "col" }, "hits");
  const ticks = el("span", { class: "texts-axis", ariaHidden: "true" }, ...["0", "50", "100"].map(tickOf));
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "text"),
    el("th", { class: "texts-scale" }, ticks, el("span", { class: "spoken" }, "its share as a bar")),
    el("th", { class: "texts-number", scope: "col" }, "probability"),
    counted,
  );
  const body = el("tbody", {}, ...rows.map((row) => row.element));
  const yours = el(
    "tr",
    {},
    el(
      "th",
      { scope: "rowgroup", colSpan: 5, class: "muted" },
      "yours, on the first page (1, 2) and saved (A, B)",
    ),
  );
  const ownBody = el("tbody", {}, yours, ...own.map((row) => row.element));
  const table = el("table", { class: "texts-table" }, el("thead", {}, head), body, ownBody);
  const test = announced(el("p", { class: "texts-test" }));
  const element = el("section", { class: "texts" }, el("h2", {}, "The likeliest texts"), table, test);

  /** @param {FuturesShown} view */
  function update(view) {
    const { best, runs, counts, nDraws, chi } = view;
    const rest = best.reduce((left, { prob }) => left - prob, 1);
    const hits = best.map(({ ids }) => counts?.get(String(ids)) ?? 0);
    rows.forEach((row, i) => {
      if (i < N_TEXTS) return row.update(best[i] ?? null, hits[i], view);
      const other = { ids: null, prob: snapped(rest) };
      row.update(other, nDraws - hits.reduce((sum, one) => sum + one, 0), view);
    });
    own.forEach((row, i) => {
      const run = runs[i] ?? null;
      row.update(run, run && (counts?.get(String(run.ids)) ?? 0), view);
    });
    setShown(ownBody, runs.length > 0);
    setShown(counted, nDraws > 0);
    setText(test, chi ? verdictOf(chi, nDraws, view.view.seed) : "");
  }
  return { element, update };
}

/** @param {string} percent */
const tickOf = (percent) => el("small", {}, `${percent}\u202f%`);

/** @param {FuturesActions} actions */
function createRow(actions) {
  /** @type {number[] | null} */
  let ids = null;
  const name = createButton("texts-name", null, () => ids && actions.select(ids));
  const others = el("span", { class: "muted" }, "all other texts");
  const bar = el("span", { class: "texts-bar" });
  const mark = el("span", { class: "texts-mark", title: "share of the pointers" });
  const number = el("td", { class: "texts-number" });
  const hits = el("td", { class: "texts-number" });
  const element = el(
    "tr",
    {},
    el("th", { scope: "row" }, name, others),
    el("td", { class: "texts-track" }, bar, mark),
    number,
    hits,
  );
  let shown = "";
  /**
   * @param {{ ids: number[] | null, prob: number | null, name?: string } | null} text
   * @param {number} n
   * @param {FuturesShown} given
   */
  function update(text, n, { label, nDraws, selected }) {
    setShown(element, text !== null);
    if (text === null) return;
    ids = text.ids;
    setShown(name, ids !== null);
    setShown(others, ids === null);
    const key = JSON.stringify([text.name, ids]);
    /** @param {number[]} ids */
    const parts = (ids) => [
      ...(text.name ? [el("b", { class: "texts-run", translate: false }, text.name)] : []),
      ...chips(ids, label),
    ];
    if (ids && key !== shown) name.replaceChildren(...parts(ids));
    shown = key;
    setAttribute(name, "aria-pressed", String(String(ids) === String(selected)));
    setShown(mark, nDraws > 0);
    bar.style.width = `${100 * (text.prob ?? 0)}%`;
    mark.style.left = `${100 * n / Math.max(1, nDraws)}%`;
    setText(number, text.prob === null ? "not opened" : formatProbability(text.prob));
    setShown(hits, nDraws > 0);
    setText(hits, formatCount(n));
  }
  return { element, update };
}

/**
 * What the last pointers wrote.
 * @param {FallenText} fallen
 * @param {(ids: number[]) => string} words
 */
export function fallOf({ ids, prob, isWhole }, words) {
  const text = `“${words(ids)}${isWhole ? "" : " …"}”`;
  return `Chance wrote ${text}: ${formatProbability(prob)}.`;
}

/**
 * Whether the hits are those that the probabilities lead one to expect.
 * @param {ReturnType<typeof import("../../frame/live/chi_square.js").chiSquare>} given
 * @param {number} nDraws
 * @param {number} seed
 */
function verdictOf({ statistic, nDegrees, pValue }, nDraws, seed) {
  if (nDegrees < 1) return "Every pointer falls on one text, so there is nothing to test.";
  const rule = pValue > UNUSUAL ? "as chance would have it" : "unusual: drop others";
  return `${formatCount(nDraws)} pointers, seeds ${formatCount(seed)} to ${
    formatCount(seed + nDraws - 1)
  }, ` +
    `all texts: χ² = ${formatNumber(statistic, 1)} with ${nDegrees} degree${nDegrees === 1 ? "" : "s"} of ` +
    `freedom, p ${formatChance(pValue)}: ${rule}.`;
}

/** Write a p-value with as many digits as show on which side of the bar it lies. @param {number} pValue */
export function formatChance(pValue) {
  if (pValue < 1e-4) return "< 0.0001";
  let digits = 2;
  /** @param {string} text */
  const isUnusual = (text) => Number(text) <= UNUSUAL;
  while (isUnusual(pValue.toPrecision(digits)) !== pValue <= UNUSUAL) digits++;
  return `= ${pValue.toPrecision(digits)}`;
}

/** @param {number[]} ids @param {Label} label */
function chips(ids, label) {
  return ids.map((id) => el("span", { class: "named", translate: false }, ...visibleParts(label(id))));
}

/** Makes the part that follows one text, token by token. @param {FuturesActions} actions */
export function createPath(actions) {
  const text = el("p", { class: "path-text", translate: false });
  const body = el("tbody", {});
  const heads = ["token", "probability", "the best there", "cost"].map((words) =>
    el("th", { scope: "col" }, words)
  );
  const table = el("table", { class: "path-table" }, el("thead", {}, el("tr", {}, ...heads)), body);
  const sum = el("p", {});
  /** @param {string} words */
  const link = (words) => el("a", { class: "button", target: "_blank", rel: "noopener" }, words);
  const [home, search] = [link("Go on from this text"), link("What a beam search does with it")];
  const zoom = createButton("button", "Widen it", () => actions.zoom(shown.selected));
  const hint = el("p", { class: "muted" }, "Choose a text: press a piece, or walk with the arrow keys.");
  const whole = el(
    "div",
    { class: "path-whole" },
    text,
    table,
    sum,
    el("p", { class: "row path-ways" }, home, search, zoom),
  );
  const element = el("section", { class: "path" }, el("h2", {}, "One text, token by token"), hint, whole);
  /** @type {FuturesShown} */
  let shown;

  /** @param {FuturesShown} view */
  function update(view) {
    shown = view;
    const { selected, trace, label } = view;
    const known = trace.filter((step) => step !== null);
    setShown(hint, known.length === 0);
    setShown(whole, known.length > 0);
    if (known.length === 0) return;
    text.replaceChildren(view.prompt, ...chips(selected, label));
    body.replaceChildren(...trace.map((step, i) => stepRow(step, selected[i], label)));
    const prob = known.reduce((product, step) => product * step.prob, 1);
    const parts = known.map((step) => formatProbability(step.prob)).join(" × ");
    setText(
      sum,
      `${parts}${known.length > 1 ? ` = ${formatProbability(prob)}` : ""}: ${formatNats(Math.log(prob))}.`,
    );
    home.href = view.homeLink(selected);
    search.href = view.searchLink(selected);
    setShown(zoom, view.canZoom);
  }
  return { element, update };
}

/** @param {FuturesShown["trace"][number]} step @param {number} id @param {Label} label */
function stepRow(step, id, label) {
  const cells = step === null ? ["not opened", "–", "–"] : [
    step.prob > 0 ? formatProbability(step.prob) : "cut",
    step.bestId === id
      ? "this"
      : el("span", {}, ...chips([step.bestId], label), ` ${formatProbability(step.best)}`),
    step.bestId === id ? "0" : formatNats(Math.log(step.best / step.prob)),
  ];
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, ...chips([id], label)),
    ...cells.map((cell) => el("td", {}, cell)),
  );
}
