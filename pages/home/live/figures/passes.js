// Two figures of every pass so far: the bytes that the cache holds after it, and the time it took.
// Drawn from the numbers of the worked table, and only while they are in sight; their words are always
// true, so that nothing moves when one scrolls to them.

import { el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatBytes, formatCount, formatSeconds, formatTokens } from "../../../frame/live/format.js";
import { _, ngettext, numeral } from "../../../frame/live/words.js";
import { cacheFormula, deviceName } from "./loopfacts.js";
import { last } from "../../../frame/live/required.js";
import { keepsKeys, newestPass, readRows } from "./steprows.js";

const SVG = "http://www.w3.org/2000/svg";
const FEW = 5; // passes: fewer leave room, so that a first pass is a column and not a wall
const MAX_PARTED = 100; // columns that are told apart by a thin gap
const TICKS = 4;

/** What each figure draws of a pass. @type {PassFigure[]} */
const FIGURES = [
  {
    name: "cache",
    title: ({ cache }) =>
      keepsKeys(cache) ? _("The KV cache after each pass") : _("The state after each pass"),
    axis: _("tokens read"),
    valueOf: (pass) => pass.bytes,
    spansOf: spansInTokens,
    units: [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"]],
    legend: ({ first }) => [
      ngettext("prefill: {n} token in one pass", "prefill: {n} tokens in one pass", first.nInput),
      _("decode: one token a pass"),
    ],
    line: ({ passes, cache }) => lineOfFormula(passes, cache),
    note: ({ cache, passes, reading }) =>
      `${readingInWords(reading)} ${_("Measured: {bytes}", { bytes: cacheInBytes(last(passes), cache) })}`,
  },
  {
    name: "seconds",
    title: () => _("The time of each pass"),
    axis: _("pass"),
    valueOf: (pass) => pass.seconds,
    spansOf: (passes) => passes.map((_, i) => [i + 0.05, i + 0.95]),
    units: [[1e-3, "ms"], [1, "s"]],
    legend: ({ first, decodes }) => [prefillInWords(first), decodeInWords(decodes)],
    line: ({ passes, decodes }) => {
      const height = median(decodes);
      return decodes.length > 1 ? { from: 1, to: passes.length, start: height, end: height } : null;
    },
    note: ({ model, decodes, passes, nShared }) =>
      [
        _("Measured on {device}, {dtype}.", { device: deviceName(model.device), dtype: model.dtype }),
        decodes.length > 1 ? _("The dashed line is the median of the decode passes.") : "",
        nShared > 0
          ? _("Others were served during {number} of {n_passes}.", {
            number: formatCount(nShared),
            n_passes: formatCount(passes.length),
          })
          : "",
      ].filter(Boolean).join(" "),
  },
];

/** Makes both figures. @returns {Part} */
export function createPasses() {
  const figures = FIGURES.map(createFigure);
  const element = el("div", { class: "passes" }, ...figures.map((figure) => figure.element));
  let isSeen = false;
  /** @type {View|null} */
  let view = null;
  const draw = () => {
    if (view === null) return;
    const facts = factsOf(view.header);
    for (const figure of figures) {
      figure.say(facts);
      if (isSeen) figure.draw(facts);
    }
  };
  /** @param {boolean} isNow */
  const see = (isNow) => {
    isSeen = isNow;
    draw();
  };
  new IntersectionObserver(([entry]) => see(entry.isIntersecting)).observe(element);
  addEventListener("beforeprint", () => see(true));
  return {
    element,
    update(next) {
      const isNew = next.header !== view?.header;
      view = next;
      if (isNew) draw();
    },
  };
}

/** Every pass so far, that of the next distribution included. @param {Header} header */
function factsOf(header) {
  const { cache, model, reading } = header;
  /** @type {TimedPass[]} */
  const passes = [...readRows(header)];
  if (!header.finished || passes.length === 0) passes.push(newestPass(header)); // none runs after the end
  const decodes = passes.filter(({ phase }) => phase === "decode").map(({ seconds }) => seconds);
  const nShared = passes.filter(({ isShared }) => isShared).length;
  return { passes, decodes, first: passes[0], cache, model, nShared, reading };
}

/** @param {PassFigure} figure */
function createFigure({ name, title, axis, ...what }) {
  const heading = el("h2");
  const [prefill, decode] = ["of-prefill", "of-decode"].map((kind) => el("span", { class: kind }));
  const pointed = el("p", { class: "passes-pointed", hidden: true });
  const legend = el("p", { class: "row passes-legend" }, prefill, decode);
  const columns = { prefill: shape("path", "is-prefill"), decode: shape("path", "is-decode") };
  const line = shape("line", "passes-line");
  const svg = shape("svg", "passes-drawing", columns.prefill, columns.decode, line);
  setAttribute(svg, "preserveAspectRatio", "none");
  setAttribute(svg, "aria-hidden", "true"); // what it is part of has a name
  // a screen reader would read the numbers at the axes one by one
  const rows = el("div", { class: "passes-rows", "aria-hidden": "true" });
  const marks = el("div", { class: "passes-marks", "aria-hidden": "true" });
  const plot = el("div", { class: "passes-plot", role: "img" }, rows, svg, pointed);
  const note = el("p", { class: "muted" });
  const element = el(
    "figure",
    { class: "passes-figure", "data-figure": name },
    heading,
    legend,
    plot,
    marks,
    el("p", { class: "muted passes-axis" }, axis),
    note,
  );
  /** @type {{passes: TimedPass[], spans: Span[], width: number}|null} */
  let shown = null;
  svg.addEventListener("pointermove", ({ offsetX }) => {
    if (shown === null) return;
    const x = shown.width * (offsetX / svg.clientWidth);
    const index = shown.spans.findIndex(([from, to]) => from <= x && x < to);
    point(index);
  });
  svg.addEventListener("pointerleave", () => point(-1));

  /** @param {number} index */
  function point(index) {
    setShown(pointed, index >= 0);
    if (shown !== null && index >= 0) setText(pointed, passInWords(shown.passes[index], index));
  }

  /** @param {PassFacts} facts */
  function draw(facts) {
    const { passes } = facts;
    const spans = what.spansOf(passes);
    const heights = passes.map(what.valueOf);
    const over = what.line(facts);
    const width = Math.max(last(spans)[1], name === "seconds" ? FEW : 0);
    const ticks = roundTicks(Math.max(...heights, over?.end ?? 0));
    const top = ticks.at(-1) || 1;
    shown = { passes, spans, width };
    setAttribute(svg, "viewBox", `0 0 ${width} ${top}`);
    setAttribute(svg, "data-parted", passes.length <= MAX_PARTED);
    for (const [phase, path] of Object.entries(columns)) {
      const parts = spans.map((span, i) => passes[i].phase === phase ? columnOf(span, heights[i], top) : "");
      setAttribute(path, "d", parts.join(""));
    }
    drawLine(line, over, top);
    const [size, unit] = what.units.findLast(([size]) => size <= top) ?? what.units[0];
    /** @param {number} tick */
    const inUnit = (tick) => numeral(`${Number((tick / size).toPrecision(3))}\u202f${unit}`);
    placeTicks(rows, ticks, (tick) => ["bottom", tick / top, inUnit(tick)]);
    const steps = roundTicks(width).filter((tick) => tick <= width && Number.isInteger(tick));
    placeTicks(marks, steps, (tick) => ["left", tick / width, formatCount(tick)]);
  }

  /** @param {PassFacts} facts */
  function say(facts) {
    const words = what.legend(facts);
    setText(heading, title(facts));
    setText(prefill, words[0]);
    setText(decode, words[1]);
    setText(note, what.note(facts));
    setAttribute(plot, "aria-label", title(facts)); // what it shows is said above and below it
  }
  return { element, say, draw };
}

/** @param {string} tag @param {string} name @param {...Node} children */
function shape(tag, name, ...children) {
  const node = document.createElementNS(SVG, tag);
  setAttribute(node, "class", name);
  node.append(...children);
  return node;
}

/** @param {Span} span @param {number} height @param {number} top */
function columnOf([from, to], height, top) {
  return `M${from} ${top}V${top - height}H${to}V${top}Z`;
}

/** @param {SVGElement} node @param {PassLine|null} line @param {number} top */
function drawLine(node, line, top) {
  node.style.display = line === null ? "none" : "";
  if (line === null) return;
  const ends = { x1: line.from, x2: line.to, y1: top - line.start, y2: top - line.end };
  for (const [name, value] of Object.entries(ends)) setAttribute(node, name, value);
}

/**
 * Writes numbers along an axis, each at its share of the length.
 * @param {HTMLElement} axis
 * @param {number[]} ticks
 * @param {(tick: number) => ["bottom"|"left", number, string]} describe
 */
function placeTicks(axis, ticks, describe) {
  axis.replaceChildren(...ticks.map((tick) => {
    const [edge, share, text] = describe(tick);
    const node = el("span", {}, el("span", {}, text));
    node.style[edge] = `${100 * share}%`;
    return node;
  }));
}

/** Round numbers from 0 to the first that is not below a largest value. @param {number} largest */
function roundTicks(largest) {
  if (!(largest > 0)) return [0];
  const rough = largest / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** The tokens that each pass added: the prompt's block, then one each. @param {Pass[]} passes @returns {Span[]} */
function spansInTokens(passes) {
  let start = 0;
  return passes.map(({ phase, nInput }) => {
    // a pass that filled the cache again read the whole text: it adds what was not there before
    const end = Math.max(phase === "prefill" ? nInput : start + nInput, start + 1);
    /** @type {Span} */
    const span = [start, end];
    start = end;
    return span;
  });
}

/**
 * The straight line of the formula, as far as it holds: layers with a window keep no more.
 * @param {Pass[]} passes
 * @param {Cache} cache
 */
function lineOfFormula(passes, cache) {
  if (!keepsKeys(cache)) return null;
  const [, end] = last(spansInTokens(passes));
  const to = isCut(cache) ? Math.min(end, cache.sliding_window) : end;
  return { from: 0, to, start: 0, end: to * cache.bytes_per_token };
}

/** What the newest press found in the cache, and what it had to read. @param {Header["reading"]} reading */
function readingInWords({ n_kept: nKept, n_read: nRead, seconds }) {
  const whole = formatTokens(nKept + nRead);
  if (nRead === 0) return _("The newest press found all {n_tokens} in the cache.", { n_tokens: whole });
  return _("Of {n_tokens} the newest press found {n_found} in the cache, and read {n_read} in {time}.", {
    n_tokens: whole,
    n_found: formatCount(nKept),
    n_read: formatCount(nRead),
    time: formatSeconds(seconds),
  });
}

/** Whether layers with a window have let positions go. @param {Cache} cache @returns {cache is Cache & {sliding_window: number}} */
function isCut(cache) {
  const { sliding_window: window, bytes, tokens, bytes_per_token: perToken } = cache;
  return window !== null && bytes < tokens * perToken;
}

/** @param {Pass} pass @param {Cache} cache */
function cacheInBytes({ tokens, bytes }, cache) {
  const rest = cacheFormula(cache);
  if (!keepsKeys(cache)) return _("{bytes} in use; {rest}.", { bytes: formatBytes(bytes), rest });
  const derived = tokens * cache.bytes_per_token;
  const inUse = _("{n_tokens}, {bytes} in use; {rest}.", {
    n_tokens: formatTokens(tokens),
    bytes: formatBytes(bytes),
    rest,
  });
  return `${inUse} ${lineInWords(bytes === derived, cache, formatBytes(derived))}`;
}

/**
 * How the line of the formula lies to what was measured.
 * @param {boolean} isEqual
 * @param {Cache} cache
 * @param {string} bytes
 */
function lineInWords(isEqual, cache, bytes) {
  if (isEqual) return _("The dashed line, tokens × bytes per token, agrees to the byte.");
  if (isCut(cache))
    return ngettext(
      "Layers with a window keep {n} position: the dashed line would give {bytes}.",
      "Layers with a window keep {n} positions: the dashed line would give {bytes}.",
      cache.sliding_window,
      { bytes },
    );
  return _("The dashed line gives {bytes}, which is not what the tensors hold.", { bytes });
}

/** @param {TimedPass} pass */
function prefillInWords({ nInput, seconds }) {
  const said = { n_tokens: formatTokens(nInput), time: formatSeconds(seconds) };
  if (nInput === 1 || seconds === 0) return _("prefill: {n_tokens} in {time}", said);
  const each = formatSeconds(seconds / nInput);
  return _("prefill: {n_tokens} in {time}, {each} a token", { ...said, each });
}

/** @param {number[]} decodes */
function decodeInWords(decodes) {
  if (decodes.length === 0) return _("decode: no pass yet");
  if (decodes.length === 1)
    return _("decode: {time}, one pass so far", { time: formatSeconds(decodes[0]) });
  return _("decode: {time} a token, median of {number}", {
    time: formatSeconds(median(decodes)),
    number: formatCount(decodes.length),
  });
}

/** @param {TimedPass} pass @param {number} index */
function passInWords({ phase, nInput, tokens, bytes, seconds, hasKeys }, index) {
  const said = {
    number: formatCount(index + 1),
    phase,
    n_tokens: formatTokens(nInput),
    time: formatSeconds(seconds),
    n_cached: formatTokens(tokens),
    bytes: formatBytes(bytes),
  };
  return hasKeys
    ? _("pass {number}, {phase}: {n_tokens} in, {time}; then {n_cached} cached, {bytes}", said)
    : _("pass {number}, {phase}: {n_tokens} in, {time}; then {bytes}", said);
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
