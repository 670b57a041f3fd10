// All continuations of a prompt: the tree, the sliders, the pointers. While a slider is
// dragged the whole tree is weighed here, at every frame; Python is told when it is released.

import { chiSquare } from "../../frame/live/chi_square.js";
import { createButton, el, isolated, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { formatCount, formatProbability } from "../../frame/live/format.js";
import { labelsAt } from "../../frame/live/labels.js";
import { NEUTRAL_SETTINGS } from "../../frame/live/masks.js";
import { isStill } from "../../frame/live/motion.js";
import { decodePayload } from "../../frame/live/payload.js";
import { SETTINGS } from "../../frame/live/settings.js";
import { createSlider } from "../../frame/live/sliders.js";
import { createIcicle, createPile } from "./icicle.js";
import { countTexts, fall, pointersOf } from "./pointers.js";
import { beamWordsOf, sumsOf, timesAsLikely } from "./findings.js";
import { createPath, createTexts, fallOf, N_TEXTS } from "./texts.js";
import { layOut, openedAt, readTree, WeighedTree } from "./tree.js";
import { last, required } from "../../frame/live/required.js";

const SLIDERS = /** @type {const} */ (["temperature", "top_k", "top_p", "min_p"]);
const MIN_PIXELS = 3; // of a piece that is drawn by itself
const N_DRAWS = 1000;
const FALL_SECONDS = 1.5; // that so many pointers take
const MIN_DRAWS = 100; // for a test
const COOLED = 0.1; // temperature to which an answer falls
const COOLED_MS = 2500;
const MAX_SEED = 999_000; // of the first pointer: the greatest that a link may say
/** @type {Map<string, FuturesView>} */
const views = new Map(); // what was set on each tree, while this tab is open

/** @type {{ place: ShadowRoot|null, fold: HTMLElement }} */
const below = { place: null, fold: el("div", {}) }; // the place and what the tree's component draws into it

/**
 * Takes the place below the sentence to remember, where the tree's component draws what is for the laboratory.
 * @param {Component} component
 */
export function placeBelow({ parentElement }) {
  below.place = parentElement;
  joinBelow();
}

function joinBelow() {
  if (below.fold.parentNode !== below.place) below.place?.replaceChildren(below.fold);
}

/** One tree in the page. */
export class Futures {
  /** @type {FuturesHeader|null} */
  #header = null;
  /** @type {FuturesTree|null} */
  #tree = null;
  /** @type {FuturesView|null} */
  #view = null;
  /** @type {WeighedTree|null} */
  #weighed = null;

  /** @param {ShadowRoot} parentElement */
  constructor(parentElement) {
    /** @type {Map<number, number[]>} */
    this.pointers = new Map(); // of each seed, one for every token
    /** @type {FallenText[]} */
    this.falls = []; // texts that they hit
    /** @type {WeighedTree|null} */
    this.fallenIn = null; // the weights under which they did
    this.fallenFrom = 0; // the seed of the first
    this.nFallen = 0;
    this.startedAt = NaN; // milliseconds, when the last were dropped
    this.isDragged = false;
    this.width = 1000;
    this.frame = 0;
    /** @type {FuturesActions} */
    const actions = {
      select: (ids) => this.change({ selected: ids }),
      zoom: (ids) => this.change({ top: ids.length === 0 || this.canZoom(ids) ? ids : ids.slice(0, -1) }),
      resized: (width) => {
        this.width = width;
        this.schedule();
      },
    };
    this.sliders = SLIDERS.map((name) =>
      createSlider(name, (_, value, isFinal) => this.change({ [name]: value }, isFinal))
    );
    this.masks = el("div", { class: "futures-sliders" }, ...this.sliders.map(inLabel));
    this.one = createButton("button", "Drop a pointer", () => this.drop(1));
    this.icicle = createIcicle(actions, this.one);
    this.texts = createTexts(actions);
    this.path = createPath(actions);
    this.sums = el("p", { class: "muted futures-sums" });
    this.pile = createPile();
    this.icicle.marks.append(this.pile.element);
    this.many = createButton("button", `Drop ${formatCount(N_DRAWS)}`, () => this.drop(N_DRAWS));
    this.lift = createButton("quiet", "take them away", () => this.change({ drops: 0, seed: 0 }));
    this.fold = el(
      "details",
      { class: "section futures-fold" },
      el("summary", {}, "Temperature and masks, pointers, the likeliest texts"),
      this.masks,
      el(
        "div",
        { class: "row futures-line" },
        this.sums,
        el("span", { class: "row futures-drops" }, this.lift, this.many),
      ),
      el("div", { class: "futures-below" }, this.texts.element, this.path.element),
    );
    this.root = el(
      "div",
      { class: "ott futures", ariaBusy: "true" },
      this.icicle.element,
    );
    parentElement.append(this.root);
    below.fold = el("div", { class: "ott" }, this.fold);
    joinBelow();
  }

  get header() {
    return required(this.#header, "tree yet");
  }

  get tree() {
    return required(this.#tree, "tree yet");
  }

  get view() {
    return required(this.#view, "tree yet");
  }

  /** The tree under the present sliders. */
  get weighed() {
    return required(this.#weighed, "weighed tree yet");
  }

  /**
   * Takes what Python says; what the reader has set here stays, unless it is another prompt's tree.
   * @param {Component} component
   */
  receive(component) {
    this.component = component;
    /** @type {{header: FuturesHeader, arrays: Arrays}} */
    const { header, arrays } = decodePayload(component.data);
    const isOther = header.treeId !== this.#header?.treeId;
    if (isOther) this.#view = views.get(header.treeId) ?? header.view;
    if (this.#header === null) this.fold.open = header.guided || this.isSet(); // a link shows what it sets
    if (isOther || header.nTexts !== this.header.nTexts || header.nTokens !== this.header.nTokens) {
      this.#tree = readTree(header, arrays);
      [this.#weighed, this.pointers] = [null, new Map()];
    }
    const cools = header.cools && !this.#header?.cools && this.view.temperature === 1;
    this.#header = header;
    this.schedule();
    if (cools) this.coolDown();
  }

  /** Shows what a lesson asks: the temperature falls, until a hand takes something. */
  coolDown() {
    const began = performance.now();
    const stop = new AbortController();
    for (const kind of ["pointerdown", "keydown"])
      for (const part of [this.root, below.fold])
        part.addEventListener(kind, () => stop.abort(), { once: true, signal: stop.signal });
    /** @param {number} now */
    const tick = (now) => {
      if (stop.signal.aborted) return;
      const share = isStill() ? 1 : Math.min(1, Math.max(0, now - began) / COOLED_MS);
      this.change({ temperature: Math.round(100 * (1 + (COOLED - 1) * share)) / 100 }, share === 1);
      if (share < 1) requestAnimationFrame(tick);
      else stop.abort();
    };
    requestAnimationFrame(tick);
  }

  /** @param {Partial<FuturesView>} values */
  change(values, isFinal = true) {
    this.#view = { ...this.view, ...values };
    views.set(this.header.treeId, this.view);
    if (Object.keys(values).some((name) => name in SETTINGS)) this.#weighed = null;
    this.schedule();
    // a trigger takes one value a message: whatever came before the last is of no interest
    this.isDragged = !isFinal;
    if (isFinal) this.component?.setTriggerValue("event", { view: this.view });
  }

  /** Whether the reader, or a link, has set anything that the fold holds. */
  isSet() {
    const { drops, selected } = this.view;
    return drops > 0 || selected.length > 0 || !this.isNeutral();
  }

  isNeutral() {
    return SLIDERS.every((name) => this.view[name] === SETTINGS[name].neutral);
  }

  /** Whether there is something below a text. @param {number[]} ids */
  canZoom(ids) {
    return ids.length > 0 && ids.length < this.tree.nTokens && openedAt(this.tree, ids) !== null;
  }

  /**
   * Lets so many more pointers fall: that of the next seed, or a thousand; after a thousand, others.
   * @param {number} n
   */
  drop(n) {
    const { drops, seed } = this.view;
    const isFull = drops === N_DRAWS;
    const isMore = n === 1 && !isFull;
    this.nFallen = isMore ? drops : 0;
    this.startedAt = performance.now();
    const next = seed + N_DRAWS > MAX_SEED ? 0 : seed + N_DRAWS;
    this.change({ drops: isMore ? drops + 1 : n, seed: isFull ? next : seed });
  }

  schedule() {
    if (this.frame || this.#header === null) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paint() {
    const { header, view, tree } = this;
    const labels = labelsAt(header.labelsAt, () => this.schedule());
    if (labels === null) return;
    this.root.ariaBusy = null;
    for (const part of [this.root, below.fold]) setAttribute(part, "data-presenter", header.presenter);
    const values = Object.fromEntries(SLIDERS.map((name) => [name, view[name]]));
    SLIDERS.forEach((name, i) => this.sliders[i].set(view[name], header.nVocab));
    this.#weighed ??= new WeighedTree(tree, { ...NEUTRAL_SETTINGS, ...values, order: header.order });
    const shown = this.describe((id) => labels[id] ?? `id ${id}`);
    this.icicle.update(shown);
    this.pile.update(shown);
    this.texts.update(shown);
    this.path.update(shown);
    setText(this.sums, sumsOf(shown) + shown.beamWords);
    setShown(this.lift, view.drops > 0);
    for (const part of [this.fold, this.one, this.pile.element])
      setAttribute(part, "data-covered", shown.isCovered);
    if (this.nFallen < view.drops) this.schedule();
  }

  /** All that the parts show, in one record. @param {Label} label */
  describe(label) {
    const { header, view, tree, weighed } = this;
    const isThere = view.top.length < tree.nTokens && openedAt(tree, view.top) !== null;
    const place = isThere ? weighed.placeOf(view.top) : null; // a mask may cut it
    const top = place === null ? [] : view.top;
    const isCovered = header.waits && tree.nTokens > 1;
    /** @param {number[]} ids */
    const words = (ids) => isolated(ids.map(label).join("").replaceAll("␣", " ").trim());
    const texts = this.describeTexts(isCovered, words, place ?? { from: 0, width: 1 });
    const pieces = layOut(weighed, top, MIN_PIXELS / this.width, texts.wayOf);
    const draws = this.describeDraws(top);
    const isOneByOne = draws.nDraws > 0 && draws.chi === null && !isCovered;
    return {
      ...texts,
      ...draws,
      fallWords: isOneByOne ? fallOf(last(draws.falls), words) : "",
      header,
      view,
      tree,
      pieces,
      label,
      words,
      heard: `${pieces.filter(({ kind }) => kind === "token").length} pieces. Walk with the arrow keys.`,
      isCovered,
      prompt: header.prompt,
      topIds: top,
      selected: view.selected,
      trace: weighed.trace(view.selected),
      canZoom: this.canZoom(view.selected) && String(view.selected) !== String(top),
      survival: weighed.survival(),
      opened: this.isDragged ? null : weighed.opened(openedAt(tree, top) ?? tree.root), // it asks for every text
      /** @param {number[]} ids */
      searchLink: (ids) => `${header.searchLink}&selected=${ids.join(",")}`,
      /** @param {number[]} ids */
      homeLink: (ids) =>
        `${header.homeLink}&run=${ids.length}&forced=${ids.map((id, i) => `${i}:${id}`).join(",")}`,
    };
  }

  /**
   * The texts that have a name: greedy's, the likeliest, the reader's own, a beam's.
   * @param {boolean} isCovered
   * @param {(ids: number[]) => string} words
   * @param {{ from: number, width: number }} given
   */
  describeTexts(isCovered, words, { from, width }) {
    const { header, weighed } = this;
    const greedy = weighed.greedy();
    const { whole: best, closed } = weighed.likeliest(N_TEXTS, 0);
    const named = isCovered ? [] : [
      { way: "greedy", name: "greedy", ids: greedy.ids, found: formatProbability(greedy.prob) },
      ...best.slice(0, 1).map(({ ids, prob }) => ({
        way: "best",
        name: closed > prob ? "likeliest so far" : "likeliest",
        ids,
        found: String(ids) === String(greedy.ids)
          ? "too"
          : `${formatProbability(prob)}, ${timesAsLikely(prob / greedy.prob)}`,
      })),
      ...header.runs.map(({ name, ids }) => ({ way: "run", name, ids, found: "" })),
    ];
    const flags = named.flatMap(({ ids, ...flag }) => {
      const spot = weighed.placeOf(ids);
      const place = spot ? (spot.from + spot.width / 2 - from) / width : -1;
      const shown = flag.way === "run" ? "" : words(ids);
      return place >= 0 && place <= 1 ? [{ ...flag, words: shown, place }] : [];
    });
    const kept = header.beam?.kept;
    /** @param {number[]} ids @param {{ way: string, ids: number[] }} way */
    const isOn = (ids, way) => way.way !== "run" && `${way.ids},`.startsWith(`${ids},`);
    return {
      greedy,
      best,
      closed,
      flags,
      /** @param {number[]} ids */
      wayOf: (ids) => named.filter((way) => isOn(ids, way)).map(({ way }) => way).join(" ") || null,
      runs: header.runs.map((run) => ({ ...run, prob: weighed.placeOf(run.ids)?.width ?? null })),
      beam: kept ? new Set(kept.map(String)) : null,
      beamWords: kept ? beamWordsOf(kept, weighed, best) : "",
      topProb: width,
    };
  }

  /** The pointers that have fallen, and what they hit. @param {number[]} top */
  describeDraws(top) {
    const falls = this.fallen();
    const counts = countTexts(falls);
    return {
      falls,
      counts,
      nDraws: falls.length,
      chi: falls.length < MIN_DRAWS ? null : this.test(counts, falls.length),
      pointer: top.length > 0 ? null : falls.at(-1)?.places,
    };
  }

  /** The pointers that have fallen by now, under the present settings. */
  fallen() {
    const { drops: nDraws, seed: first } = this.view;
    const seconds = (performance.now() - this.startedAt) / 1000;
    const isCalm = !(seconds < FALL_SECONDS) || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.nFallen = isCalm || nDraws < N_DRAWS ? nDraws : Math.floor(nDraws * seconds / FALL_SECONDS);
    if (this.fallenIn !== this.weighed || this.fallenFrom !== first) this.falls = [];
    [this.fallenIn, this.fallenFrom] = [this.weighed, first];
    if (this.isDragged) return []; // they fall anew once the hand rests
    const { position } = this.header;
    this.falls.length = Math.min(this.falls.length, this.nFallen);
    for (let seed = first + this.falls.length; seed < first + this.nFallen; seed++) {
      const pointers = this.pointers.get(seed) ?? pointersOf(seed, position, this.tree.nTokens);
      this.pointers.set(seed, pointers);
      this.falls.push(fall(this.weighed, pointers));
    }
    return this.falls;
  }

  /**
   * All texts of which enough hits are expected, against the rest.
   * @param {Map<string, number>} counts
   * @param {number} nDraws
   */
  test(counts, nDraws) {
    const { whole } = this.weighed.likeliest(N_DRAWS, 5 / nDraws);
    return chiSquare(
      whole.map(({ ids }) => counts.get(String(ids)) ?? 0),
      whole.map(({ prob }) => prob),
      nDraws,
    );
  }
}

/** @param {ReturnType<typeof createSlider>} given @param {number} i */
function inLabel({ input, readout }, i) {
  return el(
    "label",
    { class: "futures-slider" },
    el("span", { class: "row" }, SETTINGS[SLIDERS[i]].title, readout),
    input,
  );
}
