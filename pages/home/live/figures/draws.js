// What was drawn, step by step: a thin bar for each, with the place where the pointer or the finger fell on it, and
// the token that it hit. It shows where a scene of a lesson speaks of it, so that no step is gone with the next one.

import { el, named, setAttribute, setSentence, setShown, shorten } from "../../../frame/live/dom.js";
import { formatCount, formatNumber, formatPointer, formatProbability } from "../../../frame/live/format.js";
import { uniformAt } from "../../../frame/live/pointer.js";
import { activeResult, drawnToken, lastStage } from "../../../frame/live/strategies.js";
import { isDrawShown } from "./beats.js";
import { segmentsOf } from "./draw_bar.js";
import { _ } from "../../../frame/live/words.js";

const MAX_ROWS = 6; // the newest ones
const MIN_PRESSES = 4; // of which it is worth to count how many hit the widest piece

/** Makes the list and the sentence below it. */
export function createDraws() {
  const list = el("ol", { class: "draws-list", translate: false });
  const sentence = el("p", { class: "draws-sentence" });
  const element = el("section", { class: "draws", "aria-label": _("What was drawn so far") }, list, sentence);
  /** @type {OneDraw[]} */
  let draws = [];
  /** Those that their beats do not show yet; what cuts them short shows them. @type {OneDraw[]} */
  let waiting = [];
  /** Those that were read. @type {WeakSet<DrawnStep>} */
  const known = new WeakSet();
  let text = ""; // the prompt that they belong to
  let shown = "";

  /** @param {View} view */
  function update(view) {
    const prompt = `${view.ids.slice(0, view.nPrompt)}`;
    if (prompt !== text) [draws, waiting, text] = [[], [], prompt];
    for (const step of view.drawnSteps) {
      const id = view.ids[step.position];
      if (known.has(step) || id === undefined || id < 0) continue;
      known.add(step);
      waiting.push(readDraw(view, step, id));
    }
    if (isDrawShown(view)) draws.push(...waiting.splice(0));
    const state = draws.map(({ n, id }) => `${n}:${id}`).join();
    if (state === shown) return;
    shown = state;
    const extra = isRepeated(draws) ? withNextSeed(view, draws) : null;
    const rows = [...draws, ...extra ? [extra] : []].slice(-MAX_ROWS);
    list.replaceChildren(...rows.map(rowOf));
    setSentence(sentence, inWords(draws, extra));
    setShown(element, true);
  }
  return { element, update };
}

/**
 * Reads a step: its segments, where it was hit, and what was taken.
 * @param {View} view
 * @param {DrawnStep} step
 * @param {number} id
 * @returns {OneDraw}
 */
function readDraw(view, step, id) {
  const forced = view.header.steps.forced[step.position - view.nPrompt] ?? view.forced;
  const at = forced ? step.at ?? null : step.pointer;
  const contextIds = view.ids.slice(0, step.position);
  const then =
    /** @type {BarsView} */ ({ ...view, ...step, contextIds, toss: step.pointer ?? 0, forced, chosenId: id });
  const result = activeResult(then);
  const parts = segmentsOf(then, result);
  const hit = parts.find((part) => part.id === id);
  const best = lastStage(result).probs[result.order[0]];
  return {
    step,
    n: step.position - view.nPrompt + 1,
    id,
    at,
    parts,
    forced,
    label: view.label(id),
    share: hit?.width ?? 0,
    widest: best,
    isWidest: result.idOf(result.order[0]) === id,
    name: "",
    then,
  };
}

/** Whether the last step is one that was done before. @param {OneDraw[]} draws */
function isRepeated(draws) {
  const last = draws.at(-1);
  return last !== undefined && isAgain(draws, draws.length - 1) && !last.forced;
}

/** @param {OneDraw[]} draws @param {number} i */
const isAgain = (draws, i) => draws.slice(0, i).some(({ n, at }) => n === draws[i].n && at === draws[i].at);

/** What the same bar gives with the seed after this one. @param {View} view @param {OneDraw[]} draws */
function withNextSeed({ header, label }, draws) {
  const last = draws[draws.length - 1];
  const seed = header.seed + 1;
  const at = uniformAt(seed, last.step.position);
  const hit = drawnToken(activeResult(last.then), at);
  if (hit === null) return null;
  const name = _("seed {number}", { number: formatCount(seed) });
  return { ...last, at, id: hit.id, label: label(hit.id), share: hit.to - hit.from, name };
}

/** @param {OneDraw} draw @param {number} i @param {OneDraw[]} draws */
function rowOf(draw, i, draws) {
  const { n, id, at, parts, forced, label, share, name } = draw;
  const number = formatCount(n);
  const title = name !== ""
    ? name
    : forced
    ? _("press {number}", { number })
    : isAgain(draws, i)
    ? _("pass {number} again", { number })
    : _("pass {number}", { number });
  const bar = el("span", { class: "draws-bar", "aria-hidden": "true" });
  for (const part of parts) {
    const piece = el("span", { class: "draws-piece" });
    setAttribute(piece, "data-hit", part.id === id);
    piece.style.left = `${100 * part.from}%`;
    piece.style.width = `${100 * part.width}%`;
    bar.append(piece);
  }
  if (at !== null) {
    const mark = el("span", { class: forced ? "draws-finger" : "draws-pointer" });
    mark.style.left = `${100 * at}%`;
    bar.append(mark);
  }
  const where = forced || at === null ? formatProbability(share) : formatPointer(at);
  const row = el(
    "li",
    { class: "draws-row" },
    el("span", { class: "draws-name" }, title),
    bar,
    el("b", { class: "draws-token" }, shorten(label.length > 1 ? label.replace(/^␣/, "") : label, 10)),
    el("span", { class: "draws-where" }, where),
  );
  setAttribute(row, "data-other", name !== "");
  return row;
}

/** @param {OneDraw[]} draws @param {OneDraw|null} extra with another seed */
function inWords(draws, extra) {
  if (draws.length === 0) return "";
  const last = draws[draws.length - 1];
  if (isRepeated(draws)) {
    const same = _("The same pointer, the same piece: {token}.", { token: named(last.label) });
    if (extra === null) return same;
    const seed = extra.id === last.id
      ? _("Another seed moves the pointer; here it stays on the same piece.")
      : _("Another seed moves the pointer, here to {token}.", { token: named(extra.label) });
    return `${same} ${seed}`;
  }
  const presses = draws.filter(({ forced }) => forced);
  if (presses.length < draws.length || presses.length < MIN_PRESSES) return "";
  const said = {
    n_hit: formatCount(presses.filter(({ isWidest }) => isWidest).length),
    n: formatCount(presses.length),
    expected: formatNumber(presses.reduce((sum, { widest }) => sum + widest, 0), 1),
  };
  return _("{n_hit} of {n} presses hit the widest piece; by their widths one would expect {expected}.", said);
}
