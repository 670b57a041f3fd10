// The lab: one distribution, every mask alone on it, and the engines' orders of those in the pipeline.
// While a slider is dragged all is computed here; Python is told when it is released.

import { decodePayload, readDistribution } from "../../frame/live/payload.js";
import { labelsAt } from "../../frame/live/labels.js";
import { el, setAttribute, setText } from "../../frame/live/dom.js";
import { createLazySection } from "../../frame/live/lazy_section.js";
import { NEUTRAL_SETTINGS } from "../../frame/live/masks.js";
import { MASKS } from "../../frame/live/strategies.js";
import { NO_MEMORY } from "../../frame/live/memory.js";
import { isStill } from "../../frame/live/motion.js";
import { createDrawPicture } from "./draw_picture.js";
import { createMaskGrid } from "./maskgrid.js";
import { createOrderGrid, settingsOf } from "./ordergrid.js";
import { createReasons } from "./reasons.js";
import { required } from "../../frame/live/required.js";

/** Whether the page's link sets both sliders of the map. */
const isOfMap = () => {
  const said = new URLSearchParams(location.search);
  return said.has("temperature") && said.has("top_p");
};

/** Whether the page's verdict waits for the picture: see page.css. @param {boolean} waits */
const holdVerdict = (waits) => setAttribute(document.documentElement, "data-lab-waits", waits ? "" : null);

/** To where the answer moves a slider of the picture. @type {Record<LabHeader["moves"], number>} */
const MOVED = { top_p: 0.5, temperature: 2 };
const SHOWN_MS = 1600;

/** One lab in the page. */
export class Lab {
  /** @type {LabHeader|null} */
  #header = null;
  /** @type {LabControls|null} */
  #controls = null;

  /** @param {ShadowRoot} parentElement */
  constructor(parentElement) {
    /** @type {Distribution|null} */
    this.distribution = null;
    this.frame = 0;
    /** @type {import("./maskgrid.js").LabActions} */
    const actions = {
      setControl: (name, value, isFinal) => this.change({ [name]: value }, isFinal),
      setUse: (name, isUsed) => this.change({ use: this.usedWith(name, isUsed) }, true),
    };
    this.map = createLazySection(
      "The sliders as a map: which token one pointer takes where",
      "slider_map",
      ({ createSliderMap, startWorker }) =>
        createSliderMap(
          startWorker,
          /** @param {Partial<Controls>} changes @param {boolean} isFinal */
          ({ greedy: _, ...changes }, isFinal) => this.change(changes, isFinal),
        ),
      isOfMap(),
    );
    this.sampler = createLazySection(
      "Your own sampler: write one, and let it be judged",
      "own_sampler",
      ({ createOwnSampler }) => createOwnSampler(null),
    );
    this.picture = createDrawPicture(actions);
    this.masks = createMaskGrid(actions);
    this.reasons = createReasons();
    this.orders = createOrderGrid();
    this.root = el("div", { class: "ott lab", ariaBusy: "true" });
    parentElement.append(this.root);
  }

  /** Another page has its own verdict. */
  close() {
    if (this.#header?.isPicture) holdVerdict(false);
  }

  get header() {
    return required(this.#header, "header yet");
  }

  get controls() {
    return required(this.#controls, "sliders yet");
  }

  /** Takes what Python says; the sliders stay as they are under the hand. @param {Component} component */
  receive(component) {
    this.component = component;
    /** @type {{header: LabHeader, arrays: Arrays}} */
    const { header, arrays } = decodePayload(component.data);
    if (this.#header === null) this.root.append(...this.partsOf(header).map(({ element }) => element));
    // a scene that is opened again was answered before
    const isAnswered = !header.waits && (this.#header ? this.#header.waits : header.guided);
    this.#header = header;
    this.distribution = readDistribution(header.distribution, arrays, "", this.distribution);
    this.#controls ??= header.controls; // from then on they are the page's
    this.schedule();
    if (!header.isPicture) return;
    const moves = isAnswered && this.controls[`bar_${header.moves}`] === 1;
    holdVerdict(moves || header.waits);
    if (moves) this.moveSlider(header.moves);
  }

  /** Shows what the reader was asked: a slider moves by itself, until a hand takes one. @param {LabHeader["moves"]} name */
  moveSlider(name) {
    const began = performance.now();
    const stop = new AbortController();
    this.root.addEventListener("pointerdown", () => stop.abort(), { once: true });
    this.root.addEventListener("keydown", () => stop.abort(), { once: true });
    /** @param {number} now */
    const tick = (now) => {
      if (stop.signal.aborted) return holdVerdict(false);
      const share = isStill() ? 1 : Math.min(1, (now - began) / SHOWN_MS);
      const value = Math.round(100 * (1 + (MOVED[name] - 1) * share)) / 100;
      this.change({ [`bar_${name}`]: value }, share === 1);
      if (share < 1) requestAnimationFrame(tick);
      else holdVerdict(false);
    };
    requestAnimationFrame(tick);
  }

  /**
   * What this place of the page shows: one picture; or the masks, folded away, and the map; the laboratory has the
   * engines.
   * @param {LabHeader} given
   */
  partsOf({ isPicture, compares }) {
    if (isPicture) return [this.picture];
    if (compares) return [this.masks, this.orders, this.sampler];
    const title = el("summary", {}, "The masks beside each other, and why the line falls there");
    const fold = el("details", { class: "section" }, title, this.masks.element, this.reasons.element);
    return [{ element: this.masks.caption }, { element: fold }, this.map];
  }

  /** @param {string} name @param {boolean} isUsed */
  usedWith(name, isUsed) {
    const others = this.controls.use.filter((used) => used !== name);
    return isUsed ? [...others, name] : others;
  }

  /** @param {Partial<LabControls>} values @param {boolean} isFinal */
  change(values, isFinal) {
    this.#controls = { ...this.controls, ...values };
    this.schedule();
    if (!isFinal) return;
    // a trigger takes one value a message: whatever came before the last is of no interest
    const { isPicture } = this.header;
    const own = Object.entries(this.controls).filter(([name]) => name.startsWith("bar_") === isPicture);
    this.component?.setTriggerValue("event", { controls: Object.fromEntries(own) });
  }

  schedule() {
    if (this.frame || this.#header === null) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paint() {
    setAttribute(this.root, "data-presenter", this.header.presenter);
    const labels = this.header.labels ?? labelsAt(this.header.labelsAt, () => this.schedule());
    if (labels === null) return;
    const { compares, isPicture } = this.header;
    const isSettled = compares || isPicture || this.map.isSettled(() => this.schedule());
    if (!isSettled) return; // what is below has its place
    this.root.ariaBusy = null;
    const { more, use } = this.controls;
    const rest = MASKS.slice(this.header.nFirst);
    const isFew = !more && !rest.some(({ name }) => use.includes(name));
    setAttribute(this.root, "data-all", isFew ? null : "true");
    /** @type {LabView} */
    const view = {
      nShown: isFew ? this.header.nFirst : MASKS.length,
      header: this.header,
      distribution: required(this.distribution, "distribution"),
      controls: this.controls,
      settings: { ...NEUTRAL_SETTINGS, order: [] },
      contextIds: [],
      nPrompt: 0,
      toss: this.header.pointer,
      memory: NO_MEMORY,
      label: (id) => labels[id] ?? `id ${id}`,
    };
    if (isPicture) return void this.picture.update(view);
    const results = this.masks.update(view);
    if (compares) this.orders.update(view);
    else {
      this.reasons.update(view, results);
      this.map.update(this.mapView(view));
    }
    setText(this.masks.caption, this.header.caption);
  }
  /**
   * The masks that are ticked, in transformers' order, under the pointer of the engines.
   * @param {LabView} view
   */
  mapView(view) {
    return { ...view, settings: settingsOf(this.controls, this.header.orders.transformers) };
  }
}
