// Pointers that fall into the tree: one for each token, as everywhere, a function of seed and position.

import { uniformAt } from "../../frame/live/pointer.js";

/**
 * The pointers of a text by its seed, one for each token.
 * @param {number} seed
 * @param {number} position
 * @param {number} nTokens
 */
export function pointersOf(seed, position, nTokens) {
  return Array.from({ length: nTokens }, (_, i) => uniformAt(seed, position + i));
}

/**
 * Lets the pointers of one text fall, from the prompt down.
 * @param {import("./tree.js").WeighedTree} weighed
 * @param {number[]} pointers
 * @returns {FallenText}
 */
export function fall(weighed, pointers) {
  const ids = [];
  const places = [];
  let [text, from, width] = [weighed.tree.root, 0, 1];
  for (const pointer of pointers) {
    const { ids: nextIds, probs, rest } = weighed.at(text);
    places.push(from + width * pointer);
    let [i, end] = [0, 0];
    while (i < probs.length && (end += probs[i]) <= pointer) i++;
    if (i === probs.length && rest === 0) i--; // what is added up may end just below 1
    if (i === probs.length) return { ids, prob: width, places, isWhole: false };
    ids.push(nextIds[i]);
    [from, width] = [from + width * (end - probs[i]), width * probs[i]];
    if (weighed.isWhole(ids.length, nextIds[i])) return { ids, prob: width, places, isWhole: true };
    const next = text.openedById.get(nextIds[i]);
    if (!next) break;
    text = next;
  }
  return { ids, prob: width, places, isWhole: false };
}

/** How often each whole text was hit, by its tokens. @param {FallenText[]} falls */
export function countTexts(falls) {
  const counts = new Map();
  for (const { ids, isWhole } of falls) {
    if (isWhole) counts.set(String(ids), (counts.get(String(ids)) ?? 0) + 1);
  }
  return counts;
}
