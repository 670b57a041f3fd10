// A press: the label of the bar that was chosen flies to its place in the strip, where the token is
// already. Nothing waits for it.

import { fly } from "../../../frame/live/motion.js";

/**
 * Flies the label, unless the reader wants no motion or the bar is out of sight.
 * @param {HTMLElement} root
 */
export function flyToStrip(root) {
  const from = root.querySelector(".bars-row[data-chosen] .bars-label");
  const to = [...root.querySelectorAll(".strip .token")].at(-1);
  if (from instanceof HTMLElement && to instanceof HTMLElement) fly(root, from, to, { duration: 250 });
}
