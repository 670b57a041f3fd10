// The map of the sliders: temperature across, top-p or min-p upward, each point coloured by the token that
// the pointer of this position takes there. The reader's own point lies on it and can be dragged. Fetched
// once it is wanted; computed in a worker, while nothing else is to be done.

import { el, heard, named, setAttribute, setSentence, setShown, setText } from "../dom.js";
import { formatCount, formatPointer, formatProbability, formatSetting } from "../format.js";
import { required } from "../required.js";
import { SETTINGS } from "../settings.js";
import { activeResult, drawnToken, stageTitle } from "../strategies.js";
import { paintEntropies, paintTokens, placeNames, readColours, surveyMap } from "./slider_map_paint.js";
import { fractionOf, gridOf, methodOf, SECOND_AXES, snapTo, valuesAlong } from "./slider_map_points.js";

const QUIET_MS = 150; // without a new step, after which the map is computed
const POINTERS = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95]; // of the small maps
const SMALL = { across: 41, up: 25 };
const COLD = 0.3;
const WARM = 1.5;
const LOOKS = { rank: "the token that is taken", entropy: "how undecided the draw is" };
const NAMES = { land: "land", shore: "shore", sea: "open sea" };

/**
 * Makes the figure.
 * @param {() => Worker} startWorker
 * @param {(changes: object, isFinal: boolean) => void} move sets both sliders and ticks their masks
 */
export function createSliderMap(startWorker, move) {
  const canvas = el("canvas", {});
  const names = Object.values(NAMES).map((name) => el("span", { class: "map-name" }, name));
  for (const name of names) setShown(name, false);
  const point = el("span", { class: "map-point" });
  const stage = el("div", { class: "map-stage", role: "img" }, canvas, ...names, point);
  const upward = el("span", { class: "map-up" });
  const sentence = el("p", { class: "map-sentence" });
  const method = el("p", { class: "muted map-method" });
  const small = createSmallMaps();
  const axis = createSelect(
    "upward",
    SECOND_AXES.map((name) => /** @type {[SecondAxis, string]} */ ([name, SETTINGS[name].title])),
    () => draw(),
  );
  const look = createSelect("coloured by", Object.entries(LOOKS), () => paint());
  const element = el(
    "figure",
    { class: "slider-map" },
    el(
      "div",
      { class: "map-plane" },
      upward,
      stage,
      el("span", { class: "map-across" }, "0", el("span", {}, "temperature"), "2"),
    ),
    el(
      "figcaption",
      {},
      el("div", { class: "row map-choices" }, axis.element, look.element),
      sentence,
      small.element,
      method,
    ),
  );
  /** @type {View|null} */
  let newest = null;
  let isSeen = false;
  /** @type {Worker | null} */
  let worker = null;
  /** What was sent last. @type {(MapRequest & {n: number})|null} */
  let asked = null;
  /** What came back for it. @type {MapAnswer|null} */
  let answered = null;
  let timer = 0;
  let n = 0;

  new IntersectionObserver(([entry]) => {
    isSeen = entry.isIntersecting;
    if (isSeen) draw();
  }).observe(element);
  listenForDrags(stage, point, (across, up, isFinal) => {
    if (newest === null) return;
    const { use } = newest.controls;
    const name = axis.value;
    const values = { temperature: snapTo("temperature", across), [name]: snapTo(name, up) };
    move({ ...values, use: [...new Set([...use, "temperature", name])], greedy: false }, isFinal);
  });

  /** Asks for the map once the page rests, where the one that is here is of something else. */
  function draw() {
    if (newest === null) return;
    place();
    if (!isSeen) return;
    const wanted = requestOf(newest, axis.value);
    const isNew = asked?.distribution !== wanted.distribution || asked?.key !== wanted.key;
    setAttribute(element, "data-stale", isNew || answered?.n !== asked?.n);
    if (!isNew) return paint();
    clearTimeout(timer);
    timer = setTimeout(() => whenIdle(() => ask(wanted)), QUIET_MS);
  }

  /** @param {MapRequest} wanted */
  function ask(wanted) {
    const view = required(newest, "view yet");
    const isCurrent = requestOf(view, wanted.axis).key === wanted.key;
    if (!isSeen || !isCurrent || wanted.distribution !== view.distribution) return;
    if (worker === null) {
      worker = startWorker();
      worker.onmessage = ({ data }) => take(data);
    }
    asked = { ...wanted, n: ++n };
    const { view: given, axis: name, maps } = wanted;
    worker.postMessage({ n, view: given, axis: name, maps });
  }

  /** @param {Pick<MapAnswer, "n" | "maps"> & { ms: number }} answer */
  function take(answer) {
    if (asked === null || answer.n !== asked.n) return; // of a step that has passed
    const view = required(newest, "view yet");
    const { distribution } = asked;
    answered = { ...asked, ...answer, survey: surveyMap(answer.maps[0].rows[0], answer.maps[0].rows[0][0]) };
    setAttribute(element, "data-ms", Math.round(answer.ms));
    setAttribute(element, "data-stale", distribution !== view.distribution);
    paint();
  }

  function paint() {
    if (answered === null) return;
    const view = required(newest, "view yet");
    const colours = readColours(canvas);
    const { maps: [map, others], survey } = answered;
    const best = required(answered.distribution, "distribution of the map").ids[survey.land];
    setText(names[0], best === undefined ? NAMES.land : `${NAMES.land}: ${view.label(best)}`);
    if (look.value === "entropy") paintEntropies(canvas, map.entropies, map.nUp, colours);
    else paintTokens(canvas, map.rows[0], map.nUp, survey, colours);
    const named = look.value === "entropy" ? [] : placeNames(map.rows[0], map.nUp, survey);
    Object.keys(NAMES).forEach((kind, i) => {
      const at = named.find(({ name }) => name === kind);
      setShown(names[i], at !== undefined);
      if (!at) return;
      const left = `clamp(4em, ${100 * at.x}%, 100% - 4em)`; // so that it stays on the map
      Object.assign(names[i].style, { left, bottom: `${100 * at.y}%` });
    });
    small.paint(others, colours, answered.axis);
    place();
  }

  /** Where the reader's point lies, and what all of it says. */
  function place() {
    const view = required(newest, "view yet");
    const name = axis.value;
    const { temperature, [name]: limit } = view.settings;
    point.style.left = `${100 * fractionOf("temperature", temperature)}%`;
    point.style.bottom = `${100 * fractionOf(name, limit)}%`;
    setText(upward, SETTINGS[name].title);
    const words = wordsOf(view, name, answered?.distribution === view.distribution ? answered : null);
    setSentence(sentence, words);
    setAttribute(stage, "aria-label", heard(words));
    setText(method, methodInWords(view, name, answered));
  }

  return {
    element,
    /** @param {View} next */
    update(next) {
      newest = next;
      axis.start(next.settings.min_p > 0 && next.settings.top_p === 1 ? "min_p" : "top_p");
      draw();
    },
    close: () => worker?.terminate(),
  };
}

/**
 * What the worker is asked, and a key that changes with all that the map depends on.
 * @param {MapView} view
 * @param {SecondAxis} axis
 */
function requestOf(view, axis) {
  const { distribution, contextIds, nPrompt, settings, toss, memory } = view;
  const given = { distribution, contextIds: [...contextIds], nPrompt, settings, toss, memory };
  const { across, up } = gridOf(given, axis);
  /** @param {number[]} pointers @param {number} nAcross @param {number} nUp */
  const grid = (pointers, nAcross, nUp) => ({
    pointers,
    temperatures: valuesAlong("temperature", nAcross),
    limits: valuesAlong(axis, nUp),
  });
  const maps = [grid([toss], across, up), grid(POINTERS, SMALL.across, SMALL.up)];
  const others = { ...settings, temperature: null, [axis]: null };
  return { distribution, view: given, axis, maps, key: JSON.stringify([others, toss, memory, axis]) };
}

/** @param {() => void} run */
function whenIdle(run) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run);
  else setTimeout(run);
}

/** @param {View} view @param {SecondAxis} axis @param {MapAnswer | null} answered */
function wordsOf(view, axis, answered) {
  const { temperature, [axis]: limit } = view.settings;
  const drawn = drawnToken(activeResult(view), view.toss);
  const token = drawn === null ? "a token that the page does not hold" : named(view.label(drawn.id));
  const here =
    `At temperature ${formatSetting(temperature)} and ${stageTitle(axis)} ${formatSetting(limit)} ` +
    `the pointer ${formatPointer(view.toss)} takes ${token}.`;
  if (answered === null) return here;
  const { survey, view: { distribution } } = answered;
  const { landShare, land, shore, nSea } = survey;
  const best = distribution === null || land < 0
    ? "the best token"
    : named(view.label(distribution.ids[land]));
  return `${here} The land, ${
    formatProbability(landShare)
  } of the map, is ${best}: there no slider changes ` +
    `the choice. ${formatCount(shore.length)} more have a band; ${formatCount(nSea)} share the sea.`;
}

/** @param {View} view @param {SecondAxis} axis @param {MapAnswer | null} answered */
function methodInWords(view, axis, answered) {
  const { across, up } = gridOf(view, axis);
  const how = methodOf(view, axis) === "searched" ? "" : ", each run through every mask";
  const unknown = answered && answered.survey.unknownShare > 0
    ? " Grey: tokens that the page does not hold."
    : "";
  const acts = view.settings.order.includes(axis) && !view.settings.mirostat;
  const idle = acts ? "" : ` ${SETTINGS[axis].title} does not act under these settings.`;
  return `Computed in this page from the logits of this step, with all masks that are on: ` +
    `${formatCount(across * up)} points${how}.${idle}${unknown}`;
}

/** A row of small maps, one for each of some pointers, and what they say together. */
function createSmallMaps() {
  const canvases = POINTERS.map(() => el("canvas", {}));
  const maps = canvases.map((canvas, i) =>
    el(
      "span",
      { class: "map-small", "aria-hidden": "true" },
      canvas,
      el("span", {}, formatSetting(POINTERS[i])),
    )
  );
  const row = el("div", {
    class: "map-smalls",
    role: "img",
    "aria-label": "The same map for seven pointers",
  });
  row.append(...maps);
  const words = el("p", { class: "map-random" });
  /** @param {MapPoints} given @param {MapColours} colours @param {SecondAxis} axis */
  function paint({ rows, nUp }, colours, axis) {
    const temperatures = valuesAlong("temperature", SMALL.across);
    const uncut = axis === "top_p" ? nUp - 1 : 0;
    /** @param {number} temperature */
    const tokensAt = (temperature) => {
      const x = temperatures.findIndex((one) => Math.abs(one - temperature) < 1e-9);
      return new Set(rows.map((map) => map[x * nUp + uncut])).size;
    };
    rows.forEach((map, i) => paintTokens(canvases[i], map, nUp, surveyMap(map, map[0]), colours));
    const [cold, warm] = [COLD, WARM].map(tokensAt);
    setText(
      words,
      `What chance can still change, without a cut: these ${formatCount(POINTERS.length)} pointers take ` +
        `${inTokens(cold)} at temperature ${COLD} and ${inTokens(warm)} at ${WARM} (the two lines).`,
    );
  }
  return { element: el("div", {}, row, words), paint };
}

/** @param {number} n */
function inTokens(n) {
  return n === 1 ? "1 token" : `${formatCount(n)} tokens`;
}

/**
 * Tells where the reader's point is dragged to. A finger takes the point itself: beside it it scrolls.
 * @param {HTMLElement} stage
 * @param {HTMLElement} point
 * @param {(across: number, up: number, isFinal: boolean) => void} moved
 */
function listenForDrags(stage, point, moved) {
  /** @type {[number, number] | null} */
  let last = null;
  /** @param {MouseEvent} event @returns {[number, number]} */
  const at = ({ clientX, clientY }) => {
    const { left, top, width, height } = stage.getBoundingClientRect();
    return [(clientX - left) / width, 1 - (clientY - top) / height];
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.pointerType === "touch" && event.target !== point)) return;
    stage.setPointerCapture(event.pointerId);
    moved(...(last = at(event)), false);
    event.preventDefault();
  });
  stage.addEventListener("pointermove", (event) => {
    if (last !== null) moved(...(last = at(event)), false);
  });
  const end = () => {
    if (last !== null) moved(...last, true);
    last = null;
  };
  for (const kind of ["pointerup", "pointercancel"]) stage.addEventListener(kind, end);
  stage.addEventListener("click", (event) => {
    if (event.pointerType === "touch") moved(...at(event), true);
  });
}

/**
 * @template {string} Value
 * @param {string} words
 * @param {[Value, string][]} options
 * @param {() => void} changed
 */
function createSelect(words, options, changed) {
  const select = el("select", { onchange: changed });
  select.append(...options.map(([value, text]) => el("option", { value }, text)));
  let isStarted = false;
  return {
    element: el("label", {}, `${words} `, select),
    get value() {
      return required(options.find(([value]) => value === select.value), "option")[0];
    },
    /** Sets what it shows first. @param {Value} value */
    start(value) {
      if (!isStarted) select.value = value;
      isStarted = true;
    },
  };
}
