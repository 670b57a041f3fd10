// The story of a lesson's end as a picture to send: the text large, and each press on its bar.

import { asPng, Paint, readLook } from "../../home/live/figures/paint.js";

const WIDTH = 1200;
const MARGIN = 48;
const SIZE = 54; // of the story's type
const LINE = 1.5 * SIZE;
const ROW = 64; // of a press
const HIGH = 44; // of its bar
const LABEL = 200; // of a press's piece
const NUMBER = 120;
const SCALE = 2; // pixels of a PNG for each of the drawing

/** @typedef {import("./kept_story.js").KeptToken} KeptToken */
/** @typedef {import("./kept_story.js").KeptPress} KeptPress */

/**
 * Makes the picture.
 * @param {KeptToken[]} tokens
 * @param {string} title what it shows
 * @param {HTMLElement} node of the page, whose colours and faces it has
 */
export default function storyPicture(tokens, title, node) {
  const paint = new Paint(WIDTH, readLook(node));
  let y = drawText(paint, tokens);
  const pressed = tokens.flatMap(({ text, press }) => press ? [{ text: text.trim(), press }] : []);
  for (const one of pressed) y = drawPress(paint, one, y);
  paint.words(`${title}. One Token at a Time`, MARGIN, y + 40, 24, { role: "muted" });
  return asPng(paint.close(y + 40 + MARGIN), SCALE);
}

/** Draws the text on its lines; returns where they end. @param {Paint} paint @param {KeptToken[]} tokens */
function drawText(paint, tokens) {
  let [x, y] = [MARGIN, MARGIN];
  for (const { text, isWritten } of tokens) {
    const wide = paint.measure(text, SIZE, "read");
    if (text.includes("\n") || x + wide > WIDTH - MARGIN) [x, y] = [MARGIN, y + LINE];
    const role = isWritten ? "generated" : "prompt";
    const words = x === MARGIN ? text.trimStart() : text;
    const width = x === MARGIN ? paint.measure(words, SIZE, "read") : wide;
    if (isWritten) paint.box(x, y, width, 1.25 * SIZE, "generated-tint");
    paint.line(x, y + 1.25 * SIZE, x + width, y + 1.25 * SIZE, role, { "stroke-width": 5 });
    paint.words(words, x, y + 0.95 * SIZE, SIZE, { face: "read", textLength: width });
    x += width;
  }
  return y + LINE + 0.4 * SIZE;
}

/**
 * Draws a press on its bar; returns where it ends.
 * @param {Paint} paint
 * @param {{text: string, press: KeptPress}} given
 * @param {number} y
 */
function drawPress(paint, { text, press }, y) {
  const [left, across] = [MARGIN + LABEL, WIDTH - 2 * MARGIN - LABEL - NUMBER];
  const base = y + HIGH / 2 + 11;
  const at = (/** @type {number} */ percent) => left + across * percent / 100;
  paint.words(text, left - 20, base, 34, { face: "read", anchor: "end" });
  for (const { from, width, isHit } of press.parts) {
    const wide = Math.max(0, across * width / 100 - (isHit ? 0 : 1));
    paint.box(at(from), y, wide, HIGH, "kept", { "fill-opacity": isHit ? 1 : 0.45 });
    if (isHit) paint.outline(at(from), y, wide, HIGH, "chosen", { "stroke-width": 3 });
  }
  const finger = { cx: at(press.at), cy: y + HIGH / 2, r: 10, fill: paint.colours.pointer };
  paint.add("circle", { ...finger, stroke: paint.colours.paper, "stroke-width": 3 });
  paint.words(press.share, WIDTH - MARGIN, base, 30, { anchor: "end", weight: 600 });
  return y + ROW;
}
