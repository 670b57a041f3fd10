// The icicle: a row for each token of the continuations, each piece as wide as it is likely and below it
// the pieces of what may follow. It knows where pieces lie, and nothing of how they were weighed.

import { announced } from "../../frame/live/announced.js";
import { el, setAttribute, setShown, setText, shorten } from "../../frame/live/dom.js";
import { keyAlone } from "../../frame/live/keyboard.js";
import { move } from "../../frame/live/motion.js";
import { formatCount, formatProbability } from "../../frame/live/format.js";
import { last } from "../../frame/live/required.js";

const LETTER_WIDTH = 0.56; // em, about what the average letter takes
const PADDING = 0.4; // em, before a piece's name and behind it
const LEGEND = "Share of all texts that begin like this. Striped: too thin to draw.";
const FALL_MS = 450; // that a pointer takes from one row to the next
const DIVIDE_MS = 700; // that a row takes to divide, once the question is answered
const SHOWN = "data-shown-futures"; // on the page's root, once all rows have divided: see question.py

/**
 * Makes the figure.
 * @param {FuturesActions} actions
 * @param {HTMLElement} press what lets a pointer fall, below the figure
 */
export function createIcicle(actions, press) {
  const top = el("div", { class: "icicle-top", translate: false });
  const pieces = el("div", { class: "icicle-pieces", translate: false });
  const marks = el("div", { class: "icicle-marks" });
  const foot = announced(el("div", { class: "icicle-foot" }));
  const legend = announced(el("p", { class: "icicle-legend" }));
  const cover = el("p", { class: "icicle-cover" }, "Covered until you have answered.");
  const element = el(
    "div",
    { class: "icicle", tabIndex: 0, role: "group", "aria-roledescription": "tree of texts" },
    top,
    el("div", { class: "icicle-body" }, pieces, marks, cover),
    foot,
    el("div", { class: "row icicle-end" }, legend, press),
  );
  /** @type {Record<"mark" | "flag", HTMLElement[]>} */
  const pool = { mark: [], flag: [] };
  /** @type {Map<string, HTMLElement>} */
  const boxes = new Map(); // of pieces, by what each is: none becomes another's while the tree grows
  /** @type {FuturesShown} */
  let shown;
  let nFallen = 0; // pointers that were drawn
  let wasCovered = false;
  let width = 1000;
  let size = 14;
  const ruler = el("canvas").getContext("2d");

  pieces.addEventListener("click", ({ target }) => {
    const piece = pieceOf(target);
    if (piece?.kind === "thin") actions.zoom(piece.ids);
    else if (piece) actions.select(piece.ids);
  });
  pieces.addEventListener("dblclick", ({ target }) => {
    const piece = pieceOf(target);
    if (piece && !piece.isLast) actions.zoom(piece.ids);
  });
  top.addEventListener("click", ({ target }) => {
    const place = /** @type {Element} */ (target).closest("button")?.getAttribute("data-length");
    if (place !== null && place !== undefined) actions.zoom(shown.topIds.slice(0, Number(place)));
  });
  element.addEventListener("keydown", (event) => {
    const ids = goTo(keyAlone(event));
    if (event.target !== element || !ids) return;
    event.preventDefault();
    actions.select(ids);
  });
  new ResizeObserver(([entry]) => {
    width = entry.contentRect.width;
    const { fontSize, fontFamily } = getComputedStyle(pieces);
    size = parseFloat(fontSize);
    if (ruler) ruler.font = `${fontSize} ${fontFamily}`;
    actions.resized(width);
  }).observe(pieces);

  /** @param {EventTarget | null} target */
  function pieceOf(target) {
    const box = target instanceof Element ? target.closest(".icicle-piece") : null;
    return shown.pieces.find((piece) => boxes.get(keyOf(piece)) === box);
  }

  /** Where an arrow leads: to the piece beside, below or above the one that is chosen. @param {string} key */
  function goTo(key) {
    const tokens = shown.pieces.filter(({ kind }) => kind === "token");
    const chosen = String(shown.selected);
    const same = tokens.filter(({ depth }) => depth === shown.selected.length);
    const i = same.findIndex(({ ids }) => String(ids) === chosen);
    if (i < 0) return key.startsWith("Arrow") ? tokens[0]?.ids : null;
    if (key === "ArrowLeft") return same[i - 1]?.ids;
    if (key === "ArrowRight") return same[i + 1]?.ids;
    if (key === "ArrowUp") return shown.selected.length > 1 ? shown.selected.slice(0, -1) : null;
    if (key !== "ArrowDown") return null;
    return tokens.find(({ ids }) => ids.length > same[i].depth && String(ids.slice(0, -1)) === chosen)?.ids;
  }

  /** @param {FuturesShown} view */
  function update(view) {
    shown = view;
    const first = view.topIds.length;
    const nRows = view.tree.nTokens - first;
    element.style.setProperty("--rows", String(nRows));
    setAttribute(element, "aria-label", view.heard);
    paintTop(top, view);
    const keys = new Set(view.pieces.map(keyOf));
    for (const [key, box] of boxes) {
      if (keys.has(key)) continue;
      box.remove();
      boxes.delete(key);
    }
    for (const piece of view.pieces) paint(boxOf(piece), piece, first);
    paintMarks(view);
    setText(legend, view.fallWords || LEGEND);
    setAttribute(legend, "data-fallen", view.fallWords !== "");
    setShown(cover, view.isCovered && nRows > 1);
    setAttribute(element, "data-waits", view.isCovered);
    const root = document.documentElement;
    if (view.isCovered) root.removeAttribute(SHOWN);
    else if (wasCovered) divide(view, nRows, () => root.setAttribute(SHOWN, ""));
    else if (!element.hasAttribute("data-divides")) root.setAttribute(SHOWN, "");
    wasCovered = view.isCovered;
  }

  /**
   * Lets the rows divide, one below the other; then the likeliest text is framed, and said.
   * @param {FuturesShown} view
   * @param {number} nRows
   * @param {() => void} then
   */
  function divide(view, nRows, then) {
    const duration = nRows * DIVIDE_MS;
    const covered = { clipPath: "inset(0 0 100% 0)" };
    const open = { clipPath: "inset(0 -100vw 0 -100vw)" };
    for (const piece of view.pieces) {
      const row = piece.depth - view.topIds.length - 1;
      const box = boxOf(piece);
      const [from, to] = [Math.max(0, (row - 1) / nRows), row / nRows];
      const frames = row === 0
        ? [open, open]
        : [covered, { ...covered, offset: from }, { ...open, offset: to }, open];
      const isBest = box.dataset.way === "best"; // it is framed after all rows
      const bare = { borderColor: "transparent" };
      if (isBest) frames.forEach((frame, i) => frames[i] = { ...frame, ...bare });
      if (row > 0 || isBest) move(box, frames, { duration, easing: "linear" });
    }
    for (const flag of foot.children) move(flag, [{ opacity: 0 }, { opacity: 0 }], { duration });
    setAttribute(element, "data-divides", "");
    const clock = move(element, [{}, {}], { duration });
    const end = () => {
      element.removeAttribute("data-divides");
      then();
    };
    if (clock) clock.onfinish = clock.oncancel = end;
    else end();
  }

  /** @param {IciclePiece} piece */
  function boxOf(piece) {
    const key = keyOf(piece);
    const box = boxes.get(key) ?? boxIn(pieces, "icicle-piece");
    boxes.set(key, box);
    return box;
  }

  /** @param {string} label */
  const widthOf = (label) => ruler?.measureText(label).width ?? [...label].length * LETTER_WIDTH * size;

  /** @param {HTMLElement} node @param {IciclePiece} piece @param {number} first */
  function paint(node, piece, first) {
    const { kind, depth, from, width: share, ids, count } = piece;
    const isTall = kind !== "token" || (piece.isLast && depth < shown.tree.nTokens);
    node.style.left = `${100 * from}%`;
    node.style.width = `${100 * share}%`;
    node.style.setProperty("--row", String(depth - first - 1));
    node.style.setProperty("--tall", String(isTall ? shown.tree.nTokens - depth + 1 : 1));
    const room = share * width / size / LETTER_WIDTH;
    const way = kind === "token" ? shown.wayOf(ids) : null;
    const label = kind === "token"
      ? withoutSpace(shown.label(last(ids)))
      : kind === "thin"
      ? `${formatCount(count)} others, too thin to draw`
      : "not opened";
    const ofAll = formatProbability(share * shown.topProb);
    const isFit = widthOf(label) + PADDING * size <= share * width;
    const cut = kind === "token" && room > 6.5 ? shorten(label, Math.floor(room - 1.5)) : "";
    const [name, number] = node.children;
    setText(name, kind !== "thin" && (isFit || way) ? label : cut); // the two texts that are compared have all their names
    setAttribute(node, "data-over", way && !isFit ? (from > 0.9 ? "left" : "right") : null);
    const hasRoom = ofAll.length + 1 <= room;
    setText(number, kind === "token" && (hasRoom || way) ? ofAll : "");
    setAttribute(node, "data-beside", way && !hasRoom ? (from > 0.8 ? "left" : "right") : null);
    setAttribute(node, "data-kind", kind);
    setAttribute(node, "data-way", way);
    setAttribute(
      node,
      "data-beam",
      shown.beam && kind === "token" ? String(shown.beam.has(String(ids))) : null,
    );
    setAttribute(node, "data-chosen", kind === "token" && isBeginning(ids, shown.selected));
    setAttribute(node, "title", kind === "token" ? `${shown.words(ids)}: ${ofAll}` : `${label}: ${ofAll}`);
  }

  /**
   * The pointer that fell last, row by row; and below the tree whose texts end where.
   * @param {FuturesShown} given
   */
  function paintMarks({ pointer, flags, nDraws, view }) {
    const places = pointer ?? [];
    const isNew = nDraws === view.drops && nDraws === nFallen + 1; // one that was dropped by itself
    nFallen = nDraws;
    places.forEach((place, i) => {
      const node = at(pool.mark, i, marks, "icicle-pointer");
      const above = { opacity: 0, transform: "translateY(-100%)" };
      if (isNew) move(node, [above, {}], { duration: FALL_MS, delay: i * FALL_MS, easing: "ease-in" });
      node.style.left = `${100 * place}%`;
      node.style.setProperty("--row", String(i));
    });
    hideFrom(pool.mark, places.length);
    // what it wrote is said once it has landed
    if (isNew) move(legend, [{ opacity: 0 }, { opacity: 0 }], { duration: places.length * FALL_MS });
    flags.forEach(({ place, name, words, found, way }, i) => {
      pool.flag[i] ??= createFlag(foot);
      const node = pool.flag[i];
      setShown(node, true);
      node.style.setProperty("--place", String(place));
      setAttribute(node, "data-way", way);
      const label = /** @type {HTMLElement} */ (node.children[0]);
      [name, words, found].forEach((part, j) => setText(label.children[j], part));
      if (way === "run") return;
      // its middle below the arrow, as far as the figure is wide
      const room = foot.clientWidth - label.offsetWidth;
      const left = place * foot.clientWidth - label.offsetWidth / 2;
      label.style.left = `${Math.max(0, Math.min(room, left))}px`;
    });
    hideFrom(pool.flag, flags.length);
  }
  return { element, marks, update };
}

/**
 * The text that fills the width, as a way back: a press on one of its tokens goes up to it.
 * @param {HTMLDivElement} top
 * @param {FuturesShown} given
 */
function paintTop(top, { topIds, prompt, label }) {
  const key = JSON.stringify([prompt, topIds]);
  if (top.dataset.key === key) return;
  top.dataset.key = key;
  /** @param {string} words @param {number} length @param {string} kind */
  const step = (words, length, kind) => {
    const isHere = length === topIds.length;
    const node = el(isHere ? "span" : "button", { class: kind, "data-length": String(length) }, words);
    if (!isHere) node.setAttribute("type", "button");
    return node;
  };
  top.replaceChildren(
    step(prompt, 0, "icicle-prompt"),
    ...topIds.map((id, i) => step(label(id), i + 1, "icicle-before")),
  );
}

/** @param {string} label */
const withoutSpace = (label) => label.length > 1 && label.startsWith("␣") ? label.slice(1) : label;

/** @param {IciclePiece} given */
function keyOf({ kind, ids }) {
  return `${kind} ${ids}`;
}

/** @param {HTMLElement} place @param {string} kind */
function boxIn(place, kind) {
  const box = el("div", { class: kind }, el("span", {}), el("small", {}));
  place.append(box);
  return box;
}

/** A text that has a name: the name, its words, its probability. @param {HTMLElement} foot */
function createFlag(foot) {
  const label = el("span", {}, el("span", {}), el("b", { translate: false }), el("span", {}));
  const flag = el("div", { class: "icicle-flag" }, label);
  foot.append(flag);
  return flag;
}

/** @param {HTMLElement[]} pool @param {number} i @param {HTMLElement} place @param {string} kind */
function at(pool, i, place, kind) {
  pool[i] ??= boxIn(place, kind);
  setShown(pool[i], true);
  return pool[i];
}

/** @param {HTMLElement[]} pool @param {number} n */
function hideFrom(pool, n) {
  for (let i = n; i < pool.length; i++) setShown(pool[i], false);
}

/** @param {number[]} ids @param {number[]} of */
function isBeginning(ids, of) {
  return ids.every((id, i) => of[i] === id);
}

const N_HEAPS = 80;

/** Where all pointers lie across the width: each text gets as many as it is wide. */
export function createPile() {
  const heaps = Array.from({ length: N_HEAPS }, () => el("span", {}));
  const element = el("div", { class: "futures-pile", role: "img" }, ...heaps);
  /** @param {FuturesShown} given */
  function update({ falls, topIds, nDraws }) {
    setShown(element, nDraws > 1 && topIds.length === 0);
    if (element.hidden) return;
    const counts = new Array(N_HEAPS).fill(0);
    for (const { places } of falls) counts[Math.min(N_HEAPS - 1, Math.floor(last(places) * N_HEAPS))]++;
    heaps.forEach((heap, i) => heap.style.height = `${Math.min(100, 50 * counts[i] * N_HEAPS / nDraws)}%`);
    setAttribute(element, "aria-label", `${formatCount(nDraws)} pointers, where they fell across the width`);
  }
  return { element, update };
}
