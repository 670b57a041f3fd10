"use strict";
// Numbers as words: the twin of viz/format.py. Knows nothing of the run.

const THIN = "\u202f"; // narrow space that never breaks
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Groups thousands by thin spaces. */
function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** Counts a noun: 1 token, 2 tokens. */
function plural(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** Rounds to significant digits without an exponent, thousands grouped. */
function digits(value, nSignificant = 3) {
  if (value === 0) return "0";
  const [, exponent] = value.toExponential(nSignificant - 1).split("e");
  const rounded = Number(value.toPrecision(nSignificant));
  const [whole, rest] = rounded.toFixed(Math.max(0, nSignificant - 1 - Number(exponent))).split(".");
  return rest === undefined ? count(whole) : `${count(whole)}.${rest}`;
}

/** Writes a fraction as a percentage: never "<0.01 %", and 100 % only where it is. */
function percent(fraction) {
  const shown = 100 * fraction;
  let text;
  if (fraction === 0 || fraction === 1) text = String(shown);
  else if (shown >= 99.95) text = nearlyAll(shown);
  else if (shown >= 0.995) text = shown.toFixed(1);
  else if (shown >= 0.001) text = digits(shown, 2);
  else text = powerOfTen(shown);
  return `${text}${THIN}%`;
}

function nearlyAll(shown) {
  const nDigits = Math.min(9, Math.ceil(-Math.log10(100 - shown)));
  const text = shown.toFixed(nDigits);
  return Number(text) === 100 ? `>99.${"9".repeat(nDigits)}` : text;
}

function powerOfTen(value) {
  const [mantissa, exponent] = value.toExponential(0).split("e-");
  return `${mantissa}·10⁻${exponent.replace(/\d/g, (digit) => SUPERSCRIPTS[digit])}`;
}

/** Writes nats with a true minus sign; null is the logarithm of nothing. */
function nats(value) {
  if (value === null) return `−∞${THIN}nats`;
  const text = Math.abs(value).toFixed(2);
  return `${value < 0 && Number(text) ? "−" : ""}${text}${THIN}nats`;
}

/** Writes the probability of a whole text, which may lie below what a float can hold. */
function probabilityOf(logprob) {
  if (logprob === null) return "0";
  const tens = logprob / Math.LN10;
  if (tens > -3) return digits(Math.exp(logprob), 3);
  const exponent = Math.floor(tens);
  const raised = String(-exponent).replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${(10 ** (tens - exponent)).toFixed(1)}·10⁻${raised}`;
}

/** Writes bytes in decimal units with three digits. */
function size(nBytes) {
  let scale = 1;
  let unit = "B";
  for (const larger of ["kB", "MB", "GB", "TB"]) {
    if (nBytes < scale * 999.5) break;
    scale *= 1000;
    unit = larger;
  }
  return `${scale === 1 ? count(nBytes) : digits(nBytes / scale)}${THIN}${unit}`;
}

/** Writes seconds in the unit that suits them. */
function duration(seconds) {
  if (seconds >= 0.9995) return `${digits(seconds)}${THIN}s`;
  const [factor, unit] = seconds >= 1e-4 ? [1e3, "ms"] : [1e6, "µs"];
  const value = seconds * factor;
  return `${digits(value, value >= 10 ? 3 : 2)}${THIN}${unit}`;
}

/** Writes a moment as day and minute in UTC, whatever the clock of the reader. */
function moment(iso) {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return iso;
  const write = (style) => new Intl.DateTimeFormat("en-GB", { ...style, timeZone: "UTC" }).format(then);
  return `${write({ dateStyle: "long" })}, ${write({ timeStyle: "short" })} UTC`;
}
