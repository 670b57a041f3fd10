// Streamlit puts a new element in a figure's place whenever the figure changes, and Plotly draws it some frames
// later. Where a stepper draws, a copy of the figure before stands there until then; then it fades, and what has
// changed appears.

import { isStill, move } from "./motion.js";

const PLACE = `.stVerticalBlock:has(> * > [class*="_buttons"]) .stElementContainer`; // see stepper.py
const FIGURE = ".js-plotly-plot";
const EDGE = 32; // pixels to the right of the newest word
const FADE = { duration: 250, easing: "ease-out" }; // milliseconds

/** What to show once a place is left, from when its figure is drawn: one that leaves is emptied first. @type {WeakMap<Node, HTMLElement|null>} */
const copies = new WeakMap();
let isKept = false;

/** A copy that only eyes meet. @param {Element} figure */
function copyOf(figure) {
  const copy = /** @type {HTMLElement} */ (figure.cloneNode(true));
  copy.className = "held-figure";
  copy.inert = true;
  return copy;
}

/** Scrolls a figure that is wider than its box to where it grows. @param {Element} figure */
function showNewest(figure) {
  const box = figure.closest("[class*='_box']");
  if (!box) return;
  const right = (/** @type {Element} */ one) => one.getBoundingClientRect().right;
  const newest = Math.max(...[...figure.querySelectorAll(".annotation")].map(right));
  box.scrollBy({ left: newest + EDGE - right(box), behavior: isStill() ? "instant" : "smooth" });
}

/** Once a place's figure is drawn, copies it and lets what is held there fade. @param {Element} place */
function awaitDrawn(place) {
  if (!place.isConnected) return;
  const figure = place.querySelector(FIGURE);
  const drawing = figure?.querySelector(".main-svg");
  if (!figure || !drawing || getComputedStyle(drawing).visibility === "hidden") {
    requestAnimationFrame(() => awaitDrawn(place));
    return;
  }
  const held = copies.get(place);
  copies.set(place, copyOf(figure));
  showNewest(figure);
  if (!held) return;
  const fading = move(held, [{ opacity: 1 }, { opacity: 0 }], FADE);
  if (fading) fading.onfinish = fading.oncancel = () => held.remove();
  else held.remove();
}

/** @param {Element|null|undefined} place @param {HTMLElement|null} held */
function hold(place, held = null) {
  if (!place || copies.has(place)) return;
  copies.set(place, held); // it may be left before it is drawn
  if (held) place.append(held);
  awaitDrawn(place);
}

/** What tells one figure from the others: its key. @param {Node} place */
const keyOf = (place) => /\bst-key-\S+/.exec(/** @type {Element} */ (place).className)?.[0];

/** @param {MutationRecord[]} records */
function follow(records) {
  const left = records.flatMap(({ removedNodes }) => [...removedNodes]);
  for (const { addedNodes } of records) {
    for (const node of addedNodes) {
      if (!(node instanceof Element)) continue;
      if (node.matches(PLACE)) {
        const others = [...left, ...node.parentElement?.children ?? []]; // it may stay a while, hidden
        const before = others.find((one) => one !== node && copies.get(one) && keyOf(one) === keyOf(node));
        if (before) hold(node, copies.get(before));
      } else if (node.matches(`${FIGURE} .main-svg`)) {
        hold(node.closest(PLACE));
      }
    }
  }
}

/** Keeps the figures that steps change in sight from now on. */
export function holdFigures() {
  if (isKept) return;
  isKept = true;
  for (const figure of document.querySelectorAll(FIGURE)) hold(figure.closest(PLACE));
  new MutationObserver(follow).observe(document.body, { childList: true, subtree: true });
}
