// The parts that stand elsewhere on a phone. They are moved in the page itself, not by style alone, so that
// the keyboard and the ear meet them in the order in which they are seen.

import { activeIn, find } from "../../frame/live/dom.js";

const PHONE = 34; // em: the buttons stand at the thumb, the sliders right below what they move

/** Each part, what it stands behind on a wide page, and what behind on a phone. */
const PLACES = [
  [".settings", ".side-start", ".pointer-line"],
  [".thumb", ".side-start", ".below"],
];

/** Keeps the parts of a page in the order that its width asks for. @param {HTMLElement} root */
export function keepOrder(root) {
  /** @param {string} name */
  const part = (name) => find(root, name);
  /** @type {boolean|null} */
  let wasNarrow = null;
  const arrange = () => {
    const isNarrow = root.clientWidth / parseFloat(getComputedStyle(root).fontSize) <= PHONE;
    if (isNarrow === wasNarrow) return;
    wasNarrow = isNarrow;
    const focused = activeIn(root);
    for (const [name, wide, narrow] of PLACES) part(isNarrow ? narrow : wide).after(part(name));
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true }); // what is moved loses it
  };
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(root);
  arrange();
}
