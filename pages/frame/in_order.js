// While a page loads, what stands below something that is still on its way is hidden until its place is known:
// nothing moves that one reads already. It runs before Streamlit does; `page.css` has what it marks.

const PLACES = `.stMain :is(
  [data-testid="stSkeleton"],
  [data-testid="stBidiComponentIsolated"]:not([data-drawn])
)`; // a widget or a figure whose script is under way; a component of ours that is not drawn yet
const IDLE = `.stApp[data-test-script-state="notRunning"]`;
const BELOW = `.stMain [class*="_below"]`; // what is sent before that which stands above it
const BLOCK = ".stMainBlockContainer";
const HEAD = ".st-key-head";
const ROW = ".stHorizontalBlock"; // its parts move each other, also to the left
const REST = 1000; // milliseconds without anything under way, until the page is drawn
const PATIENCE = 20_000; // milliseconds after all is sent: what does not come hides nothing for ever
const LIMIT = 90_000; // milliseconds, on a machine however slow

/** What stands beside or below a place, and not above it. @param {Element} place */
function laterThan(place) {
  const later = [];
  /** @type {Element|null} */
  let node = place;
  for (; node !== null && !node.matches(BLOCK); node = node.parentElement) {
    const isInRow = node.parentElement?.matches(ROW) && node.matches(".stElementContainer");
    const all = [...node.parentElement?.children ?? []];
    later.push(...isInRow ? all : all.slice(all.indexOf(node) + 1));
  }
  return later;
}

// for style sheets: a rule that looked for a lesson's bar would be asked again with each label of a figure
document.documentElement.toggleAttribute("data-guided", new URLSearchParams(location.search).has("lesson"));

// an icon is the name of a glyph: it waits for its font, or the name would be read
const ICONS = "Material Symbols Rounded";
const root = document.documentElement;
root.setAttribute("data-awaits-icons", "");
const showIcons = () => {
  const isThere = [...document.fonts].some(({ family, status }) =>
    family.replaceAll('"', "") === ICONS && status === "loaded"
  );
  if (isThere) root.removeAttribute("data-awaits-icons");
};
document.fonts.addEventListener("loadingdone", showIcons);
document.fonts.addEventListener("loadingerror", () => root.removeAttribute("data-awaits-icons"));

const begun = performance.now();
let busyAt = begun;
let sentAt = Infinity; // when Streamlit had sent all that it had
let hasActed = false; // nothing is hidden from who is at work
/** @type {Element[]} */
let hidden = [];

function look() {
  const now = performance.now();
  const isIdle = document.querySelector(IDLE) !== null;
  sentAt = isIdle ? Math.min(sentAt, now) : Infinity;
  const isOver = hasActed || now - sentAt > PATIENCE || now - begun > LIMIT;
  // the head's parts are sent last, and have their room
  const place = isOver
    ? null
    : [...document.querySelectorAll(PLACES)].find((one) => !one.closest(HEAD)) ?? null;
  // nor what has the focus, which a guided lesson's bar is given
  const unplaced = [
    ...(place === null ? [] : laterThan(place)),
    ...(isOver || isIdle ? [] : document.querySelectorAll(BELOW)),
  ];
  const later = unplaced.filter((node) => !node.contains(document.activeElement));
  for (const node of hidden) if (!later.includes(node)) node.removeAttribute("data-later");
  for (const node of later) node.setAttribute("data-later", "");
  hidden = later;
  if (place !== null || !isIdle) busyAt = now;
  if (!isOver && now - busyAt < REST) requestAnimationFrame(look);
}
for (const kind of ["keydown", "pointerdown"])
  addEventListener(kind, () => hasActed = true, { capture: true, once: true });
look();
