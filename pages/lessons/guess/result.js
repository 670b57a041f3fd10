// What came of the last guess: a sentence on what it was worth, and the model's shares on their axis.

import { announced } from "../../frame/live/announced.js";
import { cheer } from "../../frame/live/cheer.js";
import { createAxis, createBarCell } from "../../frame/live/bar_cell.js";
import { el, named, setAttribute, setSentence, setShown, setText } from "../../frame/live/dom.js";
import { formatProbability } from "../../frame/live/format.js";
import { move } from "../../frame/live/motion.js";

const MARKS = ["◆", "●", "■", "▲", "★", "✚"]; // of the players
const N_ROWS = 8; // the model's best, what came and was guessed beside them, and all others
/** A token in quotes. */
const QUOTED = /“([^”]+)”/gu;
const GROW_MS = 350;
const COVERED = "The model’s five likeliest. Which is which shows after your guess.";

/** Makes the sentences and the chart. */
export function createResult() {
  /** @type {number|undefined} */
  let shown; // the position of the word
  const sentences = announced(el("div", { class: "board-said" }));
  const about = el("p", { class: "board-about" });
  const legend = el("p", { class: "row bars-legend" });
  const rows = Array.from({ length: N_ROWS }, createRow);
  const source = el("p", { class: "muted" });
  const bars = el(
    "div",
    { class: "bars" },
    el("div", { class: "row bars-top" }, legend, source),
    el(
      "table",
      { class: "bars-table", "aria-label": "The model’s shares" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { class: "bars-corner" }),
          el(
            "th",
            { class: "bars-head", scope: "col", "data-col": "active" },
            el("span", { class: "bars-head-box" }, "The model’s share"),
            createAxis(),
          ),
        ),
      ),
      el("tbody", {}, ...rows.map(({ element }) => element)),
    ),
  );
  const element = el("div", { class: "board-right" }, about, bars);

  /** @param {GuessBoard} data @param {GuessedWord|null} last what came; null: the next word is asked for */
  function update({ covered, others, players, model, number, nWords, spread }, last) {
    const isNew = shown !== last?.position;
    shown = last?.position;
    legend.replaceChildren(
      el("b", { class: "board-which" }, `Word ${last?.number ?? number} of ${nWords}`),
      el("span", { class: "bars-key is-kept" }, "the model"),
      ...players.map((name, k) => el("span", { class: "board-key" }, mark(k), ` ${name}`)),
    );
    setText(source, `Measured: ${model}`);
    setText(about, last ? spread : COVERED);
    sentences.replaceChildren(
      ...(last?.said ?? []).map((words, k) => {
        const isHit = last?.hits[k];
        const sign = isHit === undefined ? "" : isHit ? "✓ " : "✗ ";
        const line = el("p");
        setSentence(line, sign + words.replace(QUOTED, (_quoted, token) => named(token)));
        setAttribute(line, "data-right", isHit === true ? "" : null);
        return line;
      }),
    );
    const given = last?.rows ?? covered.map((prob) => ({ word: "?", prob, isTrue: false, marks: [] }));
    const rest = last?.rest ?? Math.max(0, 1 - covered.reduce((sum, prob) => sum + prob, 0));
    rows.forEach((row, i) => {
      row.setRest(i === given.length);
      if (i === given.length) row.show(others, rest);
      else row.show(given[i]?.word ?? "", given[i]?.prob ?? null, given[i]);
    });
    if (isNew && last) {
      for (const { bar } of rows) move(bar, [{ transform: "scaleX(0)" }, {}], { duration: GROW_MS });
      if (last.hits[0]) cheer(/** @type {HTMLElement} */ (sentences.firstElementChild));
    }
  }
  return { element, sentences, update };
}

/** @param {number} player */
const mark = (player) => el("span", { class: "board-mark-sign", "aria-hidden": "true" }, MARKS[player]);

/** The bars before a guess, small, for where the chart has no room beside the question. */
export function createCovered() {
  const element = el("div", { class: "board-covered", "aria-hidden": "true" });
  /** @param {number[]} shares */
  function show(shares) {
    element.replaceChildren(
      ...shares.flatMap((share) => {
        const bar = el("i");
        bar.style.width = `${100 * share}%`;
        return [
          el("span", {}, "?"),
          el("span", { class: "board-covered-bar" }, bar, formatProbability(share)),
        ];
      }),
    );
  }
  return { element, show };
}

function createRow() {
  const label = el("span", { class: "bars-label", translate: false, dir: "auto" });
  const { track, bars, number, show } = createBarCell();
  bars[0].style.transformOrigin = "left";
  const marks = el("span", { class: "board-marks" });
  track.append(marks);
  const cell = el(
    "td",
    { "data-col": "active", "data-state": "kept" },
    el("span", { class: "bar-cell" }, track, number),
  );
  const element = el(
    "tr",
    { class: "bars-row" },
    el("th", { scope: "row" }, label),
    cell,
  );
  return {
    element,
    bar: bars[0],
    /** @param {boolean} isRest */
    setRest(isRest) {
      setAttribute(element, "class", isRest ? "bars-tail" : "bars-row");
    },
    /** @param {string} word @param {number|null} prob @param {GuessedRow} [row] */
    show(word, prob, row) {
      setText(label, word);
      setAttribute(element, "data-chosen", row?.isTrue ? "" : null);
      setAttribute(element, "data-mine", row?.marks.length ? "" : null);
      setAttribute(element, "data-empty", prob === null ? "" : null);
      show(prob ?? 0);
      marks.replaceChildren(
        ...(row?.marks ?? []).map(([player, share]) => {
          const node = mark(player);
          node.style.left = `${100 * share}%`;
          return node;
        }),
      );
      setShown(number, prob !== null);
    },
  };
}
