// A guess that comes true: its sentence leaps, and a handful of confetti flies up from it, once.

import { el } from "./dom.js";
import { move } from "./motion.js";

const N_PIECES = 22;
const FLIGHT_MS = 1300;
const TURN = 2.4; // radians, the golden angle: no two fly alike, and nothing is left to chance

/** @param {HTMLElement} verdict what says so */
export function cheer(verdict) {
  move(verdict, [{ scale: 1 }, { scale: 1.12, offset: 0.3 }, { scale: 1 }], { duration: 600 });
  const layer = el("div", { class: "cheer", "aria-hidden": "true" });
  verdict.after(layer);
  const pieces = Array.from({ length: N_PIECES }, () => el("i", {}));
  layer.append(...pieces);
  const flights = pieces.map((piece, i) => {
    const [far, high] = [3 + 3 * Math.cos(TURN * i) + 0.25 * i, 2 + 1.6 * (1 + Math.sin(TURN * i))];
    return move(piece, [
      { opacity: 1, transform: "none" },
      { opacity: 1, transform: `translate(${far}em, ${-high}em) rotate(${90 * i}deg)`, offset: 0.45 },
      { opacity: 0, transform: `translate(${1.3 * far}em, ${2 - high / 2}em) rotate(${200 * i}deg)` },
    ], { duration: FLIGHT_MS });
  });
  Promise.allSettled(flights.map((flight) => flight?.finished)).then(() => layer.remove());
}
