// One small function per mask, the page's twin of model/masks.py: given the tokens still in play,
// best first, each says which of them it keeps, and keeps at least one. `counts` tells how many tokens
// a row stands for: one, but for the bins of the tail that masks.js explains.

/** The masks by the name of their setting. @type {Record<string, Keep>} */
export const KEEP_BY_NAME = {
  greedy: keepBest,
  top_k: keepTopK,
  top_p: keepTopP,
  min_p: keepMinP,
  typical_p: keepTypical,
  epsilon: keepEpsilon,
  eta: keepEta,
  top_n_sigma: keepTopNSigma,
  min_k: keepMinK,
  top_h: keepTopH,
  p_less: keepPLess,
  mirostat: keepExpected,
  xtc: excludeTopChoices,
};
const TOP_H_MOST = 100; // tokens that Top-H looks at
const XTC_THRESHOLD = 0.1; // the probability from which a token is a top choice

/** The best token alone; of equals, the lowest id. @type {Keep} */
function keepBest({ rows }) {
  return keepWhere(rows.length, (i) => i === 0);
}

/**
 * All but the top choices; the least likely of them stays, and so do all where it is not due.
 * @type {Keep}
 */
function excludeTopChoices({ rows, probs }, isDue, counts) {
  let nTop = 0;
  while (nTop < rows.length && counts[rows[nTop]] === 1 && probs[nTop] >= XTC_THRESHOLD) nTop++;
  return keepWhere(rows.length, (i) => !isDue || i >= nTop - 1);
}

/** The k best tokens, and all that tie with the last of them. @type {Keep} */
function keepTopK({ rows, scores }, k, counts) {
  let last = 0;
  for (let n = counts[rows[0]]; n < k && last < rows.length - 1; n += counts[rows[last]]) last++;
  return keepWhere(rows.length, (i) => scores[i] >= scores[last]);
}

/** The smallest set of best tokens that reaches p; the one that crosses p is in it. @type {Keep} */
function keepTopP({ rows, probs }, p, counts) {
  const kept = new Uint8Array(rows.length).fill(1);
  // from the worst upwards, remove while what is removed is at most 1 - p
  let removed = 0;
  for (let i = rows.length - 1; i > 0; i--) {
    removed += counts[rows[i]] * probs[i];
    if (removed > 1 - p) break;
    kept[i] = 0;
  }
  return kept;
}

/** The tokens at least `fraction` as likely as the best one. @type {Keep} */
function keepMinP({ probs }, fraction) {
  return keepWhere(probs.length, (i) => probs[i] >= fraction * probs[0]);
}

/**
 * The tokens whose surprise is nearest to the entropy, until they reach `mass`, and their equals.
 * @type {Keep}
 */
function keepTypical({ rows, scores, probs, entropy }, mass, counts) {
  let weight = 0;
  for (let i = 0; i < rows.length; i++) weight += counts[rows[i]] * Math.exp(scores[i] - scores[0]);
  const logWeight = Math.log(weight);
  const surprise = (/** @type {number} */ i) => -(scores[i] - scores[0] - logWeight) - entropy;
  const distance = (/** @type {number} */ i) => Math.abs(surprise(i));
  // best first, the surprise rises: walk outwards from where it passes the entropy
  let right = 0;
  while (right < rows.length && surprise(right) < 0) right++;
  let left = right - 1;
  let cut = 0;
  for (let reached = 0; reached < mass && (left >= 0 || right < rows.length);) {
    const goesLeft = right === rows.length || (left >= 0 && distance(left) <= distance(right));
    const nearest = goesLeft ? left-- : right++;
    cut = distance(nearest);
    reached += counts[rows[nearest]] * probs[nearest];
  }
  return keepWhere(rows.length, (i) => distance(i) <= cut);
}

/**
 * The tokens with at least the probability `cutoff`, and the best one in any case.
 * @param {Weighed} tokens
 * @param {number} cutoff
 */
function keepEpsilon({ scores, probs }, cutoff) {
  return keepWhere(probs.length, (i) => probs[i] >= cutoff || scores[i] >= scores[0]);
}

/**
 * As epsilon, with a lower cutoff where the distribution is undecided.
 * @param {Weighed} tokens
 * @param {number} cutoff
 */
function keepEta(tokens, cutoff) {
  return keepEpsilon(tokens, Math.min(cutoff, Math.sqrt(cutoff) * Math.exp(-tokens.entropy)));
}

/** The tokens whose score is within n standard deviations of the best one. @type {Keep} */
function keepTopNSigma({ rows, scores }, n, counts) {
  let size = 0;
  let sum = 0;
  rows.forEach((row, i) => {
    size += counts[row];
    sum += counts[row] * scores[i];
  });
  let squares = 0;
  rows.forEach((row, i) => {
    const distance = scores[i] - sum / size;
    squares += counts[row] * (distance * distance);
  });
  const deviation = Math.sqrt(squares / size);
  return keepWhere(rows.length, (i) => scores[i] >= scores[0] - n * deviation);
}

/** What stands before the steepest fall of the sorted scores; at least tau over their range. @type {Keep} */
function keepMinK(tokens, tau, counts) {
  const { rows, scores } = tokens;
  const spread = scores[0] - scores[scores.length - 1];
  if (spread === 0) return keepWhere(rows.length, () => true);
  let [n, k, steepest] = [0, 0, -1];
  for (let i = 0; i + 1 < rows.length; i++) {
    n += counts[rows[i]];
    const fall = (scores[i] - scores[i + 1]) / spread / n;
    if (fall > steepest) [k, steepest] = [n, fall];
  }
  return keepTopK(tokens, Math.max(k, Math.floor(tau / spread)), counts);
}

/**
 * The best tokens while what they add to the entropy of the 100 best is at most `share` of it.
 * @type {Keep}
 */
function keepTopH({ rows, scores }, share, counts) {
  let n = 0;
  while (n < Math.min(rows.length, TOP_H_MOST) && counts[rows[n]] === 1) n++;
  const weights = scores.slice(0, n).map((score) => Math.exp(score - scores[0]));
  const weight = weights.reduce((sum, one) => sum + one, 0);
  let sum = 0;
  /** @type {number[]} */
  const sums = [];
  for (const one of weights) {
    const prob = one / weight;
    if (prob === 0) break;
    sums.push(sum += -prob * Math.log(prob));
  }
  return keepWhere(rows.length, (i) => i === 0 || sums[i] <= share * sum);
}

/** The tokens at least as likely as two draws are to be equal. @type {Keep} */
function keepPLess(tokens, _, counts) {
  const { rows, probs } = tokens;
  return keepEpsilon(tokens, rows.reduce((sum, row, i) => sum + counts[row] * (probs[i] * probs[i]), 0));
}

/** The tokens whose surprise is at most mu bits, and the best one in any case. @type {Keep} */
function keepExpected({ probs }, mu) {
  return keepWhere(probs.length, (i) => i === 0 || probs[i] >= 2 ** -mu);
}

/** @param {number} n @param {(i: number) => boolean} isKept */
function keepWhere(n, isKept) {
  const kept = new Uint8Array(n);
  for (let i = 0; i < n; i++) if (isKept(i)) kept[i] = 1;
  return kept;
}
