// Pearson's chi-square test: did these counts come from that distribution? The twin of model/chi_square.py.

const MIN_EXPECTED = 5; // counts below which the chi-square distribution is no good approximation

/**
 * Compares counts with the probabilities that they are said to come from.
 * @param {number[]} counts of some texts, the likeliest first
 * @param {number[]} probs theirs; whatever is left of 1 is a bin of its own, as is left of the draws
 * @param {number} nDraws
 */
export function chiSquare(counts, probs, nDraws) {
  const expected = probs.map((prob) => prob * nDraws);
  let n = expected.filter((one) => one >= MIN_EXPECTED).length;
  /** @param {number[]} numbers @param {number} whole */
  const left = (numbers, whole) => numbers.slice(0, n).reduce((sum, one) => sum - one, whole);
  while (n > 0 && left(expected, nDraws) < MIN_EXPECTED && left(expected, nDraws) > 1e-6 * nDraws) n--;
  const bins = expected.slice(0, n).map((one, i) => [one, counts[i]]);
  const others = [Math.max(0, left(expected, nDraws)), left(counts, nDraws)];
  if (others[0] >= MIN_EXPECTED || others[1] > 0) bins.push(others); // what cannot come has no chance
  const statistic = bins.reduce((sum, [one, count]) => sum + (count - one) ** 2 / one, 0);
  const nDegrees = bins.length - 1;
  return { statistic, nDegrees, pValue: nDegrees > 0 ? chanceAbove(statistic, nDegrees) : 1 };
}

/**
 * How often chance alone gives a statistic of this size or more.
 * @param {number} statistic
 * @param {number} nDegrees
 */
function chanceAbove(statistic, nDegrees) {
  const [a, x] = [nDegrees / 2, statistic / 2];
  if (x === 0 || x > 700) return x === 0 ? 1 : 0;
  // the regularised lower incomplete gamma function by its series: every term is positive
  let logGamma = a % 1 === 0 ? 0 : Math.log(Math.PI) / 2;
  for (let factor = a % 1 || 1; factor <= a; factor++) logGamma += Math.log(factor); // of a + 1
  let term = Math.exp(a * Math.log(x) - x - logGamma);
  let sum = 0;
  for (let n = 1; n <= x || term > 1e-17 * sum; n++) {
    sum += term;
    term *= x / (a + n);
  }
  return Math.max(0, 1 - sum);
}
