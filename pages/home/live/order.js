// The parts that stand elsewhere on a narrow page. They are moved in the page itself, not by style alone, so
// that the keyboard and the ear meet them in the order in which they are seen.

const BAND = 52; // em: up to this width, and on a projector, the bars stand above the loop
const PHONE = 34; // em: text, coin and bars come first; what explains their looks, and the sums, below them

/** Each part, what it stands behind on a wide page, what behind on a narrow one, and how wide that is. */
const PLACES = [
  [".loop", ".branches", ".choice", BAND],
  [".transport", ".prompt-place", ".below", PHONE],
  [".strip-sums", ".strip-scroll", ".choice", PHONE],
  [".coin", ".bars-unsent", ".bars-top", PHONE],
  [".bars-legend", ".bars-active", ".bars-unsent", PHONE],
  [".bars-scale", ".bars-compare", ".bars-legend", PHONE],
];

/** Keeps the parts of a page in the order that its width asks for. */
export function keepOrder(root) {
  const part = (name) => root.querySelector(name);
  let shown = "";
  const arrange = () => {
    const width = root.clientWidth / parseFloat(getComputedStyle(root).fontSize);
    const isNarrow = (most) => width <= most || (most === BAND && root.dataset.presenter !== undefined);
    const wanted = PLACES.map(([, , , most]) => isNarrow(most)).join();
    if (wanted === shown) return;
    shown = wanted;
    const focused = root.getRootNode().activeElement;
    for (const [name, wide, narrow, most] of PLACES) part(isNarrow(most) ? narrow : wide).after(part(name));
    focused?.focus({ preventScroll: true }); // what is moved loses it
  };
  new ResizeObserver(() => requestAnimationFrame(arrange)).observe(root);
  arrange();
}
