// What mirostat remembers of the tokens before: the surprise that it lets pass now. The page's twin of
// `Memory` in model/records.py.

const RATE = 0.1; // share of a token's error by which mu moves

/** Of no token. @type {Memory} */
export const NO_MEMORY = Object.freeze({ target: 0, mu: 0 });

/**
 * What holds for the next token; another target begins anew, at twice as much.
 * @returns {Memory}
 * @param {Memory} memory
 * @param {number} target
 */
export function memoryUnder(memory, target) {
  return memory.target === target ? memory : { target, mu: 2 * target };
}

/**
 * What holds after a draw: mu moves against the error of its surprise.
 * @returns {Memory}
 * @param {Memory} memory
 * @param {number} prob
 */
export function memoryAfter({ target, mu }, prob) {
  return target === 0 ? NO_MEMORY : { target, mu: mu - RATE * (-Math.log2(prob) - target) };
}
