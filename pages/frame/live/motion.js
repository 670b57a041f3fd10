// The one way in which anything on a page moves: the Web Animations API. A motion ends on what the page's style
// says already, so that nothing waits for it and it can be dropped at any moment; who asks for less motion sees
// its end at once.

const running = new WeakMap(); // animations by node
const EASE = "cubic-bezier(.2, .7, .2, 1)";

/** Whether the reader wants nothing to move. */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Moves a node through keyframes to where it stands, in place of any motion that it is in.
 * @param {Element} node
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} timing duration and delay in milliseconds
 * @returns {Animation|null} null where nothing moves
 */
export function move(node, frames, timing) {
  rest(node);
  if (isStill()) return null;
  const animation = node.animate(frames, { easing: EASE, fill: "backwards", ...timing });
  running.set(node, animation);
  return animation;
}

/** Ends the motion of a node: it stands where its style says. @param {Element} node */
export function rest(node) {
  running.get(node)?.cancel();
  running.delete(node);
}

/**
 * Flies a copy of a node from its place to another's, in a layer above the page.
 * @param {HTMLElement} layer positioned; the copy is put there and taken away again
 * @param {HTMLElement} from what is copied
 * @param {HTMLElement} to where it lands
 * @param {KeyframeAnimationOptions} timing
 */
export function fly(layer, from, to, timing) {
  if (isStill() || !from.offsetParent) return;
  const [start, end, origin] = [from, to, layer].map((node) => node.getBoundingClientRect());
  const copy = document.createElement("span");
  copy.className = "flight";
  copy.setAttribute("aria-hidden", "true");
  const named = from.textContent ? from : to; // a narrow segment bears no word
  copy.append(...named.cloneNode(true).childNodes);
  layer.append(copy);
  const at = (/** @type {DOMRect} */ { left, top }) =>
    `translate(${left - origin.left}px, ${top - origin.top}px)`;
  const size = (/** @type {Element} */ node) => getComputedStyle(node).fontSize;
  const frames = [
    { transform: at(start), fontSize: size(from) },
    { transform: at(end), fontSize: size(to) },
  ];
  const flight = move(copy, frames, { easing: "ease-in-out", ...timing });
  if (flight) flight.onfinish = flight.oncancel = () => copy.remove();
}
