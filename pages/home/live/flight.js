// A press: the label of the bar that was chosen flies to its place in the strip, where the token is
// already. Nothing waits for it.

import { isStill } from "./player.js";

const FLIGHT = { duration: 250, easing: "ease-in-out" };

/** Flies the label, unless the reader wants no motion or the bar is out of sight. */
export function flyToStrip(root) {
  const from = root.querySelector(".bars-row[data-chosen] .bars-label");
  const to = [...root.querySelectorAll(".strip .token")].at(-1);
  if (isStill() || !from?.offsetParent || !to) return;
  const [start, end, origin] = [from, to, root].map((node) => node.getBoundingClientRect());
  const label = document.createElement("span");
  label.className = "flight";
  label.setAttribute("aria-hidden", "true");
  label.append(...from.cloneNode(true).childNodes);
  root.append(label);
  const at = ({ left, top }) => ({ transform: `translate(${left - origin.left}px, ${top - origin.top}px)` });
  label.animate([at(start), { ...at(end), opacity: 0.4 }], FLIGHT).onfinish = () => label.remove();
}
