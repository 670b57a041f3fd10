// What the page shows as pictures to send: the step that stands there, its five beats as one strip or moving, and
// the story. All are made in the page, from one menu.

import { joinFrames } from "./apng.js";
import { createButton, el, setText } from "../../../frame/live/dom.js";
import { formatPointer, formatProbability } from "../../../frame/live/format.js";
import { createMenu, openBeside } from "../controls/menu.js";
import { asPng, asSvg, drawPixels, Paint, readLook } from "./paint.js";
import { LARGE, SMALL } from "./picture_rows.js";
import { drawBeat, drawStep, stepOf } from "./picture_step.js";
import { hasDistribution } from "./rows.js";
import { drawStory } from "./picture_text.js";
import { APPEND, BEATS, READ } from "./beats.js";
import { activeResult, describePipeline, drawnToken } from "../../../frame/live/strategies.js";
import { _ } from "../../../frame/live/words.js";

const MARGIN = 40;
const GAP = 44; // between beats on a strip
const SCALE = 2; // pixels of a PNG for each of the drawing
const N_FRAMES = 14; // of a beat that moves
const FRAME_MS = 90;
const HOLD_MS = 1100; // a beat stands before the next begins
const END_MS = 2500; // the last one stands

/**
 * What can be saved: its name, what makes it, and in which forms.
 * @type {Record<string, {says: string, draw: (view: BarsView, look: PageLook) => SVGElement, forms: PictureForm[]}>}
 */
const PICTURES = {
  step: { says: _("this picture"), draw: pictureOfStep, forms: ["SVG", "PNG"] },
  beats: { says: _("the five beats"), draw: pictureOfBeats, forms: ["SVG", "PNG", "moving"] },
  story: { says: _("the story"), draw: pictureOfStory, forms: ["SVG", "PNG"] },
};

/** The menu that saves what `read` returns. @param {() => View|null} read */
export function createPictures(read) {
  const menu = createMenu("menu pictures", _("Save a picture"));
  const open = createButton("quiet", _("Save picture"), (event) => {
    if (read()?.distribution) openBeside(menu, open, "above", event.detail > 0);
  });
  open.setAttribute("aria-haspopup", "dialog");
  for (const [name, { says, forms }] of Object.entries(PICTURES)) {
    const buttons = forms.map((form) => createSaver(name, form, read));
    menu.append(el("p", { class: "pictures-name" }, says), el("div", { class: "row" }, ...buttons));
  }
  return { button: el("div", { class: "picture" }, open), menu };
}

/** @param {string} name @param {PictureForm} form @param {() => View|null} read */
function createSaver(name, form, read) {
  const title = form === "moving" ? _("moving") : form;
  const node = createButton("menu-item", title, async () => {
    node.disabled = true;
    setText(node, _("making…"));
    try {
      const view = read();
      if (view === null || !hasDistribution(view)) return;
      const look = readLook(node);
      offer(await make(name, form, view, look), `one-token-${name}.${form === "SVG" ? "svg" : "png"}`);
    } finally {
      node.disabled = false;
      setText(node, title);
    }
  });
  node.setAttribute(
    "aria-label",
    form === "moving"
      ? _("Save {picture}, moving", { picture: PICTURES[name].says })
      : _("Save {picture} as {format}", { picture: PICTURES[name].says, format: form }),
  );
  return node;
}

/**
 * @param {string} name
 * @param {PictureForm} form
 * @param {BarsView} view
 * @param {PageLook} look
 */
function make(name, form, view, look) {
  if (form === "moving") return joinFrames(framesOf(stepOf(view), look));
  const svg = PICTURES[name].draw(view, look);
  return form === "SVG" ? asSvg(svg) : asPng(svg, SCALE);
}

/** The step on the screen. @param {BarsView} view @param {PageLook} look @returns {SVGElement} */
function pictureOfStep(view, look) {
  const paint = new Paint(LARGE.width + 2 * MARGIN, look);
  const result = activeResult(view);
  let y = drawStep(paint, view, { x: MARGIN, y: MARGIN });
  const drawn = drawnToken(result, view.pointer);
  if (view.pointer !== null && drawn !== null) {
    const sentence = _("The pointer {number} fell on {token}, {share} of the bar.", {
      number: formatPointer(view.pointer),
      token: view.label(drawn.id),
      share: formatProbability(drawn.to - drawn.from),
    });
    paint.words(sentence, MARGIN, y + 30, 26, { weight: 600 });
    y += 44;
  }
  return sign(paint, view, y);
}

/** The five beats side by side. @param {BarsView} view @param {PageLook} look */
function pictureOfBeats(view, look) {
  const paint = new Paint(2 * MARGIN + BEATS.length * (SMALL.width + GAP) - GAP, look);
  const step = stepOf(view);
  const ends = BEATS.map((_, i) =>
    drawBeat(paint, step, i + READ, 1, SMALL, { x: MARGIN + i * (SMALL.width + GAP), y: MARGIN })
  );
  return sign(paint, step, Math.max(...ends));
}

/** The whole text, tinted, with the pointer of every token. @param {BarsView} view @param {PageLook} look */
function pictureOfStory(view, look) {
  const paint = new Paint(LARGE.width + 2 * MARGIN, look);
  return sign(paint, view, drawStory(paint, view, { x: MARGIN, y: MARGIN, width: LARGE.width }));
}

/**
 * Ends a picture with where it is from.
 * @param {import("./paint.js").Paint} paint
 * @param {View} view
 * @param {number} y
 */
function sign(paint, view, y) {
  const from = `${view.header.model.name}, ${
    describePipeline(activeResult(view), view.settings)
  }. One Token at a Time`;
  paint.words(from, MARGIN, y + 32, 18, { role: "muted" });
  return paint.close(Math.ceil(y + 32 + MARGIN));
}

/** The moments of the five beats, one after the other. @param {BarsView} step @param {PageLook} look */
async function* framesOf(step, look) {
  for (let beat = READ; beat <= APPEND; beat += 1)
    for (let i = 1; i <= N_FRAMES; i += 1) {
      const paint = new Paint(LARGE.width + 2 * MARGIN, look);
      const y = drawBeat(paint, step, beat, i / N_FRAMES, LARGE, { x: MARGIN, y: MARGIN });
      const rest = i < N_FRAMES ? 0 : beat < APPEND ? HOLD_MS : END_MS;
      yield { canvas: await drawPixels(sign(paint, step, y), 1), ms: FRAME_MS + rest };
    }
}

/** @param {Blob} blob @param {string} name */
function offer(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
