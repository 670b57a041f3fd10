// Nothing to see: brings a scene's heading below the bar, and tells who cannot see what scene it is.

const PATIENCE = 30_000; // milliseconds that a page may take until it has the heading
const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"];

let shown = null; // the scene that was brought into view: once is enough

const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");

/** What holds the bar, and stands where it is while the page is scrolled. */
const place =
  () => /** @type {HTMLElement | null} */ (document.querySelector(".st-key-above")?.parentElement ?? null);

const dressBar = (title) => {
  const bar = /** @type {HTMLElement} */ (document.querySelector(".st-key-tour"));
  if (bar === null) return;
  bar.setAttribute("role", "region");
  bar.setAttribute("aria-label", title);
  bar.tabIndex = -1;
  // it stands above what is scrolled below it, in either theme
  const paper = getComputedStyle(document.querySelector(".stApp")).backgroundColor;
  place().style.background = paper;
  if (document.activeElement === document.body) bar.focus({ preventScroll: true });
};

const bringUp = (wanted) => {
  const bar = place();
  const headings = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("h2, h3")]);
  const heading = headings.find((one) => slug(one.textContent) === wanted);
  if (heading === undefined) return;
  const isSticky = bar && getComputedStyle(bar).position === "sticky";
  heading.style.scrollMarginTop = `${(isSticky ? bar.offsetHeight : 0) + 8}px`;
  heading.scrollIntoView();
};

export default ({ data }) => {
  dressBar(data.title);
  if (shown === data.title || data.heading === "") return;
  shown = data.title;
  // what lies above the heading may still be drawn: follow it until a hand moves
  const observer = new ResizeObserver(() => bringUp(data.heading));
  const stop = () => {
    observer.disconnect();
    for (const kind of HANDS) removeEventListener(kind, stop, true);
  };
  observer.observe(document.querySelector(".stMainBlockContainer"));
  for (const kind of HANDS) addEventListener(kind, stop, true);
  setTimeout(stop, PATIENCE);
};
