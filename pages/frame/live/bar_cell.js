// How a share of a distribution is drawn, wherever one is: a bar on the axis from 0 to 100 %, as long as the
// number beside it says. It is what is drawn from; what a mask took leaves a dashed outline of its raw share,
// and the word "out" in place of a number.

import { el, setAttribute, setShown, setText } from "./dom.js";
import { formatProbability, formatShare } from "./format.js";
import { _ } from "./words.js";

const TICKS = [0, 25, 50, 75, 100];
const MAX_LENGTH = 7; // characters of a number in its own size, "0.077 %"

/** The axis over a column of cells. */
export function createAxis() {
  const axis = el("span", { class: "axis", "aria-hidden": "true" });
  for (const percent of TICKS) {
    const tick = el("span", { class: "axis-tick" }, formatShare(percent / 100));
    tick.style.left = `${percent}%`;
    axis.append(tick);
  }
  return axis;
}

/** Makes the track with its bars, and the number beside it. */
export function createBarCell() {
  const ghost = el("span", { class: "bar-ghost" });
  const track = el("span", { class: "bar-track" }, ghost);
  const bars = [addBar(track)];
  const number = el("span", { class: "bar-number" });
  /**
   * @param {number} share of the whole
   * @param {{out?: number|null, outFrom?: number, pieces?: [number, number][]|null, words?: string|null}} more
   *   the raw share of what is out, and where it lay; what it takes of the axis where cells lie end to end;
   *   another number than the share
   */
  function show(share, { out = null, outFrom = 0, pieces = null, words = null } = {}) {
    const isOut = out !== null;
    /** @type {[number, number][]} */
    const lies = pieces?.length ? pieces : [[0, isOut ? 0 : share]];
    while (bars.length < lies.length) bars.push(addBar(track));
    bars.forEach((bar, i) => lay(bar, lies[i] ?? [0, 0]));
    lay(ghost, [outFrom, outFrom + (out ?? 0)]);
    const said = words ?? (isOut ? _("out") : formatProbability(share));
    setText(number, said);
    setAttribute(number, "data-none", isOut ? formatProbability(0) : null); // where nothing is said of a cut
    setAttribute(number, "data-long", said.length > MAX_LENGTH);
  }
  return { track, bars, ghost, number, show };
}

/** @param {HTMLElement} track */
function addBar(track) {
  const bar = el("span", { class: "bar" });
  track.append(bar);
  return bar;
}

const lengths = new WeakMap(); // of bars and outlines, as written
const starts = new WeakMap(); // of bars, as written

/**
 * Lays a bar or an outline on the axis: it is moved there by a transform, which shifts nothing else.
 * @param {HTMLElement} bar
 * @param {[number, number]} piece
 */
function lay(bar, [from, to]) {
  setLength(bar, to - from);
  const start = from === 0 ? "" : startAt(from);
  if (starts.get(bar) === start) return;
  starts.set(bar, start);
  bar.style.transform = start;
}

/** @param {HTMLElement} node @param {number} share */
function setLength(node, share) {
  const length = share > 0 ? `${(100 * share).toFixed(3)}%` : "0"; // the least share is not none
  if (lengths.get(node) === length) return;
  lengths.set(node, length);
  node.style.width = length;
  setShown(node, share > 0);
}

/** Where a bar begins on the axis, as CSS says it: of the width of its track. @param {number} share */
export const startAt = (share) => `translateX(${(100 * share).toFixed(3)}cqw)`;
