// What a room draws of a scene: the draw bar, texts in parts, and an idea in cells.

import { drawCells, LOOKS } from "../../frame/live/cells.js";
import { el, setShown, setText } from "../../frame/live/dom.js";
import { _, numeral } from "../../frame/live/words.js";

/** What the cells of an idea are, by letter. @type {Record<string, string>} */
const CELLS = {
  p: _("the prompt"),
  v: _("kept"),
  g: _("written"),
  d: _("guessed"),
  r: _("rejected"),
  e: _("the false word"),
  k: _("share"),
  c: _("drawn"),
};

const AIR = 2; // pixels beside a name: letters that touch both edges are read with their neighbours

/** The element of a segment that holds its words. @param {HTMLElement} segment */
const wordsIn = (segment) => segment.querySelector("small") ?? segment;

/** How wide the words of a segment are. @param {HTMLElement} segment */
function widthOf(segment) {
  const range = document.createRange();
  range.selectNodeContents(wordsIn(segment));
  return range.getBoundingClientRect().width;
}

/**
 * Draws the bar from 0 to 100 % that shares are laid out on, and the pointers that fell on it.
 * @param {HTMLElement} place
 * @param {Pick<RoomDrawBar, "shares" | "options" | "has_rest"> & {cut?: number|null}} shown
 * @param {number[]} pointers
 * @param {(words: string, i: number) => HTMLElement} [segmentOf] what a segment is, if it can be pressed
 */
export function drawBar(
  place,
  { shares, options, has_rest: hasRest, cut = null },
  pointers,
  segmentOf = (textContent) => el("span", { textContent }),
) {
  setShown(place, shares.length > 0);
  let end = 0;
  const segments = shares.map((share, i) => {
    const segment = segmentOf(options[i], i);
    segment.translate = false;
    segment.style.flex = `${share} 0 0`;
    if (cut !== null && end >= cut) segment.classList.add("out");
    end += share;
    if (hasRest && i === shares.length - 1) {
      segment.classList.add("others");
      segment.replaceChildren(el("small", {}, options[i]));
    }
    return segment;
  });
  const marks = pointers.map((pointer, i) => {
    const mark = el("b");
    mark.style.left = `${100 * pointer}%`;
    mark.style.setProperty("--nth", String(i));
    return mark;
  });
  const line = el("i", { class: "cut" }, el("small", {}, numeral(String(cut))));
  line.style.left = `${100 * (cut ?? 0)}%`;
  place.replaceChildren(...segments, ...marks, ...(cut === null ? [] : [line]));
  // a name that has no room is closer, then without its share; what is pressed has one that stands upright, or else none
  const tooLong = () =>
    segments.filter((segment) => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = segment;
      return scrollWidth > clientWidth || scrollHeight > clientHeight ||
        widthOf(segment) > clientWidth - 2 * AIR;
    });
  for (const segment of tooLong()) segment.classList.add("narrow");
  for (const segment of tooLong()) {
    setText(wordsIn(segment), options[segments.indexOf(segment)].split("\n")[0]); // without its share
  }
  for (const segment of tooLong()) segment.classList.toggle("upright", segment.tagName === "BUTTON");
  for (const segment of tooLong()) segment.textContent = "";
}

/** What stands below a draw bar: its ends, and between them what shaped it. @param {string} setting */
export const endsOf = (setting) =>
  el(
    "p",
    { class: "ends" },
    ...["0\u202f%", setting, "100\u202f%"].map((words) => el("span", { dir: "auto" }, numeral(words))),
  );

/** A text in parts, each with a role of its own or none. @param {[string, string][]} parts @param {string} className */
export const lineOf = (parts, className) =>
  el(
    "span",
    { class: className, dir: "auto", translate: false },
    ...parts.map(([part, role]) => {
      if (role === "") return part;
      const dir = role === "label" ? { dir: "auto" } : {}; // of the page: the text keeps its own
      return el("span", { class: role, textContent: part, ...dir });
    }),
  );

/**
 * Draws what a scene is about: texts, draw bars, or an idea in cells.
 * @param {HTMLElement} place
 * @param {RoomPicture|null} picture
 * @param {boolean} isLow whether it stands below votes
 */
export function drawPicture(place, picture, isLow) {
  const shown = JSON.stringify([picture, isLow]);
  const isAny = picture !== null && picture.lines.length + picture.bars.length + picture.rows.length > 0;
  setShown(place, isAny);
  if (!isAny || place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  if (picture.lines.length > 0) {
    const isMany = picture.lines.flat().length > 1;
    place.replaceChildren(...picture.lines.map((line) => lineOf(line, isMany ? "written parts" : "written")));
    return;
  }
  if (picture.bars.length > 0) {
    const bars = picture.bars.map(() => el("div", { class: "draw" }));
    const named = picture.bars.flatMap(({ name, of }, i) => [
      ...(name === "" ? [] : [el("p", { class: "caption" }, name)]),
      ...(of === "" ? [] : [lineOf([[of, ""]], "of")]),
      bars[i],
    ]);
    place.replaceChildren(...named, endsOf(picture.bars[0].setting));
    picture.bars.forEach((bar, i) => drawBar(bars[i], bar, bar.pointers));
    return;
  }
  const apart = picture.rows.map((row) => row.split("|")); // two pictures stand beside each other
  const grids = (apart[0] ?? []).map((_, i) => {
    const name = picture.names[i] ?? "";
    const rows = apart.map((row) => row[i]);
    const cells = el("div", { class: "frame" }, drawCells(rows));
    cells.style.setProperty("--ratio", String(Math.max(...rows.map(({ length }) => length)) / rows.length));
    return el("div", { class: "idea" }, ...(name === "" ? [] : [el("p", { class: "caption" }, name)]), cells);
  });
  const letters = new Set(picture.rows.join(""));
  const keys = Object.entries(CELLS).filter(([letter]) => letters.has(letter)).map(([letter, words]) => {
    const look = el("i");
    look.style.background = LOOKS[letter];
    return el("span", {}, look, words);
  });
  place.replaceChildren(el("div", { class: "ideas" }, ...grids), el("p", { class: "keys" }, ...keys));
}
