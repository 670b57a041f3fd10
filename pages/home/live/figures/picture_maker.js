// What makes the pictures that are saved: of the step on the screen, of its five beats, of the story.

import { joinFrames } from "./apng.js";
import { formatPointer, formatProbability } from "../../../frame/live/format.js";
import { asPng, asSvg, drawPixels, Paint, readLook } from "./paint.js";
import { LARGE, SMALL } from "./picture_rows.js";
import { drawBeat, drawStep, stepOf } from "./picture_step.js";
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

/** @type {Record<PictureName, (view: BarsView, look: PageLook) => SVGElement>} */
const DRAWN = { step: pictureOfStep, beats: pictureOfBeats, story: pictureOfStory };

/**
 * Makes a picture as a file.
 * @param {PictureName} name
 * @param {PictureForm} form
 * @param {BarsView} view
 * @param {HTMLElement} node of the page, whose colours and faces it has
 */
export function makePicture(name, form, view, node) {
  const look = readLook(node);
  if (form === "moving") return joinFrames(framesOf(stepOf(view), look));
  const svg = DRAWN[name](view, look);
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
