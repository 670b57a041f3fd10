// The draw bar: the distribution that is drawn from laid end to end, on the axis of the rows above it, with
// the pointer as one line through all of them. The draw is the inverse of this cumulative sum, so the token is
// the segment on which the pointer falls.

import {
  createButton,
  el,
  find,
  heard,
  named,
  plainLabel,
  setAttribute,
  setSentence,
  setShown,
  shorten,
  tokenParts,
} from "../../../frame/live/dom.js";
import { isDrawShown } from "./beats.js";
import { startAt } from "../../../frame/live/bar_cell.js";
import { createEndFlag } from "./end_flag.js";
import { createSwitch } from "../controls/switch.js";
import { last } from "../../../frame/live/required.js";
import { SETTINGS } from "../../../frame/live/settings.js";
import { formatCount, formatPointer, formatProbability, formatSetting } from "../../../frame/live/format.js";
import { activeResult, drawnToken, lastStage, waitsForPython } from "../../../frame/live/strategies.js";
import { _ } from "../../../frame/live/words.js";

const MAX_SEGMENTS = 48;
const MIN_SEGMENT = 0.002; // of the bar: below it tokens are drawn together
const MAX_WORDS = 32; // characters of a token in a sentence
const LETTER_WIDTH = 0.62; // em, a little more than the average letter takes
const SMALL = 0.76; // of the words in segments: so large is a word that has no room otherwise
const AT_EDGE = 0.12; // of the bar
const MIN_UPRIGHT = 4; // em: a bar as high as this has room for words that stand upright
const LINE = 1.3; // em
const NO_ROOM = { width: 0, height: 0 };
const MAX_PLACE = 1 - 1e-9; // of the bar: a pointer falls before its end
const NOTE = _("Move a slider: the bars move, and the pointer stays.");
/** Until the pointer has landed. */
const FALLING = _("The shares lie end to end, and a pointer falls on them.");
const QUESTION = _("Press Next, and a pointer falls on this bar; or press on it yourself.");

/** Makes the bar, the sentence below it, and the switches of what it shows. @param {Actions} actions */
export function createDrawBar(actions) {
  const sentence = el("span", { class: "pointer-sentence" });
  const look = createButton(
    "quiet",
    _("look back at it"),
    () => lastView && actions.inspect(lastView.ids.length - 1),
  );
  const note = el("span", { class: "muted pointer-note" }, NOTE);
  const hold = createSwitch(_("Show draws"), _("Keep the finished step until the next press"), actions.hold);
  const peek = createSwitch(_("Pointer first"), _("Show the pointer before the draw"), actions.peek);
  const segments = el("div", { class: "draw-segments", translate: false });
  const marker = el("div", { class: "pointer-marker" });
  const edge = el("div", { class: "cut-edge", hidden: true });
  const end = createEndFlag();
  const waiting = el("div", { class: "draw-waiting" });
  const bar = el("div", { class: "draw-bar", role: "img" }, segments, waiting);
  const element = el("div", { class: "pointer" }, bar, edge, end.element, marker);
  const line = el("p", { class: "pointer-line", "data-falling": FALLING }, sentence, " ", look, " ", note);
  /** @type {HTMLElement[]} */
  const pool = [];
  let width = 1200;
  let height = 0;
  let size = 13;
  /** @type {BarsView|null} */
  let lastView = null;
  let again = () => {};

  segments.addEventListener("click", ({ clientX }) => {
    if (lastView === null) return;
    const { left, width: across } = segments.getBoundingClientRect();
    const at = Math.min(MAX_PLACE, Math.max(0, (clientX - left) / across));
    actions.press(at, drawnToken(activeResult(lastView), at)?.id);
  });
  new ResizeObserver(([entry]) => {
    ({ width, height } = entry.contentRect);
    size = parseFloat(getComputedStyle(bar).fontSize);
    again();
  }).observe(bar);

  /** @param {BarsView} view @param {Picture} picture of the rows @param {string|null} said */
  function update(view, picture, said = null) {
    lastView = view;
    again = () => update(view, picture, said);
    const line = picture.edge;
    const result = activeResult(view);
    const drawn = drawnToken(result, view.pointer);
    const isShown = isDrawShown(view);
    const parts = segmentsOf(view, result);
    let hasRoom = true; // below the widest that has none for its word, none has one
    parts.forEach((part, i) => {
      const isCrossed = isOn(part, view.pointer);
      const room = hasRoom || isCrossed ? { width: width / size, height: height / size } : NO_ROOM;
      const fits = paintSegment(segmentAt(i), part, view, room);
      hasRoom &&= fits || isCrossed;
    });
    pool.forEach((segment, i) => setShown(segment, i < parts.length));
    setShown(marker, isShown && view.pointer !== null);
    setShown(edge, line !== null);
    end.update(view, result);
    setAttribute(edge, "data-whole", line?.isWhole ?? false);
    if (line !== null) {
      edge.style.transform = startAt(line.at);
      setRows(edge, "in", picture.cells.length - line.nOut, picture);
      const name = `${SETTINGS.top_p.title} ${formatSetting(line.at)}`;
      const room = ([...name].length * LETTER_WIDTH + 2) * size / width;
      setAttribute(edge, "data-name", name);
      setAttribute(edge, "data-side", sideOf(line.at, room, isShown ? view.pointer : null));
    }
    marker.style.left = `${100 * (view.pointer ?? 0)}%`;
    setAttribute(marker, "data-forced", view.forced && view.chosenId !== null);
    setAttribute(marker, "data-at", isShown && view.pointer !== null ? formatPointer(view.pointer) : null);
    setAttribute(marker, "data-token", nameBelow(view, parts, pool));
    setAttribute(marker, "data-idle", isGreedy(result));
    setAttribute(marker, "data-hangs", view.pointer === null ? null : hangs(view.pointer));
    const words = said ?? (view.isBeforeDraw ? lastAnswer(view) : sentenceOf(view, drawn, result));
    setSentence(sentence, words);
    setShown(note, view.pointer !== null && !view.isDrawn && !isGreedy(result));
    setShown(look, view.isBeforeDraw && view.ids.length > view.nPrompt);
    hold.set(view.isHolding);
    peek.set(view.isPeeking);
    const spoken = view.isBeforeDraw || !isShown ? _("No pointer has fallen yet.") : words;
    setAttribute(bar, "aria-label", `${_("The shares that are drawn from, end to end.")} ${heard(spoken)}`);
  }

  /** @param {number} i */
  function segmentAt(i) {
    if (!pool[i]) {
      pool[i] = el("span", { class: "draw-segment" }, el("span", {}));
      segments.append(pool[i]);
    }
    return pool[i];
  }
  return { element, edge, line, waiting, switches: [hold.element, peek.element], update };
}

/**
 * The segments of the bar: of one token, or of several thin ones together.
 * @param {BarsView} view
 * @param {Result} result
 */
export function segmentsOf(view, result) {
  return cutIntoParts(result, placeOf(result, view.chosenId, drawnToken(result, view.pointer)));
}

/**
 * Where the token of interest lies: the chosen one, else the one on which the pointer falls.
 * @param {Result} result
 * @param {number|null} chosenId
 * @param {Drawn|null} drawn
 */
function placeOf(result, chosenId, drawn) {
  if (chosenId === null || chosenId === drawn?.id) return drawn;
  const { probs, kept } = lastStage(result);
  const row = result.rowOf(chosenId);
  if (row < 0 || !kept[row]) return null;
  let from = 0;
  for (const other of result.order) {
    if (other === row) break;
    from += probs[other];
  }
  return { id: chosenId, from, to: from + probs[row] };
}

/**
 * Cuts the distribution into segments in the one order: the best tokens one by one, small ones
 * together but true in width, and always the token of interest by itself.
 * @param {Result} result
 * @param {Drawn|null} place
 */
function cutIntoParts(result, place) {
  const { probs, kept, nKept } = lastStage(result);
  const parts = [];
  let sum = 0;
  for (const row of result.order) {
    if (!kept[row] || parts.length === MAX_SEGMENTS || probs[row] < MIN_SEGMENT) break;
    parts.push({ id: result.idOf(row), from: sum, width: probs[row], count: 1 });
    sum += probs[row];
  }
  const nLeft = nKept - parts.length;
  if (nLeft === 0) return parts;
  if (place === null || place.from < sum) return [...parts, together(sum, 1, nLeft)];
  const nBefore = result.order.indexOf(result.rowOf(place.id)) - parts.length;
  const single = { id: place.id, from: place.from, width: place.to - place.from, count: 1 };
  const rest = [together(sum, place.from, nBefore), single, together(place.to, 1, nLeft - nBefore - 1)];
  return [...parts, ...rest.filter(({ count }) => count > 0)];
}

/**
 * The token that was chosen, where its segment has no room for it and lies under the pointer.
 * @param {BarsView} view
 * @param {BarSegment[]} parts
 * @param {HTMLElement[]} segments
 */
function nameBelow({ chosenId, label, pointer }, parts, segments) {
  const i = parts.findIndex(({ id, from, width }) =>
    id !== null && id === chosenId && pointer !== null && from <= pointer && pointer < from + width
  );
  if (i < 0 || chosenId === null || segments[i].textContent !== "") return "";
  const name = plainLabel(label(chosenId));
  return shorten(name.length > 1 ? name.replace(/^␣/, "") : name, 16);
}

/**
 * On which side of top-p's line its name has room, and no pointer through it.
 * @param {number} at
 * @param {number} room of the axis
 * @param {number|null} pointer
 */
function sideOf(at, room, pointer) {
  /** @param {number} from */
  const isFree = (from) =>
    from >= 0 && from + room <= 1 && (pointer === null || pointer < from || pointer > from + room);
  return isFree(at - room) ? "before" : isFree(at) ? "after" : "none";
}

/**
 * Says how many rows lie above a place, for the style: those of a token and those of many may differ in height.
 * @param {HTMLElement} node
 * @param {string} name
 * @param {number} n
 * @param {Picture} picture
 */
function setRows(node, name, n, { tokens }) {
  node.style.setProperty(`--n-${name}`, String(Math.min(n, tokens.length)));
  node.style.setProperty(`--n-rests-${name}`, String(Math.max(0, n - tokens.length)));
}

/** Where a pointer's number keeps within the bar. @param {number} pointer */
const hangs = (pointer) => pointer < AT_EDGE ? "after" : pointer > 1 - AT_EDGE ? "before" : null;

/** @param {number} from @param {number} to @param {number} count */
function together(from, to, count) {
  return { id: null, from, width: Math.max(0, to - from), count };
}

/** @param {{from: number, width: number}} segment @param {number|null} pointer */
const isOn = ({ from, width }, pointer) => pointer !== null && pointer >= from && pointer <= from + width;

/**
 * The part of a segment in which its word can stand, as [from, to]: beside the pointer, which crosses no word.
 * @param {{from: number, width: number}} segment
 * @param {number|null} pointer
 */
export function roomBeside({ from, width }, pointer) {
  const to = from + width;
  if (pointer === null || !isOn({ from, width }, pointer)) return [from, to];
  return pointer - from > to - pointer ? [from, pointer] : [pointer, to];
}

/**
 * Paints a segment and its word, which stands upright where only a high bar has room for it. Returns whether it
 * has its word.
 * @param {HTMLElement} segment
 * @param {BarSegment} part
 * @param {BarsView} view
 * @param {{width: number, height: number}} bar in em
 */
function paintSegment(segment, part, view, bar) {
  const { id, from, width, count } = part;
  const written = id === null ? "" : view.label(id);
  const label = shorten(plainLabel(written), 16);
  const [start, end] = roomBeside(part, isDrawShown(view) ? view.pointer : null);
  const long = [...label].length * LETTER_WIDTH + 0.6;
  const room = (end - start) * bar.width;
  const isSmall = long >= room && SMALL * long < room;
  const isUpright = !isSmall && long >= room && bar.height >= Math.max(MIN_UPRIGHT, long) && room >= LINE;
  const fits = label !== "" && (long < room || isSmall || isUpright);
  setAttribute(segment, "data-small", isSmall);
  setAttribute(segment, "data-upright", isUpright);
  segment.style.left = `${100 * from}%`;
  segment.style.width = `${100 * width}%`;
  segment.style.paddingInline = `${100 * (start - from)}% ${100 * (from + width - end)}%`;
  const [word, shown] = [find(segment, "span"), fits ? label : ""];
  if (word.textContent !== shown) word.replaceChildren(...(fits ? tokenParts(shorten(written, 16)) : []));
  setAttribute(segment, "data-id", id);
  const isChosen = id !== null && id === view.chosenId && isDrawShown(view);
  setAttribute(segment, "data-state", id === null ? "many" : isChosen && "chosen");
  setAttribute(segment, "data-mine", id !== null && view.guess?.label === view.label(id));
  const name = id === null ? _("{number} more", { number: formatCount(count) }) : label;
  setAttribute(segment, "title", `${name} ${formatProbability(width)}`);
  return fits;
}

/** @param {Result} result */
function isGreedy(result) {
  return lastStage(result).name === "greedy";
}

/**
 * What the pointer fell on one press ago, in Python's words; before the first, what a press will do.
 * @param {View} view
 */
function lastAnswer({ header, label }) {
  const { ids, n_prompt: nPrompt, steps } = header;
  if (ids.length <= nPrompt) return QUESTION;
  const token = named(label(last(ids)), MAX_WORDS);
  if (steps.forced.at(-1)) return _("Last token: {token}, chosen by you.", { token });
  const share = formatProbability(last(steps.chosen_prob));
  const number = formatPointer(last(steps.pointer));
  return _("Last draw: the pointer {number} fell on {token}, {share}.", { number, token, share });
}

/** @param {BarsView} view @param {Drawn|null} drawn @param {Result} result */
function sentenceOf(view, drawn, result) {
  /** @param {number} id */
  const label = (id) => named(view.label(id), MAX_WORDS);
  if (view.pointer === null) return _("A token of the prompt: nothing was drawn for it.");
  const number = formatPointer(view.pointer);
  const chosen = view.chosenId === null ? "" : label(view.chosenId);
  if (view.forced && chosen !== "") {
    if (!drawn || drawn.id === view.chosenId) return _("You chose {chosen}.", { chosen });
    const token = label(drawn.id);
    return _("You chose {chosen}; the pointer {number} would have fallen on {token}.", {
      chosen,
      number,
      token,
    });
  }
  if (isGreedy(result))
    return _("Greedy: the pointer {number} has nothing to decide, the best token takes the whole bar.", {
      number,
    });
  if (waitsForPython(result))
    return _("A mask cuts among tokens that the page does not hold: Python draws.");
  if (!drawn)
    return _("The pointer {number} falls among tokens that the page does not hold: Python draws.", {
      number,
    });
  const said = { number, token: label(drawn.id), share: formatProbability(drawn.to - drawn.from), chosen };
  if (chosen === "") return _("The pointer {number} falls on {token}, {share} of the bar.", said);
  return view.chosenId === drawn.id
    ? _("The pointer {number} fell on {token}, {share} of the bar.", said)
    : _("So the pointer {number} would fall on {token}, {share}; it fell on {chosen}.", said);
}
