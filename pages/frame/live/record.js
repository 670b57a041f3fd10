// What this browser keeps of a pupil's way through the course: what was guessed, where, and the lines that were
// written. No account, and nothing is sent. What is stored may be anybody's: it is read with care.

import { localStore, readJson } from "./storage.js";

const STORED_AS = "ott-record";
const MAX_ANSWERS = 200;
const MAX_LINES = 5;
const MAX_TEXT = 600; // characters of one text

/** @typedef {{place: string, title: string, question: string, said: string, right: string, isRight: boolean|null,
 *   remember?: string}} Answer */
/** @typedef {{text: string, link: string}} Line */

/** @param {unknown} text */
const isText = (text) => typeof text === "string" && text !== "" && text.length <= MAX_TEXT;
/** @param {Answer} one */
const isAnswer = (one) =>
  [one?.place, one?.title, one?.question, one?.said].every(isText) && typeof one.right === "string" &&
  [true, false, null].includes(one.isRight) && (one.remember === undefined || isText(one.remember));
/** @param {Line} one */
const isLine = (one) => isText(one?.text) && isText(one?.link) && one.link.startsWith("./?");
/** @template One @param {unknown} value @param {(one: One) => boolean} isOne */
const listOf = (value, isOne) => Array.isArray(value) ? value.filter(isOne) : [];

/** What was kept, the newest first; `best` is the line that the pupil chose. */
export function readRecord() {
  const kept = readJson(localStore, STORED_AS);
  const lines = /** @type {Line[]} */ (listOf(kept?.lines, isLine));
  const best = Number.isInteger(kept?.best) && kept.best in lines ? kept.best : 0;
  const seen = /** @type {string[]} */ (listOf(kept?.seen, isText));
  return { seen, answers: /** @type {Answer[]} */ (listOf(kept?.answers, isAnswer)), lines, best };
}

/** @param {{ lines: Line[], best: number, seen: string[], answers: Answer[] }} record */
const write = (record) => localStore.write(STORED_AS, JSON.stringify(record));

/** Keeps what was said to a question, in place of what was said to it before. @param {Answer} answer */
export function keepAnswer(answer) {
  if (!isAnswer(answer)) return;
  const record = readRecord();
  const others = record.answers.filter(({ place, question }) =>
    place !== answer.place || question !== answer.question
  );
  write({ ...record, answers: [answer, ...others].slice(0, MAX_ANSWERS) });
}

/**
 * Keeps what to remember of the questions of a place that were answered.
 * @param {{place: string, sentences: {question: string, words: string}[]}} given
 */
export function keepRemembered({ place, sentences }) {
  const record = readRecord();
  const said = new Map(sentences.map(({ question, words }) => [question, words]));
  const answers = record.answers.map((one) => {
    const remember = one.place === place ? said.get(one.question) : undefined;
    return isText(remember) ? { ...one, remember } : one;
  });
  write({ ...record, answers });
}

/** Keeps that a page was read to its end. @param {string} place */
export function keepSeen(place) {
  const record = readRecord();
  if (!record.seen.includes(place)) write({ ...record, seen: [...record.seen, place].slice(-MAX_ANSWERS) });
}

/** Keeps a line that a finger wrote; one that goes on from the newest takes its place. @param {Line} line */
export function keepLine(line) {
  const { text } = line;
  const kept = { ...line, text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text };
  if (!isLine(kept)) return;
  const record = readRecord();
  const [newest, ...older] = record.lines;
  if (newest?.text === kept.text) return;
  const isMore = newest !== undefined && kept.text.startsWith(newest.text);
  const lines = [kept, ...(isMore ? older : record.lines)].slice(0, MAX_LINES);
  const best = record.best === 0 ? 0 : Math.min(record.best + (isMore ? 0 : 1), lines.length - 1);
  write({ ...record, lines, best });
}

/** Keeps which of the lines is the best one. @param {number} best */
export function chooseBest(best) {
  write({ ...readRecord(), best });
}

/** Forgets all of it. */
export function forgetRecord() {
  localStore.write(STORED_AS, null);
}
