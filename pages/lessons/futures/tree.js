// The tree of all continuations as the page has it: texts whose next token's logits are known. It is
// weighed by whatever the sliders say, with the masks of the first page, and no pass of the model. Each
// text is weighed once under the same settings, and only when it is asked for.

import { createDistribution, processLogits } from "../../frame/live/masks.js";
import { last } from "../../frame/live/required.js";

/**
 * The tree of a payload, whose arrays hold the texts' numbers end to end.
 * @param {Pick<FuturesHeader, "nVocab" | "nTokens" | "endIds">} header
 * @param {Arrays} arrays
 * @returns {FuturesTree}
 */
export function readTree(header, arrays) {
  const { parents, token_ids, n_held, n_bins } = arrays;
  /** @type {OpenedText[]} */
  const texts = [];
  let [held, bin] = [0, 0];
  for (let i = 0; i < parents.length; i++) {
    const [toHeld, toBin] = [held + n_held[i], bin + n_bins[i]];
    const parent = texts[parents[i]] ?? null;
    const text = {
      parent,
      tokenId: token_ids[i],
      depth: parent ? parent.depth + 1 : 0,
      openedById: new Map(), // of the texts one token longer, those that were opened
      held: {
        nVocab: header.nVocab,
        ids: arrays.ids.subarray(held, toHeld),
        logits: arrays.logits.subarray(held, toHeld),
        tailCounts: arrays.tail_counts.subarray(bin, toBin),
        tailLogits: arrays.tail_logits.subarray(bin, toBin),
        tailVariances: arrays.tail_variances.subarray(bin, toBin),
      },
      distribution: null,
    };
    parent?.openedById.set(text.tokenId, text);
    texts.push(text);
    [held, bin] = [toHeld, toBin];
  }
  return { root: texts[0], nTokens: header.nTokens, endIds: new Set(header.endIds) };
}

/** The tree under some settings. */
export class WeighedTree {
  /**
   * @param {FuturesTree} tree
   * @param {Settings} settings of sampling
   */
  constructor(tree, settings) {
    this.tree = tree;
    this.settings = settings;
    /** @type {Map<OpenedText, ReturnType<WeighedTree["weigh"]>>} */
    this.known = new Map();
  }

  /**
   * What may follow an opened text: the tokens that the masks keep, best first, and what the page does
   * not hold one by one; `cut` is the probability that the masks took away.
   * @param {OpenedText} text
   */
  at(text) {
    const next = this.known.get(text) ?? this.weigh(text);
    this.known.set(text, next);
    return next;
  }

  /** @param {OpenedText} text */
  weigh(text) {
    text.distribution ??= createDistribution(text.held);
    const { stages } = processLogits(text.distribution, [], 0, this.settings);
    const { nKept, keptTail, probs, tail } = last(stages);
    const n = nKept - keptTail; // rows are best first, and each of the four masks keeps the best
    const left = stages.reduce((product, { removedMass }) => product * (1 - removedMass), 1);
    return {
      ids: text.distribution.ids.subarray(0, n),
      probs: probs.subarray(0, n),
      rest: tail.mass,
      nRest: keptTail,
      cut: 1 - left,
      isUnsure: stages.some(({ reachesTail }) => reachesTail),
    };
  }

  /**
   * Whether nothing follows: the text has its length, or an end token ends it.
   * @param {number} depth
   * @param {number} tokenId
   */
  isWhole(depth, tokenId) {
    return depth === this.tree.nTokens || this.tree.endIds.has(tokenId);
  }

  /** The text that greedy decoding writes, as far as it was opened. */
  greedy() {
    const ids = [];
    let prob = 1;
    /** @type {OpenedText|null} */
    let text = this.tree.root;
    while (text) {
      const { ids: [id], probs: [best] } = this.at(text);
      ids.push(id);
      prob *= best;
      text = this.isWhole(ids.length, id) ? null : text.openedById.get(id) ?? null;
    }
    return { ids, prob };
  }

  /**
   * The likeliest whole texts, best first, none less likely than `least`; and the likeliest text that
   * was not opened, which bounds what might be hidden in it.
   * @param {number} nMost
   * @param {number} least
   */
  likeliest(nMost, least) {
    /** @type {{text: OpenedText, ids: number[], prob: number}[]} */
    const waiting = [{ text: this.tree.root, ids: [], prob: 1 }];
    /** @type {{ ids: number[], prob: number }[]} */
    const whole = [];
    let closed = 0;
    for (let likeliest = waiting.pop(); likeliest; likeliest = waiting.pop()) {
      const { text, ids, prob } = likeliest;
      const next = this.at(text);
      for (let i = 0; i < next.ids.length; i++) {
        const [id, longer] = [next.ids[i], prob * next.probs[i]];
        if (longer < least || (whole.length === nMost && longer <= last(whole).prob)) break;
        const child = text.openedById.get(id);
        if (this.isWhole(text.depth + 1, id)) insert(whole, { ids: [...ids, id], prob: longer }, nMost);
        else if (child) waiting.push({ text: child, ids: [...ids, id], prob: longer });
        else closed = Math.max(closed, longer);
      }
      waiting.sort((a, b) => a.prob - b.prob);
    }
    return { whole, closed };
  }

  /**
   * The probability of a text, token by token: 0 where a mask cuts one, null where it is not known.
   * @param {number[]} ids
   */
  trace(ids) {
    /** @type {OpenedText|null} */
    let text = this.tree.root;
    return ids.map((id) => {
      const next = text && this.at(text);
      text = text?.openedById.get(id) ?? null;
      const row = next ? next.ids.indexOf(id) : -1;
      if (!next || (row < 0 && next.nRest > 0)) return null;
      return { prob: next.probs[row] ?? 0, bestId: next.ids[0], best: next.probs[0] };
    });
  }

  /** Where a text lies, from 0 to 1, and how wide; null where it is not known. @param {number[]} ids */
  placeOf(ids) {
    /** @type {OpenedText|null} */
    let text = this.tree.root;
    let [from, width] = [0, 1];
    for (const id of ids) {
      const next = text && this.at(text);
      const row = next ? next.ids.indexOf(id) : -1;
      if (!next || row < 0) return null;
      from += width * next.probs.subarray(0, row).reduce((sum, prob) => sum + prob, 0);
      width *= next.probs[row];
      text = text?.openedById.get(id) ?? null;
    }
    return { from, width };
  }

  /** How much of what follows an opened text is known text by text. */
  opened(text = this.tree.root) {
    if (text.depth === this.tree.nTokens - 1) return 1;
    const { ids, probs } = this.at(text);
    let sum = 0;
    ids.forEach((id, i) => {
      const child = text.openedById.get(id);
      if (this.tree.endIds.has(id)) sum += probs[i];
      else if (child) sum += probs[i] * this.opened(child);
    });
    return sum;
  }

  /** How much of the texts the masks leave, at most: further cuts in what is thin or closed are not counted. */
  survival(least = NEGLIGIBLE, text = this.tree.root, share = 1) {
    if (text.depth === this.tree.nTokens || share < least) return 1;
    const { ids, probs, cut } = this.at(text);
    let sum = 0;
    let rest = 1;
    for (let i = 0; i < ids.length; i++) {
      const child = text.openedById.get(ids[i]);
      if (!child) continue;
      sum += probs[i] * this.survival(least, child, share * probs[i]);
      rest -= probs[i];
    }
    return (1 - cut) * (sum + rest);
  }
}

const SUM_ERROR = 1e-9; // of a share of the texts, which is a sum of many: what lies below is 0

/** A share without the error of its own sum: all and nothing are 1 and 0. @param {number} share */
export function snapped(share) {
  if (share < SUM_ERROR) return 0;
  return share > 1 - SUM_ERROR ? 1 : share;
}

const NEGLIGIBLE = 0.003; // share of a text that is too thin to be drawn

/**
 * @param {{ ids: number[], prob: number }[]} whole
 * @param {{ ids: number[], prob: number }} text
 * @param {number} nMost
 */
function insert(whole, text, nMost) {
  let place = whole.length;
  while (place > 0 && whole[place - 1].prob < text.prob) place--;
  whole.splice(place, 0, text);
  if (whole.length > nMost) whole.pop();
}

// --- The icicle ----------------------------------------------------------------------------------

/**
 * Lays the tree out: every piece is as wide as it is likely, and below each lie the pieces of what may
 * follow it. Pieces narrower than `least` are drawn as one, unless they belong to a text with a name.
 * @param {WeighedTree} weighed
 * @param {number[]} topIds the text that fills the width
 * @param {number} least as a fraction of the width
 * @param {(ids: number[]) => unknown} [isNamed]
 * @returns {IciclePiece[]}
 */
export function layOut(weighed, topIds, least, isNamed = () => false) {
  /** @type {IciclePiece[]} */
  const pieces = [];
  const top = openedAt(weighed.tree, topIds);
  if (top) place(top, topIds, 0, 1);
  return pieces;

  /** @param {OpenedText} text @param {number[]} ids @param {number} from @param {number} width */
  function place(text, ids, from, width) {
    const next = weighed.at(text);
    let n = 0;
    for (; n < next.ids.length; n++) {
      const piece = { ids: [...ids, next.ids[n]], from, width: width * next.probs[n] };
      if (piece.width < least && !isNamed(piece.ids)) break;
      const depth = piece.ids.length;
      const isLast = weighed.isWhole(depth, next.ids[n]);
      pieces.push({ kind: "token", depth, isLast, count: 1, ...piece });
      const child = text.openedById.get(next.ids[n]);
      if (!isLast && child) place(child, piece.ids, from, piece.width);
      else if (!isLast) pieces.push({ kind: "closed", depth: depth + 1, isLast: true, count: 0, ...piece });
      from += piece.width;
    }
    const left = width * next.probs.subarray(n).reduce((sum, prob) => sum + prob, next.rest);
    const count = next.ids.length - n + next.nRest;
    if (count > 0)
      pieces.push({
        kind: "thin",
        depth: ids.length + 1,
        isLast: true,
        count,
        ids,
        from,
        width: left,
      });
  }
}

/**
 * The opened text of some tokens; null where it is not open.
 * @param {FuturesTree} tree
 * @param {number[]} ids
 */
export function openedAt(tree, ids) {
  /** @type {OpenedText | null} */
  let text = tree.root;
  for (const id of ids) text = text?.openedById.get(id) ?? null;
  return text;
}

/**
 * How the probability of what is shown is divided: drawn token by token, too thin, not opened.
 * @param {IciclePiece[]} pieces
 */
export function measure(pieces) {
  const sums = { token: 0, thin: 0, closed: 0 };
  for (const { kind, width, isLast } of pieces) if (isLast) sums[kind] += width;
  return sums;
}
