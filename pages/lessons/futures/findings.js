// What is said of the tree: how much likelier one text is than another, and how the probability is divided.

import { formatCount, formatProbability } from "../../frame/live/format.js";
import { last } from "../../frame/live/required.js";
import { measure, snapped } from "./tree.js";

/** How the probability is divided, and what the masks took of it. @param {FuturesShown} given */
export function sumsOf({ pieces, survival, topProb, opened }) {
  const { token } = measure(pieces);
  /** @param {number} share @param {string} words */
  const part = (share, words) => `${formatProbability(snapped(share) * topProb)} ${words}`;
  const parts = opened === null
    ? [part(token, "drawn text by text"), part(1 - token, "too thin to draw or not opened")]
    : [
      part(token, "drawn text by text"),
      part(opened - token, "too thin to draw"),
      part(1 - opened, "not opened"),
    ];
  const cut = snapped(survival) < 1
    ? ` The masks cut at least ${formatProbability(1 - survival)} of the texts.`
    : "";
  return `${parts.join(", ")}.${cut}`;
}

/**
 * What a beam search kept of the texts.
 * @param {number[][]} kept
 * @param {import("./tree.js").WeighedTree} weighed
 * @param {{ ids: number[] }[]} best
 */
export function beamWordsOf(kept, weighed, best) {
  const whole = kept.filter((ids) => weighed.isWhole(ids.length, last(ids)));
  const mass = whole.reduce((sum, ids) => sum + (weighed.placeOf(ids)?.width ?? 0), 0);
  const hasBest = whole.some((ids) => String(ids) === String(best[0]?.ids));
  return ` The beams keep ${formatProbability(snapped(mass))}, ${
    hasBest ? "with" : "without"
  } the likeliest text.`;
}

/**
 * How many times as likely, in the two digits that the probabilities beside it bear.
 * @param {number} ratio
 */
export function timesAsLikely(ratio) {
  const times = Number(ratio.toPrecision(2));
  if (times === 1) return "about as likely";
  return `${times < 100 ? ratio.toPrecision(2) : formatCount(times)} times as likely`;
}
