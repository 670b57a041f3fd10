// Four words to guess from: of the likeliest that are whole the first, third and fifth, so that one can be right
// without having said the likeliest; and a funny one; in no telling order.

const N_LIKELY = 3;
export const N_GUESSES = N_LIKELY + 1;
export const N_LOOKED_AT = 12; // tokens, the likeliest first, among which whole words are looked for
const WORD = /^␣\p{L}{2,}$/u;
/** One of these stands beside the likely words, the first that the model has as one token. */
const FUNNY = ["elephant", "banana", "dragon", "cheese", "spoon", "pizza", "robot"].map((word) => `␣${word}`);

/**
 * The labels of the words.
 * @param {string[]} likely labels of tokens, the likeliest first
 * @param {Labels} labels of all tokens
 * @param {number} position of the token that is asked for
 */
export function wordsToGuess(likely, labels, position) {
  const fit = likely.filter((label) => WORD.test(label));
  const isEnough = fit.length >= 2 * N_LIKELY - 1;
  const words = fit.filter((_, i) => !isEnough || i % 2 === 0).slice(0, N_LIKELY);
  const known = new Set(Object.values(labels));
  const funny = FUNNY.find((label) => known.has(label) && !likely.includes(label));
  const all = [...words, ...(funny ? [funny] : [])];
  const turn = position % Math.max(1, all.length);
  return [...all.slice(turn), ...all.slice(0, turn)];
}
