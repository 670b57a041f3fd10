// Penalties move the scores of tokens that the text has used, and so the order of all: the page's
// twin of the penalties in model/masks.py.

const [DRY_BASE, DRY_ALLOWED, DRY_MOST] = [1.75, 2, 158];
const DRY_POWERS = [1];
for (let power = 1; DRY_POWERS.length <= DRY_MOST;) DRY_POWERS.push(power *= DRY_BASE);

/**
 * The new score of a token by the name of the setting: of what was counted of it, and its value.
 * @type {Record<string, (score: number, count: number, value: number) => number>}
 */
export const PENALTY_BY_NAME = {
  // a negative score is multiplied and any other divided, so that both move down
  repetition_penalty: (score, _count, penalty) => (score < 0 ? score * penalty : score / penalty),
  presence_penalty: (score, _count, penalty) => score - penalty,
  frequency_penalty: (score, count, penalty) => score - penalty * count,
  // the longer the stretch that it would repeat, the more; each power from the one before
  dry: (score, length, multiplier) =>
    length < DRY_ALLOWED ? score : score - multiplier * DRY_POWERS[Math.min(length - DRY_ALLOWED, DRY_MOST)],
};

/**
 * Moves the tokens that were used and merges them with the others, which stay in order.
 * @param {Distribution} distribution
 * @param {Weighed} tokens
 * @param {number[]} usedIds
 * @param {string} name
 * @param {number} value
 */
export function penalise(distribution, tokens, usedIds, name, value) {
  const { nRows, nVocab, ids } = distribution;
  const { counts, nUnheld } = countByRow(distribution, name === "dry" ? repeated(usedIds) : usesOf(usedIds));
  /** @type {{row: number, score: number}[]} */
  const moved = [];
  tokens.rows.forEach((row, i) => {
    if (row >= nRows || counts[row] === 0) return;
    moved.push({ row, score: PENALTY_BY_NAME[name](tokens.scores[i], counts[row], value) });
  });
  moved.sort((a, b) => b.score - a.score || ids[a.row] - ids[b.row]);
  const merged = { ...tokens, rows: tokens.rows.slice(), scores: tokens.scores.slice() };
  merged.nUnheld = Math.max(tokens.nUnheld, nUnheld);
  let [n, m] = [0, 0];
  const place = (/** @type {number} */ row, /** @type {number} */ score) => {
    merged.rows[n] = row;
    merged.scores[n++] = score;
  };
  for (let i = 0; i < tokens.rows.length; i++) {
    const [row, score] = [tokens.rows[i], tokens.scores[i]];
    if (row < nRows && counts[row] > 0) continue;
    const id = ids[row] ?? nVocab; // a bin comes after all tokens of the same score
    while (m < moved.length && (moved[m].score - score || id - ids[moved[m].row]) > 0) {
      place(moved[m].row, moved[m++].score);
    }
    place(row, score);
  }
  while (m < moved.length) place(moved[m].row, moved[m++].score);
  return merged;
}

/** How often each token occurs, by id. @param {number[]} ids */
function usesOf(ids) {
  const uses = new Map();
  for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  return uses;
}

/**
 * How many tokens at the end of the text stood before a token earlier, at most; by its id.
 * @param {number[]} ids
 */
function repeated(ids) {
  const lengths = new Map();
  const n = ids.length;
  for (let place = 1; place < n; place++) {
    let length = 0;
    while (length < place && ids[place - 1 - length] === ids[n - 1 - length]) length++;
    if (length > (lengths.get(ids[place]) ?? 0)) lengths.set(ids[place], length);
  }
  return lengths;
}

/**
 * What was counted, by row, and of how many tokens that the page does not hold.
 * @param {Distribution} distribution
 * @param {Map<number, number>} countById
 */
function countByRow(distribution, countById) {
  const counts = new Int32Array(distribution.nRows);
  let nUnheld = 0;
  for (const [id, count] of countById) {
    const row = findRow(distribution, id);
    if (row >= 0) counts[row] = count;
    else if (id >= 0 && id < distribution.nVocab) nUnheld += 1;
  }
  return { counts, nUnheld };
}

/**
 * The row of a token, or -1 where the page does not hold it.
 * @param {Distribution} distribution
 * @param {number} id
 */
export function findRow(distribution, id) {
  return (distribution.rowById ??= rowsById(distribution))[id] ?? -1;
}

/** @param {Distribution} distribution */
function rowsById({ nVocab, ids }) {
  const rows = new Int32Array(nVocab).fill(-1);
  ids.forEach((held, row) => rows[held] = row);
  return rows;
}
