// How the beats move: bars grow, are cut, slide end to end and fall into the draw bar; the pointer falls; the
// token flies to its place. What stands there at the end is what the page's style says without any motion.

import { startAt } from "../../../frame/live/bar_cell.js";
import { APPEND, CUT, DRAW, READ, SCORE } from "./beats.js";
import { find } from "../../../frame/live/dom.js";
import { formatSetting } from "../../../frame/live/format.js";
import { fly, move, rest } from "../../../frame/live/motion.js";
import { SETTINGS } from "../../../frame/live/settings.js";
import { lastStage } from "../../../frame/live/strategies.js";

const TOKEN_MS = 60; // from one token that lights up to the next
const MAX_LIT = 24; // tokens of the text
/** By beat. @type {Record<number, (motion: Motion) => void>} */
const MOVES = { [READ]: read, [SCORE]: score, [CUT]: cut, [DRAW]: draw, [APPEND]: append };

/**
 * Moves what a beat changes; beat 0 ends every motion.
 * @param {HTMLElement} bars the section of the bars
 * @param {View} view
 * @param {Result} result what is drawn from
 * @param {Picture} picture what the matrix shows
 */
export function moveBeat(bars, view, result, picture) {
  const root = /** @type {HTMLElement} */ (bars.closest(".ott"));
  for (
    const node of root.querySelectorAll(".bar, .bar-ghost, .token, .draw-segment, .pointer-marker, .cut-edge")
  ) rest(node);
  MOVES[view.beat]?.({ root, view, result, ...picture });
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(3)}%`;

/** @param {Motion} motion */
function read({ root }) {
  const tokens = [...root.querySelectorAll(".strip .token")].slice(-MAX_LIT);
  const lit = "var(--stage-tint)";
  tokens.forEach((token, i) =>
    move(token, [{}, { backgroundColor: lit, boxShadow: `0 0 0 .14em ${lit}`, offset: 0.4 }, {}], {
      duration: 900,
      delay: i * TOKEN_MS,
    })
  );
}

/**
 * The bars grow from nothing to the model's own shares; then the temperature reshapes them.
 * @param {Motion} motion
 */
function score({ cells, shown }) {
  cells.forEach(({ raw }, i) =>
    move(shown[i].bars[0], [
      { width: "0%" },
      { width: percent(raw), offset: 0.5 },
      { width: percent(raw), offset: 0.65 },
      {},
    ], { duration: 1700, easing: "ease-in-out" })
  );
}

/**
 * The bars slide end to end; what lies behind the edge goes, and what stays grows to the whole axis.
 * @param {Motion} motion
 */
function cut({ root, view, result, cells, pieces, shown }) {
  const timing = { duration: 2200, easing: "ease-in-out" };
  let sum = 0;
  cells.forEach(({ scored, isKept }, i) => {
    const there = { width: percent(scored), transform: startAt(sum) };
    const [bar] = shown[i].bars;
    const from = { width: percent(scored), transform: startAt(0) };
    if (isKept && pieces[i].length === 1)
      move(bar, [from, { ...there, offset: 0.35 }, { ...there, offset: 0.6 }, {}], timing);
    else if (!isKept) goOut(bar, shown[i].ghost, [from, { ...there, offset: 0.35 }], timing);
    sum += scored;
  });
  if (lastStage(result).name !== "top_p") return;
  const edge = /** @type {HTMLElement} */ (root.querySelector(".cut-edge"));
  edge.dataset.name = `${SETTINGS.top_p.title} ${formatSetting(view.settings.top_p)}`;
  const [p, end] = [startAt(view.settings.top_p), startAt(1)];
  pass(edge, [
    { transform: p, opacity: 0 },
    { transform: p, opacity: 1, offset: 0.3 },
    { transform: p, opacity: 1, offset: 0.6 },
    { transform: end, opacity: 1, offset: 0.95 },
    { transform: end, opacity: 0 },
  ], timing);
}

/**
 * Marks a node for the time of its motion: a bar that goes out is shown until then, and no token looks taken
 * before the pointer has landed.
 * @param {HTMLElement} node
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} timing
 */
function pass(node, frames, timing) {
  const motion = move(node, frames, timing);
  if (motion === null) return;
  node.classList.add("is-passing");
  motion.onfinish = motion.oncancel = () => node.classList.remove("is-passing");
}

/**
 * @param {HTMLElement} bar
 * @param {HTMLElement} ghost
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} timing
 */
function goOut(bar, ghost, frames, timing) {
  const [, there] = frames;
  const out = { ...there, opacity: 0.15 };
  pass(bar, [...frames, { ...out, offset: 0.6 }, { ...there, opacity: 0, offset: 1 }], timing);
  move(ghost, [{ opacity: 0 }, { opacity: 0, offset: 0.6 }, {}], timing);
}

/** The bars fall into the draw bar, and the pointer falls and stops. @param {Motion} motion */
function draw({ root, tokens }) {
  const rows = [...root.querySelectorAll(".bars-table tbody tr:not([hidden])")];
  const bar = find(root, ".draw-bar").getBoundingClientRect();
  const segments = [...root.querySelectorAll(".draw-segment:not([hidden])")];
  segments.forEach((segment, i) => {
    const row = rows[Math.min(i, tokens.length)]?.getBoundingClientRect() ?? bar;
    move(segment, [{ transform: `translateY(${row.top - bar.top}px)`, opacity: 0.6 }, { opacity: 1 }], {
      duration: 700,
      delay: Math.min(i, tokens.length + 1) * 90,
    });
  });
  const marker = /** @type {HTMLElement} */ (root.querySelector(".pointer-marker"));
  const start = `translateX(-${parseFloat(marker.style.left) || 0}cqw)`;
  pass(marker, [{ transform: start, opacity: 0 }, { transform: start, opacity: 1, offset: 0.1 }, {
    opacity: 1,
  }], {
    duration: 1500,
    delay: 700,
    easing: "cubic-bezier(.35, 0, .1, 1)",
  });
}

/** The very segment flies into the text's empty place. @param {Motion} motion */
function append({ root }) {
  const segment = root.querySelector(".draw-segment[data-state=chosen]");
  const token = [...root.querySelectorAll(".strip .token")].at(-1);
  if (!(segment instanceof HTMLElement) || !(token instanceof HTMLElement)) return;
  fly(root, segment, token, { duration: 900 });
  move(token, [{ opacity: 0 }, { opacity: 0, offset: 0.99 }, { opacity: 1 }], { duration: 900 });
}
