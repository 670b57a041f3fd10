// The parts that stand elsewhere on a phone. They are moved in the page itself, not by style alone, so that
// the keyboard and the ear meet them in the order in which they are seen.

import { activeIn, find } from "../../frame/live/dom.js";

const PHONE = 34; // em: the buttons stand at the thumb, the sliders right below what they move

/** Each part, what it stands behind on a wide page, and what behind on a phone. */
const PLACES = [
  [".settings", ".side-start", ".pointer-line"],
  [".thumb", ".side-start", ".below"],
];

/** What a guided scene does to the sliders of which it speaks. */
const SPOKEN_OF = ["lit", "covered"];

/** Keeps the parts of a page in the order that its width asks for. @param {HTMLElement} root */
export function keepOrder(root) {
  /** @param {string} name */
  const part = (name) => find(root, name);
  const settings = part(".settings");
  let was = "";
  const arrange = () => {
    const isNarrow = root.clientWidth / parseFloat(getComputedStyle(root).fontSize) <= PHONE;
    const isFirst = isNarrow && SPOKEN_OF.includes(settings.dataset.tour ?? "");
    const now = `${isNarrow} ${isFirst}`;
    if (now === was) return;
    was = now;
    const focused = activeIn(root);
    for (const [name, wide, narrow] of PLACES) part(isNarrow ? narrow : wide).after(part(name));
    if (isFirst) part(".bars-top").before(settings); // near the question, above the buttons at the thumb
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true }); // what is moved loses it
  };
  new MutationObserver(arrange).observe(settings, { attributeFilter: ["data-tour"] });
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(root);
  arrange();
}
