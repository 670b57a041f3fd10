// The worked table: one row per step, appended and never rebuilt, with the cache entry of the pass
// that each token was drawn from and the running log-probability of the text.

import { createCopy } from "../controls/copy.js";
import { el, setAttribute, setShown, shorten } from "../../../frame/live/dom.js";
import {
  formatBytes,
  formatCount,
  formatNats,
  formatProbability,
  formatSeconds,
  formatTokens,
} from "../../../frame/live/format.js";
import { required } from "../../../frame/live/required.js";
import { readRows } from "./steprows.js";
import { _ } from "../../../frame/live/words.js";

const MAX_LIST = 60; // characters of a prompt shown in a cell
const NEAR_END_PX = 40;
const TABLE_NOTE = _(
  "Each row's pass made the distribution that its token was drawn from; probabilities are the model's own, at temperature 1.",
);
const MEASURED = _("measured");
/** @type {(keyof StepRow)[]} */
const IDENTITY = ["tokenId", "inputId", "seconds", "forced"]; // of a step
const ROWS_OF_BLOCK = 32; // what is out of sight is skipped block by block

/** @type {TableField[]} */
const FIELDS = [
  { title: _("step"), isNumber: true, read: (row) => formatCount(row.step + 1) },
  { title: _("phase"), read: (row) => row.phase },
  { title: _("input to the model"), hasTokens: true, read: inputInWords },
  {
    title: _("top prediction"),
    source: MEASURED,
    hasTokens: true,
    read: (row, label) => `${label(row.topId)}  ${formatProbability(row.topProb)}`,
  },
  { title: _("chosen"), source: MEASURED, hasTokens: true, read: chosenInWords },
  { title: _("sum of log p"), source: MEASURED, isNumber: true, read: (row) => formatNats(row.sum) },
  { title: _("new cache entry"), read: entryInWords },
  { title: _("cache in use"), source: MEASURED, isNumber: true, read: (row) => formatBytes(row.bytes) },
  { title: _("pass"), source: MEASURED, isNumber: true, read: (row) => formatSeconds(row.seconds) },
];

/** Makes the table. @returns {Part} */
export function createTable() {
  const head = el("tr", { role: "row" }, ...FIELDS.map(createHeading));
  // a grid to the eye, so the roles of a table have to be told
  const table = el("table", { class: "steps-table", role: "table" }, el("thead", { role: "rowgroup" }, head));
  const place = { class: "steps-scroll", tabIndex: 0, role: "region", "aria-label": _("The worked table") };
  const scroller = el("div", place, table);
  const empty = el("p", { class: "muted" }, _("No token is written yet: press Next for a first row."));
  const copy = createCopy(_("copy the table"), () => asText(shown), () => _("there is no row yet"));
  const note = el("p", { class: "muted" }, TABLE_NOTE);
  const title = el("div", { class: "steps-top" }, el("h2", {}, _("The worked table")), copy);
  const section = { class: "steps", "aria-label": _("Steps so far") };
  const element = el("section", section, title, note, empty, scroller);
  /** @type {TableEntry[]} */
  const shown = [];
  // both are asked when they change: to ask while painting would cost a layout
  let isAtEnd = true;
  let isSeen = false;
  const showEnd = () => {
    if (isSeen && isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  };
  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting;
    showEnd();
  }).observe(scroller);
  scroller.addEventListener("scroll", () => {
    isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
  });

  /** @param {View} view */
  function update(view) {
    const rows = readRows(view.header);
    const common = countCommon(shown, rows, view.labels);
    for (const entry of shown.splice(common)) removeRow(entry);
    if (rows.length > common) append(rows, common, view);
    setShown(empty, rows.length === 0);
    setShown(scroller, rows.length > 0);
    setShown(copy, rows.length > 0);
  }

  /** @param {StepRow[]} rows @param {number} from @param {View} view */
  function append(rows, from, view) {
    for (let i = from; i < rows.length; i += 1) {
      const entry = createStepRow(rows[i], view);
      shown.push(entry);
      if (i % ROWS_OF_BLOCK === 0) table.append(el("tbody", { role: "rowgroup" }));
      const block = /** @type {HTMLElement} */ (table.lastChild);
      block.append(entry.element);
      block.style.setProperty("--rows", String(block.childElementCount));
    }
    isAtEnd ||= from === 0;
    requestAnimationFrame(showEnd);
  }
  return { element, update };
}

/** @param {TableEntry} entry */
function removeRow({ element }) {
  const block = required(element.parentElement, "block of rows");
  element.remove();
  if (block.childElementCount === 0) block.remove();
  else block.style.setProperty("--rows", String(block.childElementCount));
}

/** @param {TableField} field */
function createHeading({ title, source = "", isNumber = false }) {
  const from = source ? el("span", { class: "steps-source" }, source) : null;
  return el("th", { scope: "col", role: "columnheader", class: isNumber ? "is-number" : "" }, title, from);
}

/**
 * How many rows on screen still stand: the same steps of the same text under the same labels.
 * @param {TableEntry[]} shown
 * @param {StepRow[]} rows
 * @param {Labels} labels
 */
function countCommon(shown, rows, labels) {
  /** @param {number} i */
  const isSame = (i) =>
    shown[i].labels === labels && IDENTITY.every((name) => shown[i].row[name] === rows[i][name]);
  let i = 0;
  while (i < shown.length && i < rows.length && isSame(i)) i += 1;
  return i;
}

/** @param {StepRow} row @param {View} view */
function createStepRow(row, { label, labels, header }) {
  const texts = FIELDS.map(({ read }) => read(row, label, header.ids));
  const cells = texts.map((text, i) => {
    const { isNumber = false, hasTokens = false } = FIELDS[i];
    const kind = isNumber ? { class: "is-number" } : hasTokens ? { class: "is-short", title: text } : {};
    return el("td", { role: "cell", translate: false, ...kind }, text);
  });
  const element = el("tr", { role: "row" }, ...cells);
  setAttribute(element, "data-phase", row.phase);
  setAttribute(element, "data-forced", row.forced);
  return { element, row, texts, labels };
}

/** @param {StepRow} row @param {Label} label @param {number[]} ids */
function inputInWords(row, label, ids) {
  if (row.phase === "decode") return label(row.inputId);
  const text = Array.from(ids.slice(0, row.nInput), label).join(" ");
  return `${formatTokens(row.nInput)}: ${shorten(text, MAX_LIST)}`;
}

/** @param {StepRow} row @param {Label} label */
function chosenInWords(row, label) {
  const said = { token: label(row.tokenId), share: formatProbability(row.prob) };
  return row.forced ? _("{token}  {share}, forced", said) : `${said.token}  ${said.share}`;
}

/** @param {StepRow} row */
function entryInWords({ nInput, tokens, hasKeys, bytes }) {
  if (!hasKeys) return bytes > 0 ? _("none: the state is rewritten") : _("none");
  const [first, last] = [tokens - nInput, tokens - 1];
  if (nInput <= 1) return _("K,V for position {position}", { position: formatCount(first) });
  return _("K,V for positions {first}–{last}", { first: formatCount(first), last: formatCount(last) });
}

/** The whole table as tab-separated lines, for a spreadsheet. @param {TableEntry[]} shown */
function asText(shown) {
  const lines = [FIELDS.map(({ title }) => title), ...shown.map(({ texts }) => texts)];
  return lines
    .map((cells) => cells.map((text) => text.replaceAll("\t", "⇥")).join("\t"))
    .join("\n");
}
