// A pupil's own record: the pages that are done, what was guessed there and what was right, and the best line that
// a finger wrote. It is read from this browser alone, and printed as one page.

import { createButton, el, find } from "../../frame/live/dom.js";
import { required } from "../../frame/live/required.js";
import { chooseBest, forgetRecord, readRecord } from "../../frame/live/record.js";
import { _ } from "../../frame/live/words.js";

const STYLE = `
:host, body { font: var(--size-body) / 1.45 var(--sans); color: var(--st-text-color, #1f2430); }
h2 { margin: 1.2rem 0 .3rem; font-size: var(--size-lead); }
h3 { margin: .7rem 0 .1rem; font-size: var(--size-body); }
p, ul { margin: .2rem 0; }
ul { padding-inline-start: 1.2rem; }
li { break-inside: avoid; }
.pages a { color: inherit; }
.pages { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: 0; list-style: none; }
blockquote { margin: .4rem 0; padding-inline-start: .7rem; border-inline-start: 4px solid #0b7061; white-space: pre-wrap;
  font: var(--size-lead) / 1.5 var(--read); }
label { display: flex; gap: .5rem; align-items: baseline; }
.row { display: flex; gap: .5rem; margin-top: .8rem; }
button { padding: .3rem .9rem; border: 1px solid currentColor; border-radius: .5rem; background: none; color: inherit; font: inherit; }
@media print {
  @page { size: A4; margin: 12mm; }
  body { margin: 0; zoom: .67; }
  section { columns: 2; column-gap: 12mm; }
  section > :is(h2, .pages, div) { column-span: all; }
  h2 { margin-top: 0; }
  h3 { margin-top: .6em; break-after: avoid; }
  .screen { display: none; }
}`;

const LOOK = ["--size-body", "--size-lead", "--sans", "--read"]; // what STYLE takes from the page

/** Where a class is sent on this page. @type {Record<string, string>} */
const PLACES = { "#record": ".st-key-tour_record", "#paper": ".st-key-tour_paper" };

/** @typedef {import("../../frame/live/record.js").Answer} Answer */
/** @typedef {{title: string, pages: [string, string][], chosen: string}} RecordPage */

export default (/** @type {Component<RecordPage>} */ { data, parentElement }) => {
  const draw = () => parentElement.replaceChildren(...drawn(data, draw));
  draw();
  const place = PLACES[location.hash];
  if (place) document.querySelector(place)?.scrollIntoView();
};

/** Whether this browser has kept anything. */
export function hasRecord() {
  const { answers, lines, seen } = readRecord();
  return answers.length + lines.length + seen.length > 0;
}

/** Prints the record from a page that does not show it. @param {RecordPage} data @param {Node} place */
export function printRecord(data, place) {
  print(sheetOf(data, () => {}), place instanceof ShadowRoot ? place.host : document.documentElement);
}

/** @param {RecordPage} data @param {() => void} again */
function sheetOf(data, again) {
  const record = readRecord();
  const parts = [pagesOf(data, record), lineOf(record, again), ...answersOf(record.answers)];
  return el("section", {}, el("h2", {}, data.title), ...parts);
}

/** @param {RecordPage} data @param {() => void} again */
function drawn(data, again) {
  const style = el("style", {}, STYLE);
  if (!hasRecord()) return [];
  const page = sheetOf(data, again);
  const forget = () => {
    forgetRecord();
    again();
  };
  const buttons = [
    createButton("", _("Print this as one page"), () => print(page)),
    createButton("", _("Forget all"), forget),
  ];
  return [style, page, el("div", { class: "row screen" }, ...buttons)];
}

/**
 * The course's pages: those that were answered, or read to their end, have a tick.
 * @param {RecordPage} page
 * @param {ReturnType<typeof readRecord>} given
 */
function pagesOf({ pages, chosen }, { answers, seen }) {
  const done = new Set([...seen, ...answers.map(({ place }) => place)]);
  const items = pages.map(([place, title]) => {
    const isDone = done.has(place);
    return el(
      "li",
      {},
      isDone ? "✓ " : "○ ",
      el("a", { href: `./${place}${chosen}` }, title),
      el("span", { hidden: true }, isDone ? ` ${_("done")}` : ""),
    );
  });
  return el("ul", { class: "pages" }, ...items);
}

/**
 * The best line; where there are several, the pupil says which it is.
 * @param {ReturnType<typeof readRecord>} given
 * @param {() => void} again
 */
function lineOf({ lines, best }, again) {
  if (lines.length === 0) return null;
  const choices = lines.map(({ text }, i) => {
    const choose = () => {
      chooseBest(i);
      again();
    };
    const radio = el("input", { type: "radio", name: "best", checked: i === best, onchange: choose });
    return el("label", {}, radio, text);
  });
  return el(
    "div",
    {},
    el("h3", {}, _("The best line that my finger wrote")),
    el("blockquote", { dir: "auto", translate: false }, lines[best].text),
    el("a", { class: "screen", href: lines[best].link }, _("Open it, and go on")),
    lines.length < 2
      ? null
      : el("details", { class: "screen" }, el("summary", {}, _("Choose another one")), ...choices),
  );
}

/** What was guessed, page by page, the oldest page first. @param {Answer[]} answers */
function answersOf(answers) {
  const titles = [...new Set(answers.map(({ title }) => title))].reverse();
  return titles.flatMap((title) => {
    const own = answers.filter((answer) => answer.title === title).reverse();
    return [el("h3", {}, title), el("ul", {}, ...own.map((answer) => el("li", {}, inWords(answer))))];
  });
}

/** @param {Answer} given */
function inWords({ question, said, right, isRight, remember = "" }) {
  const verdict = isRight === null ? "" : isRight ? "✓" : _("Right is {right}.", { right });
  return [question, _("I said: {said}.", { said }), verdict, remember].filter(Boolean).join(" ");
}

/** Prints a copy of a sheet alone. @param {HTMLElement} page @param {Element} dressed whose type it takes */
function print(page, dressed = page) {
  const frame = el("iframe", { hidden: true, title: _("To print") });
  document.body.append(frame);
  const view = required(frame.contentWindow, "window to print from");
  const paper = view.document;
  paper.title = find(page, "h2").textContent;
  const { lang, dir } = document.documentElement;
  Object.assign(paper.documentElement, { lang, dir });
  const look = getComputedStyle(dressed);
  for (const name of LOOK) paper.documentElement.style.setProperty(name, look.getPropertyValue(name));
  paper.head.append(el("style", {}, STYLE));
  paper.body.append(page.cloneNode(true));
  view.addEventListener("afterprint", () => frame.remove());
  view.print();
}
