// From raw logits to the token drawn, in the page: the twin of model/masks.py, model/sampling/__init__.py and
// model/draw.py. The same arithmetic in the same order, in float64: the same tokens kept, the same
// token on which the pointer falls. It knows no page and no model; the next token is Python's to decide.
//
// A row is a place in the one order of the raw logits: best first, ties by id. All arrays that leave
// this file are by row, so every strategy on the same logits can be drawn side by side.
//
// Of a large vocabulary the page holds the best tokens only, and the rest (the tail) as a histogram.
// Each bin is then one more row that stands for many tokens; the first bin is the best token of the
// tail alone. Where a cut falls in the tail, or so near that the histogram cannot tell, the stage
// says `reachesTail`, and the page waits for Python. Of what a server did not send (`nUnsent`) only the
// mass is known: shared evenly, it is exact at temperature 1 and a bound at any other.

import { KEEP_BY_NAME } from "./keep.js";
import { memoryUnder, NO_MEMORY } from "./memory.js";
import { findRow, penalise, PENALTY_BY_NAME } from "./penalties.js";
import { last } from "./required.js";
import { SETTINGS } from "./settings.js";

const TAIL_DOUBT = 0.001; // by how much, relatively, the histogram may misjudge the mass of the tail

const OF_ALL_LOGITS = ["top_n_sigma", "min_k", "top_h"]; // where they cut depends on every logit
export const COUNT_PROMPT = ["repetition_penalty", "dry"]; // unless generated tokens alone count
const WITH_MIROSTAT = ["temperature", "mirostat"]; // nothing else acts beside it

/** Every setting at the value that changes nothing. */
export const NEUTRAL_SETTINGS = Object.freeze(
  /** @type {Values} */ (Object.fromEntries(
    Object.entries(SETTINGS).map(([name, { neutral }]) => [name, neutral]),
  )),
);

// --- The raw distribution ------------------------------------------------------------------------

/**
 * Puts the raw logits of one position into the one order, once for all strategies.
 * @param {{nVocab: number, ids: Numbers|null, logits: Numbers, tailCounts: Numbers|null,
 *   tailLogits: Numbers|null, tailVariances: Numbers|null, nUnsent?: number}} held logits by id, or ids
 *   and logits best first with the tail
 * @returns {Distribution}
 */
export function createDistribution(held) {
  const { nVocab, ids, logits, tailCounts, tailLogits, tailVariances, nUnsent = 0 } = held;
  const rowIds = ids ?? idsBestFirst(logits);
  const nRows = rowIds.length;
  const nByBin = Array.from(tailCounts ?? []);
  const nBins = nByBin.length;
  const scores = new Float64Array(nRows + nBins);
  const counts = new Float64Array(nRows + nBins).fill(1); // tokens that a row stands for
  for (let row = 0; row < nRows; row++) scores[row] = logits[ids ? row : rowIds[row]];
  const variances = new Float64Array(nRows + nBins); // of the logits that a row stands for
  scores.set(tailLogits ?? [], nRows);
  counts.set(nByBin, nRows);
  variances.set(tailVariances ?? [], nRows);
  /** @type {Omit<Distribution, "inPlay" | "rawStage">} */
  const distribution = { nVocab, nRows, ids: rowIds, counts, variances, nUnsent, depth: 0, rowById: null };
  const nFinite = scores.findLastIndex((score) => score > -Infinity) + 1;
  const rows = new Int32Array(nFinite);
  for (let row = 0; row < nFinite; row++) rows[row] = row;
  const tokens = { rows, scores: scores.subarray(0, nFinite), scale: 1, nUnheld: 0 };
  const evenRow = nRows + nByBin.indexOf(Math.max(...nByBin));
  if (nUnsent > 0 && scores[evenRow] > -Infinity) distribution.depth = scores[nRows - 1] - scores[evenRow];
  const inPlay = weighTokens(distribution, tokens);
  return Object.assign(distribution, { inPlay, rawStage: recordStage(distribution, "raw", inPlay) });
}

/** The ids by logit, best first, ties by id. @param {Numbers} logits */
function idsBestFirst(logits) {
  const numbers = new Float32Array(logits.length);
  for (let id = 0; id < numbers.length; id++) numbers[id] = logits[id] + 0; // no -0
  // the bits of a float32, turned so that they fall as the number rises
  const falling = new Uint32Array(numbers.buffer).map((bits) => bits >>> 31 ? bits : 0x7fffffff - bits);
  // sort by 16 bits at a time, the lower first; each pass leaves equals as they stand
  const ids = new Int32Array(numbers.length).map((_, id) => id);
  return sortByDigit(sortByDigit(ids, falling, 0), falling, 16);
}

/**
 * Sorts ids by 16 bits of their keys, the smallest first: counts each digit, then deals the ids out.
 * @param {Int32Array} ids
 * @param {Uint32Array} keys
 * @param {number} shift
 */
function sortByDigit(ids, keys, shift) {
  const places = new Uint32Array(2 ** 16 + 1); // where the ids of a digit begin
  for (const id of ids) places[((keys[id] >>> shift) & 0xffff) + 1] += 1;
  for (let digit = 1; digit < places.length; digit++) places[digit] += places[digit - 1];
  const sorted = new Int32Array(ids.length);
  for (const id of ids) sorted[places[(keys[id] >>> shift) & 0xffff]++] = id;
  return sorted;
}

// --- The pipeline --------------------------------------------------------------------------------

/**
 * Runs the logits through every active stage and keeps what each one made of them.
 * @param {Distribution} distribution what createDistribution returned
 * @param {number[]} contextIds the text so far, prompt and generated
 * @param {number} nPrompt how many of them are the prompt
 * @param {Settings} settings the fields of Python's Settings by name, `order` a list of stage names
 * @param {number} pointer of this position; its later digits toss for XTC, which at 0 is due
 * @param {Memory} memory what mirostat remembers of the text; of none, it begins
 * @returns {Result} `order` lists the
 *   rows as the last stage leaves them, best first, those masked out last; a stage holds scores, probs
 *   and kept by row, and nKept, keptTail, tail, removedMass, entropy, boundaryId and reachesTail
 */
export function processLogits(distribution, contextIds, nPrompt, settings, pointer = 0, memory = NO_MEMORY) {
  let tokens = distribution.inPlay; // still in play, best first: {rows, scores, probs, entropy, nUnheld}
  const stages = [distribution.rawStage];
  for (const name of activeStageNames(settings)) {
    const given = tokens;
    const value = valueOf(name, settings, pointer, memory);
    /** @type {Partial<Stage>} */
    let cut = {};
    if (name in PENALTY_BY_NAME) {
      // move the scores of tokens that were used, and sort again
      const countsPrompt = COUNT_PROMPT.includes(name) && !settings.generated_only;
      const usedIds = countsPrompt ? contextIds : contextIds.slice(nPrompt);
      tokens = penalise(distribution, given, usedIds, name, value);
      cut.reachesTail = value < settingOf(NEUTRAL_SETTINGS, name) && tokens.nUnheld > 0;
    } else if (name === "temperature") {
      const scores = given.scores.map((score) => score / value);
      tokens = { ...given, scores, scale: given.scale / value };
    } else {
      // drop what the mask does not keep; the rest stays in order
      const kept = KEEP_BY_NAME[name](given, value, distribution.counts);
      tokens = selectTokens(given, kept);
      cut = describeCut(distribution, given, kept, name, value);
    }
    tokens = weighTokens(distribution, tokens);
    stages.push(recordStage(distribution, name, tokens, cut));
  }
  return {
    order: rowsBestFirst(distribution, tokens),
    stages,
    idOf: (row) => distribution.ids[row],
    rowOf: (id) => findRow(distribution, id),
  };
}

/** The value of a setting. @param {Values} settings @param {string} name */
export function settingOf(settings, name) {
  return settings[/** @type {SettingName} */ (name)];
}

/**
 * What a stage is given: its setting, but that XTC is tossed for and mirostat moves its limit.
 * @param {string} name
 * @param {Settings} settings
 * @param {number} pointer
 * @param {Memory} memory
 */
function valueOf(name, settings, pointer, memory) {
  if (name === "xtc") return Number(secondToss(pointer) < settings.xtc);
  return name === "mirostat" ? memoryUnder(memory, settings.mirostat).mu : settingOf(settings, name);
}

/** The later digits of a pointer: a number in [0, 1) that the earlier ones do not tell. @param {number} pointer */
function secondToss(pointer) {
  return (pointer * 2 ** 27) % 1;
}

/** The stages of the order that are not neutral, first to last. @param {Settings} settings */
export function stagesOn(settings) {
  return settings.order.filter((name) => settings[name] !== NEUTRAL_SETTINGS[name]);
}

/**
 * The active stages, first to last; at temperature 0 "greedy" takes its place and ends them.
 * @param {Settings} settings
 */
export function activeStageNames(settings) {
  const on = stagesOn(settings);
  const names = on.includes("mirostat") ? on.filter((name) => WITH_MIROSTAT.includes(name)) : on;
  if (settings.temperature !== 0) return names;
  const place = names.indexOf("temperature");
  return [...(place < 0 ? names : names.slice(0, place)), "greedy"];
}

/**
 * Softmax and entropy of the tokens in play, added up one by one from the best to the worst. Of a bin
 * its average token is weighed: one of the mean score, and what the variance adds.
 * @param {Pick<Distribution, "counts" | "variances" | "nRows">} distribution
 * @param {Tokens} tokens
 * @returns {Weighed}
 */
function weighTokens({ counts, variances, nRows }, tokens, tailFactor = 1) {
  const { rows, scores, scale } = tokens;
  const probs = new Float64Array(rows.length);
  let weight = 0;
  let pull = 0;
  for (let i = 0; i < rows.length; i++) {
    const count = rows[i] < nRows ? 1 : counts[rows[i]] * tailFactor;
    // the best score is taken off first, so that no exponential can overflow
    const shifted = scores[i] - scores[0];
    const ofMean = Math.exp(shifted);
    const variance = rows[i] < nRows ? 0 : variances[rows[i]] * scale ** 2;
    probs[i] = ofMean * (1 + variance / 2);
    weight += count * probs[i];
    pull += count * (probs[i] * shifted + ofMean * variance);
  }
  for (let i = 0; i < rows.length; i++) probs[i] /= weight;
  return { ...tokens, probs, entropy: Math.log(weight) - pull / weight };
}

/** @param {Weighed} tokens @param {Uint8Array} kept */
function selectTokens(tokens, kept) {
  let n = 0;
  for (const isKept of kept) n += isKept;
  const [rows, scores] = [new Int32Array(n), new Float64Array(n)];
  for (let i = kept.length - 1; i >= 0; i--) {
    if (!kept[i]) continue;
    n -= 1;
    rows[n] = tokens.rows[i];
    scores[n] = tokens.scores[i];
  }
  return { ...tokens, rows, scores };
}

/**
 * Spreads the tokens in play over all rows that the page holds.
 * @param {Unweighed} distribution
 * @param {string} name
 * @param {Weighed} tokens
 * @param {Partial<Stage>} cut
 * @returns {Stage}
 */
function recordStage(distribution, name, tokens, cut = {}) {
  const { rows, scores, probs, entropy } = tokens;
  const { nRows } = distribution;
  const tail = measureTail(distribution, tokens);
  const stage = {
    name,
    entropy,
    tail,
    scores: new Float64Array(nRows).fill(-Infinity),
    probs: new Float64Array(nRows),
    kept: new Uint8Array(nRows),
    nKept: rows.length - tail.nBins + tail.size, // the tail's tokens included
    keptTail: tail.size,
    removedMass: 0,
    boundaryId: null,
    reachesTail: false,
    ...cut,
  };
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] >= nRows) continue;
    stage.scores[rows[i]] = scores[i];
    stage.probs[rows[i]] = probs[i];
    stage.kept[rows[i]] = 1;
  }
  return stage;
}

/**
 * The part of the tail that is in play, and by how much, relatively, its mass may be wrong. Where only
 * its sum is known, it may lie evenly, or on so few tokens that each is as likely as the worst one held.
 * @param {Unweighed} distribution
 * @param {Weighed} tokens
 * @returns {Stage["tail"]}
 */
function measureTail({ nRows, counts, nUnsent, depth }, { rows, scores, probs, scale, nUnheld }) {
  const doubt = Math.max(TAIL_DOUBT, Math.abs(Math.expm1(depth * (scale - 1))));
  /** @type {Stage["tail"]} */
  const tail = { nBins: 0, size: 0, mass: 0, bestScore: -Infinity, bound: 0, isShared: false, doubt };
  if (counts.length === nRows) return tail;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < nRows) continue;
    tail.nBins += 1;
    tail.size += counts[rows[i]];
    tail.mass += counts[rows[i]] * probs[i];
    if (tail.nBins > 1) continue;
    tail.bestScore = scores[i];
    tail.bestProb = probs[i];
  }
  tail.isShared = nUnsent > 0 && tail.size > 0; // evenly, though it does not lie so
  if (tail.isShared) tail.bound = Math.sign(1 - scale);
  // its tokens that were penalised, each at most as likely as its best one, may be gone
  if (nUnheld > 0 && tail.mass > 0)
    tail.doubt = Math.min(1, doubt + (nUnheld * (tail.bestProb ?? 0)) / tail.mass);
  return tail;
}

/**
 * What a mask took away: how much, the worst token that it left, and whether that is certain.
 * @param {Distribution} distribution
 * @param {Weighed} given
 * @param {Uint8Array} kept
 * @param {string} name
 * @param {number} value
 */
function describeCut(distribution, given, kept, name, value) {
  const { counts, ids, nRows } = distribution;
  const { rows, probs } = given;
  let removedMass = 0;
  for (let i = 0; i < kept.length; i++) if (!kept[i]) removedMass += counts[rows[i]] * probs[i];
  const isCut = kept.includes(0);
  const worst = rows[kept.lastIndexOf(1)];
  return {
    removedMass,
    boundaryId: isCut && worst < nRows ? ids[worst] : null,
    reachesTail: isUnsure(distribution, given, kept, name, value),
  };
}

/**
 * Whether the mask kept tokens of the tail, or might have cut elsewhere with the true tail.
 * @param {Distribution} distribution
 * @param {Weighed} given
 * @param {Uint8Array} kept
 * @param {string} name
 * @param {number} value
 */
function isUnsure(distribution, given, kept, name, value) {
  const { counts, nRows, nVocab, nUnsent } = distribution;
  const tail = measureTail(distribution, given);
  if (tail.nBins === 0 || (name === "top_k" && value >= nVocab)) return false;
  // one of the tail may be as good as the worst that is held
  const keepsAllHeld = kept.every((isKept, i) => isKept || given.rows[i] >= nRows);
  if (nUnsent > 0 && (keepsAllHeld || OF_ALL_LOGITS.includes(name))) return true;
  if (kept.some((isKept, i) => isKept && given.rows[i] >= nRows)) return true;
  // try the tail as heavy, and as light, as it may be
  return [1, -1].some((sign) => {
    const other = weighTokens(distribution, given, Math.max(0, 1 + sign * tail.doubt));
    // the spread within the bins is not known either
    const otherValue = name === "top_n_sigma" ? value * (1 + 0.1 * sign) : value;
    const otherKept = KEEP_BY_NAME[name](other, otherValue, counts);
    return kept.some((isKept, i) => isKept !== otherKept[i]);
  });
}

/** @param {Distribution} distribution @param {Tokens} tokens */
function rowsBestFirst({ nRows }, { rows }) {
  const order = new Int32Array(nRows);
  const isPlaced = new Uint8Array(nRows);
  let n = 0;
  for (const row of rows) {
    if (row >= nRows) continue;
    order[n++] = row;
    isPlaced[row] = 1;
  }
  for (let row = 0; row < nRows; row++) if (!isPlaced[row]) order[n++] = row;
  return order;
}

// --- The draw ------------------------------------------------------------------------------------

/**
 * The token on which the pointer falls when the probabilities are laid end to end, best first; null
 * where that token, or the cut of a mask, is one that the page cannot know.
 * @param {Result} result what processLogits returned
 * @param {number} pointer in [0, 1)
 * @returns {Drawn|null}
 */
export function drawToken(result, pointer) {
  if (result.stages.some((stage) => stage.reachesTail)) return null;
  const { kept, probs, scores, tail } = last(result.stages);
  let end = 0;
  for (const row of result.order) end += probs[row];
  const target = pointer * (end + tail.mass);
  let drawn = null;
  let to = 0;
  for (const row of result.order) {
    if (!kept[row]) continue;
    if (scores[row] <= tail.bestScore) return null;
    const from = to;
    to += probs[row];
    drawn = { id: result.idOf(row), from, to };
    if (to > target) break;
  }
  if (drawn === null || tail.nBins === 0) return drawn;
  // with a tail, the ends of a piece are known to within the doubt about its mass
  const slack = tail.doubt * tail.mass;
  const isNearEnd = drawn.to - target <= slack || (drawn.from > 0 && target - drawn.from < slack);
  return isNearEnd ? null : drawn;
}
