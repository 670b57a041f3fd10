// The pictures on the cards play while they are pointed at: bars grow, branches and a race run, the pointer falls.

import { move } from "../../frame/live/motion.js";

const GROW_MS = 600;
const NEXT_MS = 80; // from one bar to the next
const FALL_MS = 450;
/** What moves, in the order in which it does, and from where it comes. @type {[string, Keyframe][]} */
const PARTS = [
  [".card-piece, .card-lane > span", { scale: "0 1", transformOrigin: "left" }],
  [".card-lines", { clipPath: "inset(0 100% 0 0)" }],
  [".card-word", { opacity: 0 }],
];
const wired = new WeakSet(); // cards

/** @param {Element} card */
export function playOnHover(card) {
  if (wired.has(card)) return;
  wired.add(card);
  card.addEventListener("pointerenter", () => play(card));
}

/** @param {Element} card */
function play(card) {
  for (const [parts, from] of PARTS)
    [...card.querySelectorAll(parts)].forEach((part, i) =>
      move(part, [{ transformOrigin: "left", ...from }, { transformOrigin: "left" }], {
        duration: GROW_MS,
        delay: i * NEXT_MS,
      })
    );
  const pointer = card.querySelector(".card-pointer");
  const fallen = { clipPath: "inset(-1em -9em -2em)" }; // the word at its foot stands out of it
  if (pointer)
    move(pointer, [{ clipPath: "inset(-1em -9em 100%)" }, fallen], { duration: FALL_MS, delay: 2 * GROW_MS });
}
