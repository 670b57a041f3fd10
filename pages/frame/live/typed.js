// A number that somebody typed, in the digits and with the signs of their language: the twin of model/typed.py.

import { numberSigns } from "./words.js";

const MAX_CHARACTERS = 60; // of a number
const POINT = "\u2063"; // a decimal sign and nothing else: it is invisible, so nothing typed holds it
const SAME = {
  ",": "،，",
  ".": "．｡",
  "-": "−–－﹣",
  " ": "\u00a0\u2009\u202f'’٬", // they part thousands and nothing else
  "%": "٪％",
  [POINT]: "٫",
};
const NUMBER = new RegExp(`^([+-]?)([0-9., ${POINT}]*[0-9])(e[+-]?[0-9]{1,3})? ?%?$`, "i");
const IN_THREES = /^([0-9]{1,3}([., ])[0-9]{3}(\2[0-9]{3})*|[0-9]*)$/;

/**
 * The number that somebody typed; null where it is none, or where two can be read.
 * @param {string} text
 */
export function numberTyped(text) {
  const digits = text.replace(/\p{Cf}/gu, "").trim().replace(/\p{Nd}/gu, digitOf);
  const plain = Object.entries(SAME).reduce(
    (said, [sign, others]) => said.replace(new RegExp(`[${others}]`, "g"), sign),
    digits,
  );
  const found = plain.length <= MAX_CHARACTERS ? NUMBER.exec(plain) : null;
  const parts = found && partsOf(found[2]);
  if (!parts || !IN_THREES.test(parts[0]) || /[^0-9]/.test(parts[1])) return null;
  const whole = parts[0].replace(/[., ]/g, "");
  const number = Number(`${found[1]}${whole || 0}.${parts[1] || 0}${found[3] ?? ""}`);
  return Number.isFinite(number) ? number : null;
}

/** A number before its decimals, and these; null where a sign can be read in two ways. @param {string} digits */
function partsOf(digits) {
  const signs = digits.replace(/[0-9]/g, "");
  if (signs.includes(POINT)) return partedAt(digits, digits.indexOf(POINT));
  const marks = signs.replaceAll(" ", "");
  const last = marks.slice(-1);
  if (last === "" || (marks.length > 1 && new Set(marks).size === 1)) return [digits, ""]; // all part thousands
  const [whole, decimals] = partedAt(digits, digits.lastIndexOf(last));
  const isOpen = signs.length === 1 && decimals.length === 3 && /^[1-9][0-9]{0,2}$/.test(whole);
  const { decimal, group } = numberSigns();
  if (!isOpen || last === decimal) return [whole, decimals];
  return last === group ? [digits, ""] : null;
}

/** @param {string} text @param {number} at */
function partedAt(text, at) {
  return [text.slice(0, at), text.slice(at + 1)];
}

/** A decimal digit of any script as that of ours: ten of them follow each other. @param {string} digit */
function digitOf(digit) {
  const code = /** @type {number} */ (digit.codePointAt(0));
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
