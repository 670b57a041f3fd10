// How numbers are written on the page: one place for units, digits and thin spaces. What is written here is
// read by people alone, in the reader's language: what a program reads is never written here.
// Knows nothing of models, of the page or of the figures.

import { _, grouped, ngettext, numeral } from "./words.js";

const THIN_SPACE = "\u202f"; // narrow and no-break: a number never parts from its unit
const MINUS = "\u2212";
const COARSEST_CLOCK_MS = 100; // of browsers that hide the time: what takes less is measured as 0
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Write a probability as a percentage: never "<0.01 %", and 100 % only where it is.
 * @param {number} prob in [0, 1]
 */
export function formatProbability(prob) {
  return numeral(probability(prob));
}

/** @param {number} prob */
function probability(prob) {
  const percent = 100 * prob;
  if (!Number.isFinite(percent)) return "–";
  if (prob === 0 || prob === 1) return `${percent}${THIN_SPACE}%`;
  if (percent >= 99.95) return `${nearlyAll(percent)}${THIN_SPACE}%`;
  if (percent >= 0.995) return `${percent.toFixed(1)}${THIN_SPACE}%`;
  if (percent >= 0.001) return `${twoDigits(percent)}${THIN_SPACE}%`;
  return `${powerOfTen(percent)}${THIN_SPACE}%`;
}

/** Write a setting that is a share as a percentage, without trailing zeros. @param {number} share */
export function formatShare(share) {
  return numeral(`${trimmed(100 * share)}${THIN_SPACE}%`);
}

/** Write a running sum of probabilities: it reads 100 % only where nothing is left. @param {number} sum */
export function formatCumulative(sum) {
  const percent = sum > 1 - 1e-9 ? "100" : Math.min(99.9, 100 * sum).toFixed(1);
  return numeral(`${percent}${THIN_SPACE}%`);
}

/** Write a whole number with thin spaces between thousands. @param {number} count */
export function formatCount(count) {
  return numeral(grouped(count));
}

/** Write a number of parameters in thousands, millions or thousand millions. @param {number} count */
export function formatParameters(count) {
  const [size, unit] = count < 1e6 ? [1e3, "k"] : count < 1e9 ? [1e6, "M"] : [1e9, "B"];
  return numeral(`${Number((count / size).toPrecision(3))}${THIN_SPACE}${unit}`);
}

/**
 * Write a duration, given in seconds, in the unit that suits it; 0 is one that the clock cannot tell.
 * @param {number|null} seconds
 */
export function formatSeconds(seconds) {
  if (seconds === 0) return _("less than {time}", { time: numeral(`${COARSEST_CLOCK_MS}${THIN_SPACE}ms`) });
  if (seconds === null || !Number.isFinite(seconds)) return "–";
  if (seconds < 1) return withUnit(1000 * seconds, "ms");
  return seconds < 100 ? withUnit(seconds, "s") : numeral(`${grouped(seconds)}${THIN_SPACE}s`);
}

/** Write a number of bytes: exactly while it is small, else in decimal kB, MB or GB. @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1e5) return numeral(`${grouped(bytes)}${THIN_SPACE}B`);
  if (bytes < 1e6) return withUnit(bytes / 1e3, "kB");
  return bytes < 1e9 ? withUnit(bytes / 1e6, "MB") : withUnit(bytes / 1e9, "GB");
}

/** Write a number with a true minus sign and a fixed count of decimals. @param {number} value */
export function formatNumber(value, decimals = 2) {
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "∞";
  return numeral(value.toFixed(decimals).replace("-", MINUS));
}

/** Write an entropy or a log-probability. @param {number} nats */
export function formatNats(nats) {
  if (!Number.isFinite(nats)) return nats < 0 ? `${MINUS}∞${THIN_SPACE}nats` : "–";
  const text = Math.abs(nats).toFixed(2);
  return numeral(`${nats < 0 && Number(text) !== 0 ? MINUS : ""}${text}${THIN_SPACE}nats`);
}

/**
 * Write a stage's entropy: at most so much, or about, where a server left out how the rest lies.
 * @param {Pick<Stage, "entropy" | "tail">} stage
 */
export function formatEntropy({ entropy, tail }) {
  const sign = tail.bound < 0 ? "≈" : "≤";
  return `${tail.isShared ? sign : ""}${formatNats(entropy)}`;
}

/** Write where a pointer stands on the axis, rounded down: it never reads 100 %. @param {number} pointer in [0, 1) */
export function formatPointer(pointer) {
  return numeral(`${(Math.floor(pointer * 1e4) / 100).toFixed(2)}${THIN_SPACE}%`);
}

/**
 * Write the value of a setting as a person would: no trailing zeros, a true minus sign.
 * @param {number} value
 */
export function formatSetting(value) {
  const text = Number.isInteger(value) ? formatCount(Math.abs(value)) : numeral(trimmed(Math.abs(value)));
  return value < 0 ? `${MINUS}${text}` : text;
}

/** Write a count of tokens: "1 token", "13 tokens". @param {number} count */
export function formatTokens(count) {
  return ngettext("{n} token", "{n} tokens", count);
}

/** @param {number} value @param {string} unit */
function withUnit(value, unit) {
  const text = value >= 100 ? grouped(value) : value.toPrecision(value < 1 ? 2 : 3);
  return numeral(`${text}${THIN_SPACE}${unit}`);
}

/** @param {number} percent */
function nearlyAll(percent) {
  const text = percent.toFixed(2);
  return Number(text) === 100 ? ">99.99" : text; // more digits would not fit, nor be read
}

/** @param {number} percent */
function twoDigits(percent) {
  return percent.toFixed(Math.max(0, 1 - Math.floor(Math.log10(percent))));
}

/** @param {number} percent */
function powerOfTen(percent) {
  const [mantissa, exponent] = percent.toExponential(0).split("e");
  const raised = exponent.replace(/^-/, "").replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]);
  return `${mantissa}·10⁻${raised}`;
}

/** @param {number} value */
function trimmed(value) {
  return String(Number(value.toPrecision(4)));
}
