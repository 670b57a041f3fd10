// The phrase of a text that returns most.

const MIN_PHRASE = 4; // tokens
const BEGINS = /^␣?\p{Lu}/u; // a phrase: a sentence's first word, as in all that the model writes

/**
 * Where the phrase begins whose returns are the most words, and how many words it has; none: there is none.
 * @param {string[]} words
 */
export function findPhrase(words) {
  /** @type {{starts: number[], n: number}} */
  let best = { starts: [], n: 0 };
  let most = 0;
  for (let n = MIN_PHRASE; n <= words.length / 2; n += 1) {
    /** @type {Map<string, number[]>} */
    const places = new Map();
    for (let i = 0; i + n <= words.length; i += 1) {
      if (!BEGINS.test(words[i])) continue;
      const phrase = words.slice(i, i + n).join("\n");
      const starts = places.get(phrase) ?? [];
      if (starts.length === 0 || i >= starts[starts.length - 1] + n) starts.push(i);
      places.set(phrase, starts);
    }
    for (const starts of places.values()) {
      const nAgain = (starts.length - 1) * n;
      if (nAgain > most) [best, most] = [{ starts, n }, nAgain];
    }
  }
  return best;
}
