// Where the focus goes when what had it is drawn anew, switched off, hidden, or closed with its dialog: to
// the same thing again, else to the way on in the nearest place that is left, else to where it was before.
// It never falls to the page's body, from where a keyboard begins at the top.

const LOOK = 150; // milliseconds between two looks
const PATIENCE = 3000; // in which a page that was turned to has its title
const MAX_PLACES = 12; // that are remembered
const FOCUSABLE = `a[href], button, input, select, textarea, summary, [tabindex="0"]`;
const WAY_ON = `[data-testid^="stBaseButton-primary"], .is-primary`;

/** @typedef {Element & HTMLOrSVGElement} Focusable */
/** @typedef {ReturnType<typeof placeOf> & {isGiven: boolean}} Place */

/** That had the focus, the newest last. @type {Place[]} */
let places = [];
let hasActed = false; // by a key or a pointer, since the last press
let isByPointer = false;
let lostAt = 0;

const isThere = (/** @type {Element} */ node) =>
  node.isConnected && !node.matches(":disabled") && node.checkVisibility();
const parentOf = (/** @type {Element} */ node) => {
  const root = node.getRootNode();
  return node.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
};
const keyOf = (/** @type {Element} */ node) =>
  /\bst-key-[\w-]+/.exec(node.getAttribute("class") ?? "")?.[0] ?? "";
const labelOf = (/** @type {Element & {labels?: NodeListOf<HTMLLabelElement>|null}} */ node) =>
  node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent;
const dialogOf = (/** @type {Element} */ node) => node.closest("[role=dialog]");

function activeNow() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node;
}

/** What has the focus, and what it stands in, from the inside out. @param {Focusable} node */
function placeOf(node) {
  const around = [];
  for (let one = parentOf(node); one !== null && one !== document.body; one = parentOf(one))
    around.push({ node: one, key: keyOf(one) });
  return {
    node,
    tag: node.tagName,
    label: labelOf(node),
    dialog: dialogOf(node),
    page: location.pathname,
    around,
  };
}

/** The place again that something stood in; Streamlit may have drawn it anew. */
const again = (/** @type {Place["around"][number]} */ { node, key }) =>
  node.isConnected ? node : key ? document.querySelector(`.${key}`) : null;

/**
 * The same thing where it was drawn anew, else the way on; in a place with a name the first thing of it.
 * @param {Place} place
 * @returns {Focusable|null}
 */
function nearest({ tag, label, around }) {
  const isSame = (/** @type {Element} */ node) => node.tagName === tag && labelOf(node) === label;
  for (const place of around) {
    /** @type {Iterable<HTMLElement>} */
    const all = again(place)?.querySelectorAll(FOCUSABLE) ?? [];
    const those = [...all].filter(isThere);
    const way = those.find((node) => node.matches(WAY_ON));
    const found = those.find(isSame) ?? way ?? (place.key ? those[0] : undefined);
    if (found) return found;
  }
  return null;
}

function title() {
  const heading = document.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  return heading;
}

/** @param {Place} lost @returns {Focusable|null} */
function wayFrom(lost) {
  if (lost.page !== location.pathname || lost.tag === "H1") return title();
  const earlier = places.filter((place) => place.dialog === null && place !== lost).reverse();
  const isClosed = lost.dialog !== null && !isThere(lost.dialog);
  const before = isClosed ? earlier : [lost, ...earlier];
  for (const place of before) {
    const found = isThere(place.node) ? place.node : nearest(place);
    if (found) return found;
  }
  /** @type {Iterable<HTMLElement>} */
  const ways = document.querySelectorAll(WAY_ON);
  return [...ways].find(isThere) ?? title();
}

function look() {
  const last = places.at(-1);
  if (last === undefined) return;
  // what was lost while a page was being turned to got a place of the old one: the address comes later
  const isTurned = last.isGiven && last.page !== location.pathname;
  if (isThere(last.node) && !isTurned) return void (lostAt = 0);
  const active = activeNow();
  const isLost = isTurned || active === document.body || active === null || last.dialog?.contains(active);
  if (!isLost) return;
  lostAt ||= performance.now();
  const way = wayFrom(last);
  if (way !== null) {
    way.focus({ preventScroll: true });
    remember(way, true);
  } else if (performance.now() - lostAt > PATIENCE) places = [];
}

/** @param {Focusable} node */
function remember(node, isGiven = false) {
  const place = { ...placeOf(node), isGiven };
  places = [...places.filter((one) => one.node !== node), place].slice(-MAX_PLACES);
}

/** @param {Event} event */
function took(event) {
  const node = /** @type {Focusable} */ (event.composedPath()[0]);
  if (!(node instanceof Element) || node === document.body) return;
  listenIn(node.getRootNode()); // a shadow root keeps to itself what moves inside of it
  const last = places.at(-1);
  // a dialog that keeps the focus in has moved it by itself: the place that was lost counts
  const isMoved = last?.dialog && !hasActed && !isThere(last.node) && last.dialog === dialogOf(node);
  if (!isMoved) remember(node);
}

/**
 * Who lets the focus go takes it nowhere: a pointer beside all things, or one in a component of ours.
 * @param {Event} event
 */
function letGo(event) {
  const node = event.composedPath()[0];
  if (!(node instanceof Element)) return;
  const isOurs = node.getRootNode() instanceof ShadowRoot;
  if ((isOurs && isByPointer) || isThere(node)) setTimeout(() => forget(node, isOurs && isByPointer));
}

/** @param {Element} node @param {boolean} isAnyhow */
function forget(node, isAnyhow) {
  if (activeNow() === document.body && (isAnyhow || isThere(node))) places = [];
}

const heard = new WeakSet(); // places whose focus is listened to

/** @param {Node} place */
function listenIn(place) {
  if (heard.has(place)) return;
  heard.add(place);
  place.addEventListener("focusin", took, true);
  place.addEventListener("focusout", letGo, true);
}

let isKept = false;

/** Keeps the focus on something from now on, on this page and those that follow. */
export function keepFocus() {
  if (isKept) return;
  isKept = true;
  const act = (/** @type {boolean} */ byPointer) => () => [hasActed, isByPointer] = [true, byPointer];
  addEventListener("keydown", act(false), true);
  addEventListener("pointerdown", act(true), true);
  for (const kind of ["click", "change"]) addEventListener(kind, () => hasActed = false, true);
  listenIn(document);
  setInterval(look, LOOK);
}
