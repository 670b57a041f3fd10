// Back and forward of the browser go where one was, a link to the top of its page. A page of Streamlit's scrolls
// in a frame of its own, which no browser puts back, and is drawn bit by bit.

import { isScriptRunning } from "./dom.js";

const LOOK = 50; // milliseconds between two looks
const PATIENCE = 20_000; // in which the page has been drawn as far down as one was
const STILL = 500; // milliseconds without another move, until it stays there

const tops = new Map(); // how far each page was scrolled, by its path
let isKept = false;
let left = ""; // the path of a page whose link to another was pressed: Streamlit scrolls up, then leaves it
let jumped = -Infinity; // when a link to a part of the same page was pressed: that is told as a way back is
let turn = 0; // the timer of the next look: there is one way at a time
let isReturning = false;

const frame = () => document.querySelector(".stMain");

/** Ends what is under way. */
function stay() {
  clearTimeout(turn);
  isReturning = false;
}

function goBack() {
  if (performance.now() - jumped >= STILL) goTo(tops.get(location.pathname) ?? 0, true);
}

/**
 * Scrolls there as the page grows, until it stays there, or the reader scrolls.
 * @param {number} top
 * @param {boolean} isAwaited whether the script of that page is still to run
 */
function goTo(top, isAwaited) {
  const begun = performance.now();
  let since = begun;
  let hasRun = !isAwaited;
  stay();
  left = "";
  isReturning = true;
  const look = () => {
    if (!isReturning) return;
    const now = performance.now();
    const place = frame();
    if (place && Math.abs(place.scrollTop - top) > 1) {
      place.scrollTop = top;
      since = now;
    }
    if (isAwaited && isScriptRunning()) {
      hasRun = true;
      since = now;
    }
    isReturning = now - begun < PATIENCE && (now - since < STILL || !hasRun);
    if (isReturning) turn = setTimeout(look, LOOK);
  };
  look();
}

/**
 * A page that is left by a link may leave the next one as far down as it was.
 * @param {string} before
 * @param {number} begun
 */
function beginAtTop(before, begun) {
  if (location.pathname !== before) goTo(0, false);
  else if (performance.now() - begun < PATIENCE) turn = setTimeout(beginAtTop, LOOK, before, begun);
}

/** Remembers from now on where one was on each page. */
export function keepScroll() {
  if (isKept) return;
  isKept = true;
  const note = (/** @type {Event} */ { target }) => {
    if (location.pathname !== left) left = "";
    const place = frame();
    if (place && target === place && !isReturning && left === "")
      tops.set(location.pathname, place.scrollTop);
  };
  const leave = (/** @type {Event} */ { target }) => {
    const link = target instanceof Element ? target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement)) return;
    if (link.pathname !== location.pathname) {
      left = location.pathname;
      stay();
      if (link.hash === "" && link.target === "") beginAtTop(left, performance.now());
    } else if (link.hash !== "") jumped = performance.now();
  };
  addEventListener("scroll", note, true);
  addEventListener("click", leave, true);
  addEventListener("popstate", goBack);
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(kind, () => isReturning = false, true);
}
