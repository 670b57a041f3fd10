// What stands on the page as it is heard: tokens by the names of their signs, numbers with commas. Screen
// readers leave single signs out, and read a number with thin spaces as several.

import { _, languageTag, pgettext } from "./words.js";

/** @type {Record<string, string>} */
const WHITESPACE = { "␣": pgettext("a sign", "space"), "⏎": _("new line"), "⇥": _("tab") };
/** @type {Record<string, string>} */
const SIGNS = {
  ".": _("full stop"),
  ",": _("comma"),
  ";": _("semicolon"),
  ":": _("colon"),
  "!": _("exclamation mark"),
  "?": _("question mark"),
  "…": _("ellipsis"),
  '"': _("quotation mark"),
  "“": _("opening quotation mark"),
  "”": _("closing quotation mark"),
  "'": _("apostrophe"),
  "‘": _("opening quotation mark"),
  "’": _("apostrophe"),
  "-": _("hyphen"),
  "–": _("dash"),
  "—": _("dash"),
  "(": _("opening parenthesis"),
  ")": _("closing parenthesis"),
  "[": _("opening bracket"),
  "]": _("closing bracket"),
  "/": _("slash"),
  "*": _("asterisk"),
};
const BYTE = /<0x([0-9A-F]{2})>/g;
const SPECIAL = /^<\|?([^<>|]+)\|?>$/; // a token that is no text
/** @type {Record<string, string>} */
const SPECIAL_NAMES = { endoftext: _("end of text") };

/**
 * The label of a token as it is heard: whitespace by its name, signs that stand alone by theirs.
 * @param {string} label
 */
export function spoken(label) {
  const words = label.replace(BYTE, (_byte, hex) => `${_("byte {hex}", { hex })} `).trim();
  const special = SPECIAL.exec(words)?.[1];
  if (special) return SPECIAL_NAMES[special] ?? special.replaceAll("_", " ");
  const isOfSigns = [...words].every((sign) => sign in WHITESPACE || sign in SIGNS);
  const named = (/** @type {string} */ sign) => WHITESPACE[sign] ?? (isOfSigns ? SIGNS[sign] : undefined);
  return [...words].map((sign) => (named(sign) ? ` ${named(sign)} ` : sign)).join("").replace(/ +/g, " ")
    .trim();
}

/** Words with numbers as they are heard: 4,096. @param {string} words */
export function withCommas(words) {
  return languageTag() === "en" ? words.replace(/(\d)\u202f(?=\d{3})/g, "$1,") : words;
}

/**
 * Tokens as one stretch of text.
 * @param {number[]} ids the whole text
 * @param {number} from the position of the first of them
 * @param {Label} label
 * @param {Record<string, string>} joined by position, the characters that are complete only there
 */
export function asText(ids, from, label, joined = {}) {
  const read = (/** @type {number} */ id, /** @type {number} */ i) => {
    const words = label(id);
    if (words.search(BYTE) >= 0) return joined[from + i] ?? "";
    if (SPECIAL.test(words)) return ` ${spoken(words)}. `;
    return words.replaceAll("␣", " ").replaceAll("⏎", "\n").replaceAll("⇥", "\t");
  };
  return ids.slice(from).map(read).join("").trim();
}
