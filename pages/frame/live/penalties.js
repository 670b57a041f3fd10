// Penalties move the scores of tokens that the text has used, and so the order of all: the page's
// twin of the penalties in model/masks.py.

/** The new score of a token that the text has used, by the name of the setting. */
export const PENALTY_BY_NAME = {
  // a negative score is multiplied and any other divided, so that both move down
  repetition_penalty: (score, _count, penalty) => (score < 0 ? score * penalty : score / penalty),
  presence_penalty: (score, _count, penalty) => score - penalty,
  frequency_penalty: (score, count, penalty) => score - penalty * count,
};

/** Moves the tokens that were used and merges them with the others, which stay in order. */
export function penalise(distribution, tokens, usedIds, name, value) {
  const { nRows, nVocab, ids } = distribution;
  const { counts, nUnheld } = countByRow(distribution, usedIds);
  const moved = [];
  tokens.rows.forEach((row, i) => {
    if (row >= nRows || counts[row] === 0) return;
    moved.push({ row, score: PENALTY_BY_NAME[name](tokens.scores[i], counts[row], value) });
  });
  moved.sort((a, b) => b.score - a.score || ids[a.row] - ids[b.row]);
  const merged = { ...tokens, rows: tokens.rows.slice(), scores: tokens.scores.slice() };
  merged.nUnheld = Math.max(tokens.nUnheld, nUnheld);
  let [n, m] = [0, 0];
  const place = (row, score) => {
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

/** How often each row's token occurs in ids, and how many distinct ids the page does not hold. */
function countByRow(distribution, ids) {
  const counts = new Int32Array(distribution.nRows);
  const unheld = new Set();
  for (const id of ids) {
    const row = findRow(distribution, id);
    if (row >= 0) counts[row] += 1;
    else if (id >= 0 && id < distribution.nVocab) unheld.add(id);
  }
  return { counts, nUnheld: unheld.size };
}

/** The row of a token, or -1 where the page does not hold it. */
export function findRow(distribution, id) {
  if (distribution.rowById === null) {
    distribution.rowById = new Int32Array(distribution.nVocab).fill(-1);
    distribution.ids.forEach((held, row) => (distribution.rowById[held] = row));
  }
  return distribution.rowById[id] ?? -1;
}
