// The parts that stand elsewhere on a phone. They are moved in the page itself, not by style alone, so that
// the keyboard and the ear meet them in the order in which they are seen.

import { activeIn, find } from "../../frame/live/dom.js";
import { isStill } from "../../frame/live/motion.js";

const PHONE = 34; // em: the buttons stand at the thumb, the sliders right below what they move

/** Each part, what it stands behind on a wide page, and what behind on a phone. */
const PLACES = [
  [".settings", ".side-start", ".pointer-line"],
  [".thumb", ".side-start", ".below"],
  [".extras", ".settings", ".side-start"],
];

/** On a phone, while "More" is open: what is moved, under the picture that it moves. */
const IN_SHEET = [".settings", ".extras"];

/** What a guided scene does to the sliders of which it speaks. */
const SPOKEN_OF = ["lit", "covered"];

/** Keeps the parts of a page in the order that its width asks for. @param {HTMLElement} root */
export function keepOrder(root) {
  /** @param {string} name */
  const part = (name) => find(root, name);
  const settings = part(".settings");
  const sheet = part(".sheet");
  let was = "";
  const arrange = () => {
    const isNarrow = root.clientWidth / parseFloat(getComputedStyle(root).fontSize) <= PHONE;
    const isFirst = isNarrow && SPOKEN_OF.includes(settings.dataset.tour ?? "");
    const isSheet = isNarrow && !isFirst && root.hasAttribute("data-more");
    const now = `${isNarrow} ${isFirst} ${isSheet}`;
    if (now === was) return;
    was = now;
    const focused = activeIn(root);
    for (const [name, wide, narrow] of PLACES) part(isNarrow ? narrow : wide).after(part(name));
    if (isFirst) part(".bars-top").before(settings); // near the question, above the buttons at the thumb
    if (isSheet) sheet.append(...IN_SHEET.map(part));
    sheet.hidden = !isSheet;
    if (isSheet) showAbove(part(".plot"));
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true }); // what is moved loses it
  };
  new MutationObserver(arrange).observe(settings, { attributeFilter: ["data-tour"] });
  new MutationObserver(arrange).observe(root, { attributeFilter: ["data-more"] });
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(root);
  arrange();
}

/** The picture stands above the sheet, whole. @param {HTMLElement} picture */
function showAbove(picture) {
  picture.scrollIntoView({ block: "end", behavior: isStill() ? "auto" : "smooth" });
}
