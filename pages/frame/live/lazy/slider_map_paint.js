// The colours of the map of the sliders, and the three kinds of ground on it: the land, where every point
// takes the token that greedy takes; the shore, tokens with a band of their own; the sea, where each token
// holds hardly a point. Knows points and colours, nothing of models.

import { brushOf, el } from "../dom.js";

const MIN_BAND = 0.003; // of the plane: a token with less is part of the sea
const ROLES = ["paper", "ink", "kept", "line", "rejected", "surprise"];
const LABELS_FROM = 0.05; // of the plane: smaller ground bears no name

/**
 * The colours of the page by role, as [red, green, blue], read from an element of it. @returns {Record<string, number[]>}
 * @param {HTMLElement} probe
 */
export function readColours(probe) {
  const style = getComputedStyle(probe);
  const context = brushOf(el("canvas"), { willReadFrequently: true });
  return Object.fromEntries(ROLES.map((role) => {
    probe.style.color = `var(--${role})`;
    context.fillStyle = style.color;
    context.fillRect(0, 0, 1, 1);
    return [role, [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)];
  }));
}

/**
 * Sorts the tokens of a map by the ground that they make.
 * @param {Int32Array} rows the token's row at each point
 * @param {number} land the row of the token that is taken at temperature 0
 */
export function surveyMap(rows, land) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  /** @param {number} row */
  const share = (row) => (counts.get(row) ?? 0) / rows.length;
  const others = [...counts.keys()].filter((row) => row !== land && row >= 0).sort((a, b) => a - b);
  const shore = others.filter((row) => share(row) >= MIN_BAND);
  return {
    land,
    shore,
    nTokens: others.length + Number(counts.has(land)),
    nSea: others.length - shore.length,
    landShare: share(land),
    unknownShare: share(-1),
  };
}

/**
 * The colour of each token of a surveyed map: bands pale with their rank, neighbours differ in lightness.
 * @param {MapSurvey} survey
 * @param {MapColours} colours
 * @returns {(row: number) => number[]}
 */
function coloursOf({ land, shore }, { paper, kept, line, rejected }) {
  const places = new Map(shore.map((row, i) => [row, i]));
  return (row) => {
    if (row < 0) return rejected;
    if (row === land) return mix(paper, kept, 0.42);
    const place = places.get(row);
    // the sea: small differences that no eye needs to follow
    if (place === undefined) return mix(paper, line, 0.45 + 0.3 * ((row * 0.618034) % 1));
    const paling = place / Math.max(12, shore.length);
    return mix(paper, kept, (place % 2 === 0 ? 0.95 : 0.62) * (1 - 0.55 * paling));
  };
}

/**
 * Paints the tokens of a map.
 * @param {HTMLCanvasElement} canvas
 * @param {Int32Array} rows
 * @param {number} nUp
 * @param {MapSurvey} survey
 * @param {MapColours} colours
 */
export function paintTokens(canvas, rows, nUp, survey, colours) {
  const colourOf = coloursOf(survey, colours);
  const known = new Map();
  paint(canvas, rows, nUp, (row) => {
    if (!known.has(row)) known.set(row, colourOf(row));
    return known.get(row);
  });
}

/**
 * Paints the entropy of what is drawn from, the deeper the more undecided.
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array} entropies
 * @param {number} nUp
 * @param {MapColours} colours
 */
export function paintEntropies(canvas, entropies, nUp, colours) {
  const { paper, surprise } = colours;
  const most = Math.max(1e-9, ...entropies);
  paint(canvas, entropies, nUp, (entropy) => mix(paper, surprise, 0.06 + (0.84 * entropy) / most));
}

/**
 * Fills a canvas of one pixel a point; points come by column, each from the bottom up.
 * @param {HTMLCanvasElement} canvas
 * @param {Int32Array | Float32Array} points
 * @param {number} nUp
 * @param {(value: number) => number[]} colourOf
 */
function paint(canvas, points, nUp, colourOf) {
  const nAcross = points.length / nUp;
  canvas.width = nAcross;
  canvas.height = nUp;
  const context = brushOf(canvas);
  const image = context.createImageData(nAcross, nUp);
  points.forEach((point, i) => {
    const [x, y] = [Math.floor(i / nUp), nUp - 1 - (i % nUp)];
    image.data.set([...colourOf(point), 255], 4 * (y * nAcross + x));
  });
  context.putImageData(image, 0, 0);
}

/** @param {number[]} from @param {number[]} to @param {number} share */
function mix(from, to, share) {
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
}

/**
 * Where the names of the three kinds of ground stand: at the point of each that is nearest to its middle.
 * @param {Int32Array} rows
 * @param {number} nUp
 * @param {MapSurvey} given
 * @returns {{name: string, x: number, y: number}[]} fractions of the plane, from the left and from below
 */
export function placeNames(rows, nUp, { land, shore }) {
  const shores = new Set(shore);
  /** @param {number} row */
  const kindOf = (row) => row < 0 ? null : row === land ? "land" : shores.has(row) ? "shore" : "sea";
  /** @type {Record<"land" | "shore" | "sea", number[]>} */
  const places = { land: [], shore: [], sea: [] };
  rows.forEach((row, i) => {
    const kind = kindOf(row);
    if (kind !== null) places[kind].push(i);
  });
  return Object.entries(places)
    .filter(([, points]) => points.length >= LABELS_FROM * rows.length)
    .map(([name, points]) => {
      const at = points.map((i) => [Math.floor(i / nUp), i % nUp]);
      const [midX, midY] = [0, 1].map((axis) => at.reduce((sum, one) => sum + one[axis], 0) / at.length);
      /** @param {number[]} one */
      const away = (one) => (one[0] - midX) ** 2 + (one[1] - midY) ** 2;
      const [x, y] = at.reduce((best, one) => away(one) < away(best) ? one : best);
      return { name, x: (x + 0.5) / (rows.length / nUp), y: (y + 0.5) / nUp };
    });
}
