// The text in a picture to save: its tokens, tinted by surprise; and the whole story, in which every token that
// was drawn has a line under it on which its pointer stands.

import { formatCount } from "../../../frame/live/format.js";
import { START, tint } from "./strip.js";
import { last } from "../../../frame/live/required.js";
import { ngettext } from "../../../frame/live/words.js";

const GAP = 4; // pixels between tokens
const EDGE = 5; // on both sides of a token's words
const LINE = 1.75; // heights of a line, of the size of its type

/**
 * The tokens of a text as they stand on lines.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {number} width
 * @param {number} size
 * @returns {PlacedToken[][]}
 */
function layTokens(paint, { ids, header, label }, width, size) {
  /** @type {ReturnType<typeof layTokens>} */
  const lines = [[]];
  let x = 0;
  ids.forEach((id, i) => {
    const words = i === 0 && id === header.model.bos_id ? START : label(id);
    const wide = paint.measure(words, size, "read") + 2 * EDGE;
    if (x + wide > width) [x] = [0, lines.push([])];
    last(lines).push({ i, label: words, x, width: wide });
    x += wide + GAP;
    if (words.includes("⏎")) [x] = [0, lines.push([])];
  });
  return lines.filter((line) => line.length > 0);
}

/**
 * Draws one token; returns how high it is.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {PlacedToken} token
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {Attributes} [look] of its words and its ground
 */
function drawToken(paint, view, token, x, y, size, look = {}) {
  const high = 1.4 * size;
  const isPrompt = token.i < view.nPrompt;
  paint.box(x, y, token.width, high, isPrompt ? "prompt-tint" : "generated-tint", look);
  const logprob = view.header.steps.logprob[token.i - view.nPrompt] ?? null;
  if (!isPrompt) paint.box(x, y, token.width, high, "surprise", { "fill-opacity": tint(logprob), ...look });
  const dash = isPrompt ? {} : { "stroke-dasharray": "6 4" };
  paint.line(x, y + high, x + token.width, y + high, isPrompt ? "prompt" : "generated", { ...dash, ...look });
  const fitted = { textLength: token.width - 2 * EDGE, lengthAdjust: "spacingAndGlyphs" };
  paint.words(token.label, x + EDGE, y + 1.04 * size, size, { face: "read", ...fitted, ...look });
  return high;
}

/**
 * Draws the end of the text in so many lines; returns where they end, and the text's empty place.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {{x: number, y: number, width: number, size: number, nLines: number}} where
 * @param {(i: number) => number} lit how brightly the token at a position is lit
 */
export function drawText(paint, view, { x, y, width, size, nLines }, lit = () => 0) {
  const lines = layTokens(paint, view, width - 3 * size, size).slice(-nLines);
  lines.forEach((line, row) =>
    line.forEach((token) => {
      const [left, top] = [x + token.x, y + row * LINE * size];
      const high = drawToken(paint, view, token, left, top, size);
      const light = lit(token.i);
      if (light > 0)
        paint.outline(left, top, token.width, high, "stage", { "stroke-width": 4, opacity: light });
    })
  );
  const last = lines.at(-1)?.at(-1) ?? { x: 0, width: 0 };
  const row = Math.max(0, lines.length - 1);
  const slot = { x: x + last.x + last.width + GAP, y: y + row * LINE * size };
  return { bottom: y + nLines * LINE * size, slot };
}

/**
 * Draws the whole text; returns where it ends.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {{x: number, y: number, width: number}} where
 */
export function drawStory(paint, view, { x, y, width }) {
  const size = 30;
  const high = 1.4 * size;
  const { steps } = view.header;
  const lines = layTokens(paint, view, width, size);
  lines.forEach((line, row) =>
    line.forEach((token) => {
      const [left, top] = [x + token.x, y + row * 2.25 * size];
      drawToken(paint, view, token, left, top, size);
      const step = token.i - view.nPrompt;
      if (step < 0) return;
      const under = top + high + 9;
      paint.line(left, under, left + token.width, under, "line", { "stroke-width": 3 });
      if (steps.forced[step]) return;
      const at = left + token.width * steps.pointer[step];
      paint.line(at, under - 6, at, under + 6, "pointer", { "stroke-width": 3, "data-step": step });
    })
  );
  const nDrawn = steps.pointer.length - steps.forced.filter(Boolean).length;
  const legend = ngettext(
    "The stronger the tint of a token, the less likely it was. The line under it is the whole draw bar, the mark on it the pointer that drew it: {n_drawn} of {n} token.",
    "The stronger the tint of a token, the less likely it was. The line under it is the whole draw bar, the mark on it the pointer that drew it: {n_drawn} of {n} tokens.",
    steps.pointer.length,
    { n_drawn: formatCount(nDrawn) },
  );
  const bottom = y + lines.length * 2.25 * size + 14;
  const words = paint.wrap(legend, 18, width);
  words.forEach((line, i) => paint.words(line, x, bottom + 18 + 26 * i, 18, { role: "muted" }));
  return bottom + 26 * words.length;
}
