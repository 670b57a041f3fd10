// What a link or a program says of a setting, read as the app reads it. Each field comes from the table
// of pages/frame/fields.py with the words of its refusal, so that both refuse the same in one sentence.

import { required } from "../../../frame/live/required.js";
import { reasonOf } from "../../../frame/live/errors.js";
import { _, grouped, languageTag, numeral } from "../../../frame/live/words.js";

const MAX_ECHO = 40; // characters of somebody's input
const INVISIBLE = /[^\P{C}\t-\r\u0085]/gu; // controls that are white space stay
const NUMBER = /^-?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,3})?$/i; // as pages/frame/values.py reads one

/** The field of a name. @param {Pick<Facts, "fields">} facts @param {string} name */
export function fieldOf({ fields }, name) {
  return required(fields.find((field) => field.name === name), `field “${name}”`);
}

/** The value that a text stands for. @param {LinkField} field @param {string} text */
export function readField(field, text) {
  const value = READ[field.kind](field, text);
  if (value === undefined) throw new RangeError(refusalOf(field, text));
  return value;
}

/** A value as text, so that reading it gives the value again. @param {LinkField} field @param {any} value */
export function writeField({ kind }, value) {
  if (kind === "number") return asPythonWrites(value);
  if (kind === "switch") return value ? "1" : "0";
  return String(value); // a list with commas
}

/**
 * Reads what a query says; what cannot be read is left out and named in a few words.
 * @param {[string, string][]} query names and texts
 * @param {LinkField[]} fields
 */
export function readFields(query, fields) {
  /** @type {Record<string, any>} */
  const values = {};
  /** @type {string[]} */
  const faults = [];
  for (const field of fields) {
    try {
      const text = textAt(query, field.name, _(field.label));
      if (text !== undefined) values[field.name] = readField(field, text);
    } catch (error) {
      faults.push(reasonOf(error));
    }
  }
  return { values, faults };
}

/**
 * The one text that a query has under a name; undefined if it has none.
 * @param {[string, string][]} query names and texts
 * @param {string} name
 * @param {string} setting what a reader calls it
 */
export function textAt(query, name, setting) {
  const texts = query.filter(([key]) => key === name);
  if (texts.length > 1)
    throw new RangeError(_("“{setting}” is given {n_times} times", { setting, n_times: texts.length }));
  return texts.at(0)?.[1];
}

/**
 * Joins parts, the first in any case; where they are too many, says how many are left out.
 * @param {string[]} parts
 * @param {number} limit of characters
 */
export function asManyAsFit(parts, limit, between = "; ") {
  let n = Math.min(1, parts.length);
  while (n < parts.length && lengthOf(parts.slice(0, n + 1).join(between)) <= limit) n++;
  const nLeft = parts.length - n;
  return parts.slice(0, n).join(between) +
    (nLeft > 0 ? ` ${_("(and {number} more)", { number: nLeft })}` : "");
}

/** Characters of a text, as Python counts them. @param {string} text */
export function lengthOf(text) {
  return Array.from(text).length;
}

/** A character that nobody sees, written out as `spelled` of model/sentences.py does. @param {string} character */
function spelled(character) {
  const code = Number(character.codePointAt(0)).toString(16).toUpperCase();
  return `<U+${code.padStart(4, "0")}>`;
}

/** @param {LinkField} field @param {string} text */
function refusalOf({ label, refusal: { source, values } }, text) {
  const line = Array.from(
    text.replace(INVISIBLE, spelled).split(/\p{White_Space}+/u).filter(Boolean).join(" "),
  );
  const cut = line.length <= MAX_ECHO ? line.join("") : `${line.slice(0, MAX_ECHO - 1).join("")}…`;
  const written = Object.entries(values).map(([name, value]) => [name, asWritten(String(value))]);
  return _(source, { ...Object.fromEntries(written), setting: _(label), given: cut });
}

/** A number of English with commas as the reader's language writes it; all else as it is. @param {string} value */
function asWritten(value) {
  const isGrouped = languageTag() !== "en" && /^\d{1,3}(,\d{3})+$/.test(value);
  return isGrouped ? numeral(grouped(Number(value.replaceAll(",", "")))) : value;
}

/**
 * By the kind of a field: its value, or undefined where the text is none of its values.
 * @type {Record<LinkField["kind"], (field: LinkField, text: string) => any>}
 */
const READ = {
  text: ({ bounds: [, most] }, text) => (lengthOf(text) <= most ? text : undefined),
  whole: ({ bounds }, text) => (/^\d{1,18}$/.test(text) ? within(bounds, Number(text)) : undefined),
  number({ bounds, least, isWhole }, text) {
    const number = NUMBER.test(text) ? Number(text) : NaN;
    const isTiny = 0 < number && number < least;
    return isTiny || (isWhole && !Number.isInteger(number)) ? undefined : within(bounds, number);
  },
  choice: ({ options }, text) => (options.includes(text) ? text : undefined),
  several({ options }, text) {
    const names = text.split(",").filter(Boolean);
    if (!names.every((name) => options.includes(name))) return undefined;
    return options.filter((name) => names.includes(name));
  },
  switch: (_, text) => SWITCH.get(text),
};

const SWITCH = new Map([["1", true], ["0", false], ["True", true], ["False", false]]);

/** @param {LinkField["bounds"]} bounds @param {number} number */
function within([low, high], number) {
  return low <= number && number <= high ? number : undefined;
}

/** Every digit of a number, a small one with an exponent of two digits. @param {number} number */
function asPythonWrites(number) {
  if (number === 0 || Math.abs(number) >= 1e-4) return String(number);
  const [digits, exponent] = number.toExponential().split("e-");
  return `${digits}e-${exponent.padStart(2, "0")}`;
}
