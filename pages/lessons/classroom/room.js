// What the three pages of a room share: asking the server again and again, and drawing how a class answered.
// Text is only ever set as text: whatever a person wrote is data.

import { drawCells } from "../../frame/live/cells.js";
import { el, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { formatShare } from "../../frame/live/format.js";
import { required } from "../../frame/live/required.js";
import { _, languageTag, ngettext, numeral } from "../../frame/live/words.js";
import { lineOf } from "./drawn.js";

const LETTER = 0.6; // em, of the words behind a bar
const MAX_REMEMBERED = 3; // sentences that a class remembers, beside its own numbers
const LONG_STORY = 70; // characters, from which on it is smaller
const MAX_PILE = 4.2; // em, of dots over one number
const TICKS = [0, 50, 100];
const EXPECTED = "expected"; // the role of what is no bar of its own
const PATIENCE_MS = 6000; // for an answer, until the connection is taken for lost
const SPREAD_MS = 250; // pages that began together do not ask together for ever
const LOST = _("The connection is lost. Trying again…");

/** What the server refuses, in its words; any other error is a lost connection's. */
export class Refusal extends Error {}

/** What went wrong, for the person. @param {unknown} error */
export const trouble = (error) => error instanceof Refusal ? error.message : LOST;

/**
 * The element of an id, of its type.
 * @template {string} Id
 * @param {Id} id
 */
export function byId(id) {
  const element = required(document.getElementById(id), `element “${id}”`);
  return /** @type {Id extends keyof RoomElements ? RoomElements[Id] : HTMLElement} */ (element);
}

/** Where the rooms are, also below a base path; and the code that the address says. */
export const ROOMS = location.pathname.replace(/\/room(\/.*)?$/, "/room");
export function codeInAddress() {
  try {
    return decodeURIComponent(location.pathname.slice(ROOMS.length + 1).split("/")[0]);
  } catch {
    return ""; // an address that is no text says nothing
  }
}

/**
 * Whether a question is about tokens of the text, which no browser may translate.
 * @param {RoomQuestion} question
 */
export const isOfTokens = ({ kind }) => ["next", "sampler"].includes(kind);

/**
 * Has a node bear the language of a text that the room speaks; null if the text is in the page's own.
 * @param {HTMLElement} node
 * @param {Spoken|null} [spoken]
 */
export function tagLanguage(node, spoken) {
  const { lang = null, dir = null } = spoken && spoken.lang !== languageTag() ? spoken : {};
  setAttribute(node, "lang", lang);
  setAttribute(node, "dir", dir);
}

/**
 * Asks one thing; returns null where the server has nothing new.
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {Record<string, unknown>} [body]
 */
export async function ask(path, headers = {}, body = undefined) {
  const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const all = { "Accept-Language": languageTag(), ...headers };
  const answer = await fetch(`${ROOMS}/${path}`, { headers: all, signal, cache: "no-store", ...more });
  if (answer.status === 204) return null;
  const told = await answer.json();
  if (told.error) throw new Refusal(told.error);
  return told;
}

/**
 * Does something again and again, each time once the last is done, until it says false; returns what begins.
 * @param {() => Promise<boolean|void>} once
 * @param {number} everyMs
 */
export function keepAsking(once, everyMs) {
  let timer = 0;
  let isOn = false;
  const turn = async () => {
    clearTimeout(timer);
    isOn = await once() !== false;
    clearTimeout(timer);
    if (isOn) timer = setTimeout(turn, everyMs + SPREAD_MS * Math.random());
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && isOn) turn();
  });
  return turn;
}

/**
 * The seconds that a question has left, by what the server said when; null where it has no end.
 * @param {RoomQuestion|null} question
 * @param {number} since
 */
export function secondsLeft(question, since) {
  if (question === null || !question.is_open || question.seconds_left === null) return null;
  return Math.max(0, Math.ceil(question.seconds_left - (performance.now() - since) / 1000));
}

/**
 * Writes a text, what was appended to it since marked; one that fits no more loses its first words and lines.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {string} before
 * @param {number} most characters
 */
export function writeText(place, text, before, most) {
  const tail = () => text.slice(-most).replace(/^\S*\s+/, "").replace(/\s+/g, " ");
  const cut = text.length > most ? `… ${tail()}` : text;
  const isLonger = before !== "" && text.startsWith(before) && text.length > before.length;
  const last = isLonger ? text.slice(before.length) : "";
  if (place.dataset.shown === `${cut}|${last}`) return;
  place.dataset.shown = `${cut}|${last}`;
  const mark = el("span", { class: "drawn", textContent: last.trimStart() });
  const head = last === "" ? cut : cut.slice(0, cut.length - last.trimStart().length);
  place.replaceChildren(head, ...(last === "" ? [] : [mark]), cut === "" ? "" : "\u00a0…");
}

/**
 * Writes what is asked, or said of a scene; at the end, what the class wrote, and its sentences.
 * @param {HTMLElement} place
 * @param {string} words
 * @param {RoomScene|null} [scene] the one that is at its end
 * @param {Record<string, boolean>} [isRight] whether this phone was, by the question
 */
export function writeAsked(place, words, scene = null, isRight = {}) {
  const remembered = scene?.remembered.slice(0, MAX_REMEMBERED) ?? [];
  const [story = []] = scene?.is_end ? scene.picture.lines : [];
  const shown = JSON.stringify([words, remembered, story]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(
    scene?.is_end && words !== "" ? el("strong", { class: "closing" }, words) : words,
    ...(story.length > 0
      ? [lineOf(story, lengthOf(story) > LONG_STORY ? "text story is-long" : "text story")]
      : []),
    ...remembered.map((one) =>
      el(
        "span",
        { class: "sentence" },
        one.bar === null ? "" : el("small", { class: "question" }, one.question),
        pictureOf(one, isRight[one.question]),
        el("b", {}, one.words),
      )
    ),
  );
}

const lengthOf = (/** @type {[string, string][]} */ parts) => parts.reduce((n, [part]) => n + part.length, 0);

/**
 * What a lesson came to, once its teacher has closed the room; empty before.
 * @param {RoomClosing|null} closing
 */
export function closingInWords(closing) {
  if (closing === null) return "";
  const questions = ngettext("{n} question", "{n} questions", closing.n_questions);
  const phones = ngettext("{n} phone", "{n} phones", closing.n_phones);
  return closing.n_phones === 0
    ? _("That was it: {questions}.", { questions })
    : _("That was it: {questions}, {phones}.", { questions, phones });
}

/**
 * Writes what a class has to know for the question of a scene, until that is explained.
 * @param {RoomState} state
 */
export function writePremise({ question, scene, revealed }) {
  const isAsked = question !== null && scene !== null && revealed === "";
  setText(byId("premise"), isAsked ? scene.premise : "");
  tagLanguage(byId("premise"), scene?.spoken);
}

/**
 * What this class answered, as its one number with a bar; an idea in cells, where nobody did.
 * @param {Remembered} one
 * @param {boolean} [isRight] whether this phone was
 */
function pictureOf({ bar, rows }, isRight) {
  if (bar === null) return drawCells(rows);
  const line = el("i", { class: "prompt" });
  line.style.width = `${100 * (bar.values[0] ?? 0)}%`;
  return el(
    "span",
    { class: "result" },
    el("strong", { lang: languageTag(), dir: "auto" }, bar.texts[0]),
    bar.values.length > 0 ? el("span", { class: "part", ariaHidden: "true" }, line) : "",
    el("small", { dir: "auto" }, `${bar.label}${bar.is_marked ? " ✓" : ""}`),
    isRight ? el("small", { class: "own" }, _("You: ✓")) : "",
  );
}

/**
 * Draws how a question was answered: what each row says stands in words beside its bars.
 * @param {HTMLElement} place
 * @param {RoomOutcome|null} outcome
 * @param {RoomQuestion|null} question
 */
export function drawOutcome(place, outcome, question) {
  setShown(place, outcome !== null);
  const spoken = question?.spoken ?? null;
  const shown = JSON.stringify([outcome, spoken]);
  if (outcome === null || place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const { series, bars, dots, words } = outcome;
  const keys = series.length < 2 ? [] : series.map(([name, role]) => el("span", {}, swatch(role), name));
  place.replaceChildren(
    el("p", { class: "keys", ariaHidden: "true" }, ...keys), // each bar says whose it is
    dots !== null ? dotsOf(dots, series) : bars.length > 0 ? barsOf(bars, series, spoken) : "",
    el("p", { class: "words", textContent: words }),
  );
}

const swatch = (/** @type {string} */ role) => el("i", { class: role });

/**
 * Bars on one axis from 0 to 100 %, as the draw bar is; what was expected is a line across its bar.
 * @param {RoomBar[]} bars
 * @param {RoomSeries} series
 * @param {Spoken|null} spoken
 */
function barsOf(bars, series, spoken) {
  const most = Math.max(...bars.flatMap((bar) => bar.texts.map((text) => text.length)));
  const long = (/** @type {number} */ value) => `${100 * value}%`;
  const expected = series.findIndex(([, role]) => role === EXPECTED);
  const partOf = (/** @type {RoomBar} */ bar, /** @type {number} */ value, /** @type {number} */ i) => {
    const isBare = i !== expected && value === 0; // no bar, but its words stand behind what was expected
    const line = el("i", { class: `${series[i][1]}${isBare ? " bare" : ""}` });
    line.style[i === expected ? "left" : "width"] = long(value);
    if (i === expected) return line;
    if (bar.texts[i] === "") return ""; // nobody voted for it: no bar says so
    const words = el("span", { dir: "auto" }, bar.texts[i]);
    const end = Math.max(value, bar.values[expected] ?? 0); // the words stand behind both
    words.style.left = `calc(${long(end)} + .4em)`;
    const heard = series.length > 1 ? { role: "img", ariaLabel: `${series[i][0]}: ${bar.texts[i]}` } : {};
    return el("div", { class: "bar", ...heard }, line, words);
  };
  const all = el(
    "div",
    { class: "bars" },
    el("span", {}),
    bars.some(({ texts }) => texts.join("") !== "") ? axisOf(long) : el("span", {}), // no votes, no axis
    ...bars.flatMap((bar) => [
      el("p", {
        class: `name${bar.is_marked ? " marked" : ""}${bar.is_drawn ? " came" : ""}`,
        translate: false,
        textContent: bar.label,
        dir: "auto",
        ...spoken,
      }),
      el("div", { class: bar.is_rest ? "rest" : "" }, ...bar.values.map((value, i) => partOf(bar, value, i))),
    ]),
  );
  all.style.setProperty("--room", `${LETTER * most}em`);
  all.style.setProperty("--rows", String(bars.flatMap(({ texts }) => texts.filter(Boolean)).length));
  return all;
}

/** The axis over the bars. @param {(value: number) => string} long */
function axisOf(long) {
  const ticks = TICKS.map((percent) => {
    const tick = el("span", {}, el("small", {}, numeral(`${percent}\u202f%`)));
    tick.style.left = long(percent / 100);
    return tick;
  });
  return el("div", { class: "axis", ariaHidden: "true" }, ...ticks);
}

/** @param {RoomDots} shown @param {RoomSeries} series */
function dotsOf({ dots, marks, ticks, piles, beyond }, series) {
  const place = el("div", { class: "dots" });
  const highest = Math.max(0, ...dots.map(([, height]) => height));
  const step = Math.min(series.length > 1 ? 0.65 : 0.9, MAX_PILE / highest); // a whole class may say the same
  place.style.height = `${Math.max(1, step * highest)}em`;
  place.style.setProperty("--dot", `${step / 1.2}em`);
  for (const [words, at, role] of marks) {
    const side = at > 0.5 ? " is-far" : ""; // its words stand on the side where there is room
    const mark = el("span", { class: `mark ${role}${side}`, textContent: words });
    mark.style.left = `${100 * at}%`;
    mark.style.color = mark.style.borderColor = `var(--${role})`;
    place.append(mark);
  }
  for (const [at, height, i] of dots) {
    const dot = el("b", { class: series[i][1] });
    dot.style.left = `${100 * at}%`;
    dot.style.bottom = `${step * (height - 1)}em`;
    place.append(dot);
  }
  for (const [at, height, n] of piles) {
    const many = el("span", { class: "pile", textContent: n });
    many.style.left = `${100 * at}%`;
    many.style.bottom = `${step * height}em`;
    place.append(many);
  }
  for (const [at, number] of ticks) {
    const tick = el("i", { class: "tick" });
    const words = el("span", { class: "end", textContent: number });
    tick.style.left = words.style.left = `${100 * at}%`;
    place.append(tick, words);
  }
  beyond.forEach((words, i) => {
    if (words === "") return;
    const side = i === 0 ? "is-before" : "is-behind";
    place.classList.add(side);
    place.append(el("span", { class: `beyond ${side}`, dir: "auto", textContent: words }));
  });
  return place;
}

/**
 * How many have answered the question that is open, or else how many phones there are.
 * @param {ProjectorState} state
 * @param {string} [mark] stands around the number of answers
 */
export function answeredInWords({ question, n_answers: n, n_people: all }, mark = "") {
  const isAsked = question !== null && question.is_open && Math.max(n, all) > 0;
  if (!isAsked) return ngettext("{n} phone here", "{n} phones here", all);
  return _("{n} of {all} have answered", { n: mark + numeral(String(n)) + mark, all: Math.max(n, all) });
}

/**
 * Draws a circle for each phone while a question is open, filled once it has answered; where the answers lie comes later.
 * @param {HTMLElement} place
 * @param {ProjectorState} state
 * @param {boolean} isShown
 */
export function drawCrowd(place, { n_answers: n, n_people: all }, isShown) {
  setShown(place, isShown);
  if (!isShown) return place.replaceChildren();
  const circles = place.children;
  for (let i = circles.length; i < Math.max(n, all); i++) place.append(el("b"));
  while (circles.length > Math.max(n, all)) circles[circles.length - 1].remove();
  [...circles].forEach((circle, i) => circle.classList.toggle("prompt", i < n));
}

const wholePercent = (/** @type {number} */ share) => formatShare(Number(share.toFixed(2)));

/** From where to where a segment lies. @param {RoomQuestion} question @param {number} i */
export function rangeOf({ shares }, i) {
  const from = shares.slice(0, i).reduce((sum, share) => sum + share, 0);
  return _("{from} to {to}", { from: wholePercent(from), to: wholePercent(from + shares[i]) });
}

/** A pointer as it is shown, in a hundredth; the bar has it exactly. @param {number} pointer */
export const pointerInWords = (pointer) => wholePercent(Math.floor(pointer * 100) / 100);
