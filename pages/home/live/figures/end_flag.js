// Names the segment of the token that ends a text, which is too thin for a word until a text may well end there. It
// shows where a scene of a lesson speaks of it.

import { el, isEnd, plainLabel, setAttribute, setShown } from "../../../frame/live/dom.js";
import { formatPointer, formatProbability } from "../../../frame/live/format.js";
import { lastStage } from "../../../frame/live/strategies.js";
import { _ } from "../../../frame/live/words.js";
import { isDrawShown } from "./beats.js";

const AT_EDGE = 0.15; // of the bar
const LEAST = 1e-4; // that is written as a number
/** The ids of what ends a text, by the labels of a model. @type {WeakMap<Labels, number[]>} */
const known = new WeakMap();

/** Makes the flag, which stands on the draw bar. */
export function createEndFlag() {
  const element = el("div", { class: "end-flag", translate: false });
  /** @param {BarsView} view @param {Result} result */
  function update(view, result) {
    const end = endOf(view, result);
    // once it is hit the pointer's own number names it
    setShown(element, end !== null && !(end.id === view.chosenId && isDrawShown(view)));
    if (end === null) return;
    const middle = (end.from + end.to) / 2;
    element.style.left = `${100 * middle}%`;
    setAttribute(
      element,
      "data-name",
      `${plainLabel(view.label(end.id))}: ${inWords(end.to - end.from)}`,
    );
    setAttribute(element, "data-hangs", middle > 1 - AT_EDGE ? "before" : null);
  }
  return { element, update };
}

/** @param {number} share */
function inWords(share) {
  return share < LEAST ? _("less than {time}", { time: formatPointer(LEAST) }) : formatProbability(share);
}

/**
 * Where the likeliest token lies that ends a text; null where none is drawn from.
 * @param {BarsView} view
 * @param {Result} result
 */
function endOf({ labels, label }, result) {
  if (!known.has(labels)) known.set(labels, Object.keys(labels).map(Number).filter((id) => isEnd(label(id))));
  const rows = (known.get(labels) ?? []).map((id) => result.rowOf(id)).filter((row) => row >= 0);
  const { probs, kept } = lastStage(result);
  let from = 0;
  for (const row of result.order) {
    if (!kept[row]) break;
    if (rows.includes(row)) return { id: result.idOf(row), from, to: from + probs[row] };
    from += probs[row];
  }
  return null;
}
