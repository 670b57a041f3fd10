// The token that a pointer takes at every point of the plane of temperature and top-p (or min-p). Runs the
// page's own masks once per temperature; the cut of the second slider and the draw are then binary searches
// in the sums that `keepTopP`, `weighTokens` and `drawToken` would add up, in the same order. Where the
// pointer lies so near to the border of a token that rounding could decide, the sums are added up as they
// do it. Knows no page.

import { activeStageNames, drawToken, processLogits } from "../masks.js";
import { SETTINGS } from "../settings.js";
import { last, required } from "../required.js";

/** @type {SecondAxis[]} */
export const SECOND_AXES = ["top_p", "min_p"];
const FINE = { across: 200, up: 120 };
const COARSE = { across: 50, up: 30 }; // each point runs every mask
const MAX_TEMPERATURE = 2;
const SOME_VALUE = 0.5; // no neutral one: a stage with it is active

/**
 * The values of a setting from one end of its slider to the other, n of them at equal distances.
 * @param {MapAxis} name
 * @param {number} n
 */
export function valuesAlong(name, n) {
  return Array.from({ length: n }, (_, i) => valueAt(name, i / (n - 1)));
}

/**
 * The value at a fraction of a slider; where the scale is uneven, in proportion between two positions.
 * @param {MapAxis} name
 * @param {number} fraction
 */
function valueAt(name, fraction) {
  const { slider } = SETTINGS[name];
  if (!Array.isArray(slider)) {
    const { min, max } = name === "temperature" ? { min: 0, max: MAX_TEMPERATURE } : slider;
    return min + (max - min) * fraction;
  }
  const place = fraction * (slider.length - 1);
  const below = Math.min(Math.floor(place), slider.length - 2);
  return slider[below] + (slider[below + 1] - slider[below]) * (place - below);
}

/** Where a value lies along a slider, from 0 to 1. @param {MapAxis} name @param {number} value */
export function fractionOf(name, value) {
  const { slider } = SETTINGS[name];
  if (!Array.isArray(slider)) {
    return Math.min(1, Math.max(0, (value - slider.min) / (slider.max - slider.min)));
  }
  const above = Math.max(1, slider.findIndex((position) => position >= value));
  const share = (value - slider[above - 1]) / (slider[above] - slider[above - 1]);
  return (above - 1 + Math.min(1, Math.max(0, share))) / (slider.length - 1);
}

/**
 * The position of a slider that is nearest to a fraction of it.
 * @param {MapAxis} name
 * @param {number} fraction
 */
export function snapTo(name, fraction) {
  const { slider } = SETTINGS[name];
  const within = Math.min(1, Math.max(0, fraction));
  if (Array.isArray(slider)) return slider[Math.round(within * (slider.length - 1))];
  const { min, max, step } = slider;
  const value = min + Math.round((within * (max - min)) / step) * step;
  return Number(Math.min(max, value).toFixed(6));
}

/**
 * How the points are computed under these settings: "searched" where nothing but the temperature acts
 * behind the second slider and all logits are here, else "processed", point by point on a coarser grid.
 * @param {Pick<MapView, "settings" | "distribution">} given
 * @param {SecondAxis} axis
 */
export function methodOf({ settings, distribution }, axis) {
  const { counts, nRows } = required(distribution, "distribution");
  const isWhole = counts.length === nRows;
  const { after } = partedAt(settings, axis);
  return isWhole && after.every((name) => name === "temperature") ? "searched" : "processed";
}

/** @param {MapView} view @param {SecondAxis} axis */
export function gridOf(view, axis) {
  return methodOf(view, axis) === "searched" ? FINE : COARSE;
}

/**
 * The active stages before and behind the second slider; all are before it where it does not act.
 * @param {Settings} settings
 * @param {SecondAxis} axis
 */
function partedAt(settings, axis) {
  const names = activeStageNames({ ...settings, temperature: SOME_VALUE, [axis]: SOME_VALUE });
  const at = names.indexOf(axis);
  return at < 0 ? { before: names, after: [] } : { before: names.slice(0, at), after: names.slice(at + 1) };
}

/**
 * Computes the map column by column: yields after each, so that a caller may stop.
 * @param {MapView} view
 * @param {SecondAxis} axis
 * @param {number[]} pointers
 * @param {number[]} temperatures of the columns
 * @param {number[]} limits of the rows: values of the second slider
 * @returns {Generator<void, {rows: Int32Array[], entropies: Float32Array}>} by column, then by limit: for each
 *   pointer the token's row in the distribution, -1 where the page cannot know it; and the entropy in nats
 */
function* pointsByColumn(view, axis, pointers, temperatures, limits) {
  const rows = pointers.map(() => new Int32Array(temperatures.length * limits.length));
  const entropies = new Float32Array(temperatures.length * limits.length);
  const searched = methodOf(view, axis) === "searched" ? searchColumns(view, axis) : null;
  for (let x = 0; x < temperatures.length; x++) {
    const temperature = temperatures[x];
    const point = searched === null
      ? processColumn(view, axis, temperature)
      : temperature === 0
      ? alike(processColumn(view, axis, 0)(limits[0])) // the best token, wherever the second slider stands
      : searched(temperature);
    limits.forEach((limit, y) => {
      const at = x * limits.length + y;
      const { draw, entropy } = point(limit);
      entropies[at] = entropy;
      pointers.forEach((pointer, i) => rows[i][at] = draw(pointer));
    });
    yield;
  }
  return { rows, entropies };
}

export const computePoints = pointsByColumn;

/** The same point, whatever is asked. @param {ReturnType<MapPoint>} point */
function alike(point) {
  return () => point;
}

/**
 * The points of one temperature, each as the page's own masks and draw make it.
 * @param {MapView} given
 * @param {SecondAxis} axis
 * @param {number} temperature
 */
function processColumn({ distribution, contextIds, nPrompt, settings, toss, memory }, axis, temperature) {
  return (/** @type {number} */ limit) => {
    const at = { ...settings, temperature, [axis]: limit };
    const result = processLogits(
      required(distribution, "distribution"),
      contextIds,
      nPrompt,
      at,
      toss,
      memory,
    );
    /** @param {number} pointer */
    const draw = (pointer) => {
      const drawn = drawToken(result, pointer);
      return drawn === null ? -1 : result.rowOf(drawn.id);
    };
    return { draw, entropy: last(result.stages).entropy };
  };
}

/**
 * The points of each temperature by binary searches; only where `methodOf` allows it.
 * @param {MapView} view
 * @param {SecondAxis} axis
 */
function searchColumns(view, axis) {
  const { before, after } = partedAt(view.settings, axis);
  const isCutFirst = after.length > 0; // before the temperature
  const isHeatedLast = before.at(-1) === "temperature";
  const steady = isCutFirst || isHeatedLast; // the same tokens are in play at every temperature
  const fixed = steady ? inPlay(view, isHeatedLast ? before.slice(0, -1) : before, 1) : null;
  const uncut = fixed && isCutFirst ? cutBy(axis, addUp(fixed.scores, 1)) : null;
  const into = fixed ? addUp(fixed.scores, 1).into : undefined; // of one column after the other
  const acts = view.settings.order.includes(axis) && !before.includes("mirostat");
  return (/** @type {number} */ temperature) => {
    const { order, scores } = fixed ?? inPlay(view, before, temperature);
    const sums = addUp(scores, steady ? temperature : 1, into);
    const cut = acts ? uncut ?? cutBy(axis, sums) : () => order.length;
    return (/** @type {number} */ limit) => {
      const n = cut(limit);
      return {
        draw: (/** @type {number} */ pointer) => order[search(sums, n, pointer)],
        entropy: entropyOf(sums, n),
      };
    };
  };
}

/**
 * The tokens that some stages leave, best first.
 * @param {MapView} given
 * @param {string[]} order
 * @param {number} temperature
 */
function inPlay({ distribution, contextIds, nPrompt, settings, toss, memory }, order, temperature) {
  const given = { ...settings, temperature, order: /** @type {SettingName[]} */ (order) };
  const result = processLogits(
    required(distribution, "distribution"),
    contextIds,
    nPrompt,
    given,
    toss,
    memory,
  );
  const { scores, nKept } = last(result.stages);
  const rows = result.order.subarray(0, nKept);
  return { order: rows, scores: Float64Array.from(rows, (row) => scores[row]) };
}

/**
 * Weights of the tokens in play, best first, and their sums from the best on.
 * @param {ArrayLike<number>} scores
 * @param {number} temperature
 */
function addUp(scores, temperature, into = [0, 1, 2, 3].map(() => new Float64Array(scores.length))) {
  const [weights, ends, pulls, falling] = into;
  const best = scores[0] / temperature;
  let [weight, pull, i] = [0, 0, 0];
  for (; i < scores.length; i++) {
    const shifted = scores[i] / temperature - best;
    const own = Math.exp(shifted);
    if (own === 0) break; // and so are all behind it
    weights[i] = own;
    ends[i] = weight += own;
    pulls[i] = pull += own * shifted;
  }
  weights.fill(0, i);
  ends.fill(weight, i);
  pulls.fill(pull, i);
  return { weights, ends, pulls, falling, into };
}

/** @param {MapSums} given @param {number} n */
function entropyOf({ ends, pulls }, n) {
  return Math.log(ends[n - 1]) - pulls[n - 1] / ends[n - 1];
}

/**
 * Tells how many of the best tokens a value of the second slider keeps.
 * @param {SecondAxis} axis
 * @param {MapSums} given
 */
function cutBy(axis, { weights, ends, falling }) {
  const n = weights.length;
  const weight = ends[n - 1];
  if (axis === "min_p") {
    for (let i = 0; i < n; i++) falling[i] = weights[i] / weight;
    return (/** @type {number} */ fraction) =>
      fraction === 0 ? n : Math.max(1, firstBelow(falling, n, fraction * falling[0], false));
  }
  // what is removed, from the worst token up to this one
  for (let i = n - 1, sum = 0; i >= 0; i--) falling[i] = sum += weights[i] / weight;
  return (/** @type {number} */ p) => p === 1 ? n : Math.max(1, firstBelow(falling, n, 1 - p, true));
}

/**
 * The place of the token on which a pointer falls among the n best.
 * @param {MapSums} given
 * @param {number} n
 * @param {number} pointer
 */
function search({ weights, ends }, n, pointer) {
  const target = pointer * ends[n - 1];
  const found = Math.min(n - 1, firstAbove(ends, n, target));
  const doubt = 4 * n * Number.EPSILON * ends[n - 1];
  const isNear = Math.abs(ends[found] - target) <= doubt ||
    (found > 0 && Math.abs(ends[found - 1] - target) <= doubt);
  return isNear ? addedOneByOne(weights, ends[n - 1], n, pointer) : found;
}

/**
 * The same, by the very sums of `drawToken`.
 * @param {Float64Array} weights
 * @param {number} weight
 * @param {number} n
 * @param {number} pointer
 */
function addedOneByOne(weights, weight, n, pointer) {
  let end = 0;
  for (let i = 0; i < n; i++) end += weights[i] / weight;
  const target = pointer * end;
  let to = 0;
  let drawn = 0;
  for (let i = 0; i < n; i++) {
    drawn = i;
    to += weights[i] / weight;
    if (to > target) break;
  }
  return drawn;
}

/**
 * The first of n rising values that is above a limit; n where none is.
 * @param {Float64Array} values
 * @param {number} n
 * @param {number} limit
 */
function firstAbove(values, n, limit) {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The first of n falling values that is below a limit, or equal to it if so told; n where none is.
 * @param {Float64Array} values
 * @param {number} n
 * @param {number} limit
 * @param {boolean} isEqualIn
 */
function firstBelow(values, n, limit, isEqualIn) {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = values[middle];
    if (value < limit || (isEqualIn && value === limit)) high = middle;
    else low = middle + 1;
  }
  return low;
}
