// How the beats move: bars grow, are cut, slide end to end and fall into the draw bar; the pointer falls; the
// token flies to its place. What stands there at the end is what the page's style says without any motion.

import { startAt } from "../../../frame/live/bar_cell.js";
import { APPEND, CUT, DRAW, READ, SCORE } from "./beats.js";
import { find, setAttribute } from "../../../frame/live/dom.js";
import { formatProbability } from "../../../frame/live/format.js";
import { fly, move, rest } from "../../../frame/live/motion.js";
import { lastStage, scoredStage } from "../../../frame/live/strategies.js";
import { startsBefore } from "./rows.js";

const TOKEN_MS = 90; // from one token that lights up to the next
const MAX_LIT = 24; // tokens of the text
const [CUT_OFF, GROWS] = [0.35, 0.6]; // of the beat: all lie end to end; what stays begins to grow
const SLIDE_MS = 250;
const WANDER = [0.06, 0.72, 0.31, 0.9, 0.5]; // of the bar
const WANDER_MS = 16_000;
const FALL_MS = 280;
const SCORE_MS = 2300;
const [GROWN, RESHAPES] = [0.3, 0.65]; // of the beat: the bars have grown; the temperature begins
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
    const node of root.querySelectorAll(
      ".bar, .bar-ghost, .bar-was, .token, .draw-segment, .pointer-marker, .cut-edge",
    )
  ) rest(node);
  MOVES[view.beat]?.({ root, view, result, ...picture });
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(3)}%`;

/** @param {Motion} motion */
function read({ root }) {
  const tokens = [...root.querySelectorAll(".strip .token")].slice(-MAX_LIT);
  const read = [...root.querySelectorAll(".reading-token")];
  const halo = { boxShadow: "0 0 0 .2em var(--stage)" };
  for (const nodes of [tokens, read])
    nodes.forEach((token, i) =>
      move(token, [{ backgroundColor: "transparent" }, { ...halo, offset: 0.4 }, {}], {
        duration: 600,
        delay: (i + tokens.length - nodes.length) * TOKEN_MS,
      })
    );
  const out = root.querySelector(".reading-shares");
  if (out) move(out, [{ opacity: 0 }, {}], { duration: 300, delay: tokens.length * TOKEN_MS + 300 });
}

/**
 * The bars grow from nothing to the model's own shares and stand; then the temperature, which is marked, reshapes
 * them.
 * @param {Motion} motion
 */
function score({ root, cells, shown, result }) {
  const timing = { duration: SCORE_MS, easing: "ease-in-out" };
  cells.forEach(({ raw, scored }, i) => {
    const motion = move(shown[i].bars[0], [
      { width: "0%" },
      { width: percent(raw), offset: GROWN },
      { width: percent(raw), offset: RESHAPES },
      {},
    ], timing);
    count(
      shown[i].number,
      motion,
      (t) => t < GROWN ? null : between(t, RESHAPES, 1, raw, scored),
      true,
    );
    appear(shown[i].was, RESHAPES, timing);
  });
  if (scoredStage(result).name === "temperature") mark(root, "temperature", RESHAPES, timing);
}

/**
 * Marks the setting that changes the shares from a moment of a beat on.
 * @param {HTMLElement} root
 * @param {string} name
 * @param {number} from of the beat
 * @param {KeyframeAnimationOptions} timing
 */
function mark(root, name, from, timing) {
  const head = root.querySelector(`.setting[data-name=${name}] .setting-head`);
  const lit = { backgroundColor: "var(--stage-tint)", boxShadow: "0 0 0 .3em var(--stage-tint)" };
  if (head) move(head, [{}, { offset: from - 0.1 }, { ...lit, offset: from }, lit], timing);
}

/**
 * The number that was stands beside the one that is once that changes.
 * @param {HTMLElement|null} was
 * @param {number} from of the beat
 * @param {KeyframeAnimationOptions} timing
 */
function appear(was, from, timing) {
  if (was)
    move(
      was,
      [{ opacity: 0 }, { opacity: 0, offset: from }, { opacity: 1, offset: from + 0.05 }, {}],
      timing,
    );
}

/**
 * The bars slide end to end; what lies behind top-p's line goes, and what stays grows to the whole axis. The line
 * stays where it cut.
 * @param {Motion} motion
 */
function cut({ root, cells, pieces, shown, result }) {
  const timing = { duration: 2200, easing: "ease-in-out" };
  const starts = startsBefore(cells);
  cells.forEach(({ scored, isKept, prob }, i) => {
    const { number, was } = shown[i];
    appear(was, GROWS, timing);
    const there = { width: percent(scored), transform: startAt(starts[i]) };
    const [bar] = shown[i].bars;
    const from = { width: percent(scored), transform: startAt(0) };
    if (isKept && pieces[i].length === 1)
      count(
        number,
        move(bar, [from, { ...there, offset: CUT_OFF }, { ...there, offset: GROWS }, {}], timing),
        (t) => between(t, GROWS, 1, scored, prob),
      );
    else if (!isKept)
      count(
        number,
        goOut(bar, shown[i].ghost, [from, { ...there, offset: CUT_OFF }], timing),
        (t) => t < GROWS ? scored : null,
      );
  });
  mark(root, lastStage(result).name, CUT_OFF, timing);
  const edge = /** @type {HTMLElement} */ (root.querySelector(".cut-edge"));
  const whole = { clipPath: "inset(0 -12em)" }; // through all rows, while all lie where they lay before the cut
  move(edge, [
    { ...whole, opacity: 0 },
    { ...whole, opacity: 0, offset: CUT_OFF - 0.05 },
    { ...whole, opacity: 1, offset: CUT_OFF + 0.05 },
    { ...whole, opacity: 1, offset: GROWS },
    {},
  ], timing);
}

/**
 * The rows slide end to end, or back to the left.
 * @param {Picture} picture
 * @param {boolean} isStairs
 */
export function slide({ pieces, shown }, isStairs) {
  shown.forEach(({ bars: [bar] }, i) => {
    if (pieces[i].length !== 1) return;
    move(bar, [{ transform: startAt(isStairs ? 0 : pieces[i][0][0]) }, {}], { duration: SLIDE_MS });
  });
}

/** @param {number} t @param {number} from @param {number} to @param {number} a @param {number} b */
function between(t, from, to, a, b) {
  return a + (b - a) * Math.min(1, Math.max(0, (t - from) / (to - from)));
}

/**
 * Says a number on its way, by the clock of its bar; null: the one that stands there in the end, or none yet.
 * @param {HTMLElement} number
 * @param {Animation|null} motion
 * @param {(progress: number) => number|null} shareAt
 */
function count(number, motion, shareAt, isNoneYet = false) {
  if (motion === null) return;
  const say = () => {
    const progress = motion.effect?.getComputedTiming().progress ?? null;
    const share = progress === null ? null : shareAt(progress);
    const none = isNoneYet && progress !== null ? "" : null;
    setAttribute(number, "data-counts", share === null ? none : formatProbability(share));
    if (progress !== null) requestAnimationFrame(say);
  };
  say();
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
  if (motion === null) return null;
  node.classList.add("is-passing");
  motion.onfinish = motion.oncancel = () => node.classList.remove("is-passing");
  return motion;
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
  move(ghost, [{ opacity: 0 }, { opacity: 0, offset: GROWS }, {}], timing);
  return pass(bar, [...frames, { ...out, offset: GROWS }, { ...there, opacity: 0, offset: 1 }], timing);
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

/**
 * A press that is played at once: the pointer's line comes down through the rows and the bar.
 * @param {HTMLElement} pointer
 */
export function fall(pointer) {
  const whole = "inset(-1em -20em -3em)"; // its foot and its number stand out of it
  move(find(pointer, ".pointer-marker"), [{ clipPath: "inset(-1em -20em 100%)" }, { clipPath: whole }], {
    duration: FALL_MS,
    easing: "ease-in",
  });
}

/**
 * Until the first press a pointer wanders along the empty bar: it has nothing to fall on yet.
 * @param {HTMLElement} waiting
 * @param {boolean} isAsked
 */
export function wander(waiting, isAsked) {
  if (!isAsked) return rest(waiting);
  const there = [...WANDER, WANDER[0]].map((at) => ({ transform: `translateX(${percent(at)})`, opacity: 1 }));
  move(waiting, there, { duration: WANDER_MS, iterations: Infinity, easing: "ease-in-out" });
  const end = () => rest(waiting);
  for (const press of ["pointerdown", "keydown"]) addEventListener(press, end, { once: true, capture: true });
}

/** The very segment flies into the text's empty place. @param {Motion} motion */
function append({ root }) {
  const segment = root.querySelector(".draw-segment[data-state=chosen]");
  const token = [...root.querySelectorAll(".strip .token")].at(-1);
  if (!(segment instanceof HTMLElement) || !(token instanceof HTMLElement)) return;
  fly(root, segment, token, { duration: 900 });
  move(token, [{ opacity: 0 }, { opacity: 0, offset: 0.99 }, { opacity: 1 }], { duration: 900 });
}
