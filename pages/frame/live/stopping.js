// Stop strings, the twin of model/stopping: a test on the bytes that were generated, made after each token.

import { _, ngettext } from "./words.js";

const MAX_STRINGS = 4;
const MAX_CHARACTERS = 40; // of one string
/** @type {Record<string, string>} */
const ESCAPES = { n: "\n", t: "\t", "\\": "\\" };

/**
 * The stop strings of a field, one a line; `\n` is a line break, `\t` a tab.
 * @param {string} lines
 * @returns {string[]}
 */
export function readStrings(lines) {
  const unescape = (/** @type {string} */ line) =>
    line.replace(/\\([nt\\])/g, (_, letter) => ESCAPES[letter]);
  const strings = lines.split(/\r?\n/).filter(Boolean).map(unescape);
  const { length } = strings;
  if (length > MAX_STRINGS)
    throw new RangeError(
      ngettext(
        "There is {n} stop string: use at most {most}.",
        "There are {n} stop strings: use at most {most}.",
        length,
        { most: MAX_STRINGS },
      ),
    );
  for (const string of strings) {
    const n = Array.from(string).length;
    if (n > MAX_CHARACTERS)
      throw new RangeError(
        ngettext(
          "A stop string has {n} character: use 1 to {most}.",
          "A stop string has {n} characters: use 1 to {most}.",
          n,
          { most: MAX_CHARACTERS },
        ),
      );
    if (!string.isWellFormed())
      throw new RangeError(_("A stop string holds half a character: write it again."));
  }
  return strings;
}

/** Stop strings as the lines of a field, so that reading them gives them again. @param {string[]} strings */
export function writeStrings(strings) {
  const escape = (/** @type {string} */ string) =>
    string.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return strings.map(escape).join("\n");
}

/**
 * The stop string that the newest token completes: the first in the text, of those that end together the
 * longest; null if none.
 * @param {string[]} strings
 * @param {Iterable<Iterable<number>>} newestFirst the bytes of the generated tokens, from the last to the first
 * @returns {string|null}
 */
export function completedBy(strings, newestFirst) {
  if (strings.length === 0) return null;
  const sought = strings.map((string) => ({ string, bytes: asLetters(new TextEncoder().encode(string)) }));
  const longest = Math.max(...sought.map(({ bytes }) => bytes.length));
  /** @type {string|null} */
  let newest = null;
  let before = "";
  for (const token of newestFirst) {
    if (newest === null) newest = asLetters(token);
    else before = asLetters(token) + before;
    if (newest === "" || before.length >= longest - 1) break;
  }
  const text = before + (newest ?? "");
  const matches = sought.map(({ string, bytes: { length }, bytes }) => {
    const begin = text.indexOf(bytes, Math.max(0, before.length - length + 1));
    return { string, begin, end: begin + length };
  }).filter(({ begin }) => begin >= 0);
  matches.sort((one, other) => one.end - other.end || one.begin - other.begin);
  return newest ? matches[0]?.string ?? null : null;
}

/** A letter for every byte, so that bytes can be searched as a text is. @param {Iterable<number>} bytes */
function asLetters(bytes) {
  return String.fromCharCode(...bytes);
}
