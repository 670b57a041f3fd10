// The text as its tokens: every token a button, appended one by one and never rebuilt.

import { asText, spoken } from "../../../frame/live/aloud.js";
import {
  activeIn,
  createButton,
  el,
  setAttribute,
  setShown,
  setText,
  tokenParts,
} from "../../../frame/live/dom.js";
import { keyAlone } from "../../../frame/live/keyboard.js";
import { foldOldLines, unfoldAll, unfoldFrom } from "./virtualize.js";
import { createTokenMenu, describeToken } from "../controls/menu.js";
import { createSums } from "./totals.js";
import { required } from "../../../frame/live/required.js";
import { _ } from "../../../frame/live/words.js";

const FULL_TINT_NATS = 8;
const MAX_TINT = 0.6;
const BYTE_LABEL = /<0x[0-9A-F]{2}>/;
export const START = _("start"); // for the token that begins a text; its menu says how the model writes it

/** The token strip; its sums, the running log-probability among them, stand elsewhere. @param {Actions} actions */
export function createStrip(actions) {
  const list = el("div", {
    class: "strip-list",
    translate: false,
    role: "group",
    "aria-label": _("Tokens of the text"),
  });
  const slot = el("span", { class: "slot", "aria-hidden": "true" });
  list.append(slot);
  const scroller = el("div", { class: "strip-scroll" }, list);
  const whole = createWhole();
  const sums = createSums(list);
  const element = el("section", { class: "strip", "aria-label": _("The text") }, whole.element, scroller);
  /** @type {Chip[]} */
  const chips = [];
  /** @type {StripState} */
  const state = { view: null, chips, list };
  const menu = createTokenMenu(
    actions,
    (/** @type {number} */ index) => describeToken(required(state.view, "text yet"), index),
  );
  wire(list, chips, menu, () => required(state.view, "text yet"));
  watchWidth(list, chips, scroller);
  let isPlaying = false;
  return {
    element: el("div", {}, element, menu.element, menu.tip),
    sums: sums.element,
    /** @param {View} view */
    update(view) {
      setShown(slot, !view.header.finished && !view.isPlaying);
      setText(slot, view.hidden ? "?" : "");
      if (view.isPlaying && !isPlaying) menu.closeUnused();
      isPlaying = view.isPlaying;
      whole.update(view);
      if (state.view && !hasChanged(state.view, view)) return;
      const isOther = draw(state, view);
      sums.update(view);
      if (isOther && view.inspecting === null) scroller.scrollTop = scroller.scrollHeight;
    },
  };
}

/** The text as one paragraph for who hears the page; while Play writes it waits. */
function createWhole() {
  const element = el("p", { class: "spoken", translate: false });
  /** @type {Pick<View, "ids" | "labels">|null} */
  let shown = null;
  return {
    element,
    /** @param {View} view */
    update({ ids, header, label, labels, isPlaying }) {
      if (isPlaying || (shown?.ids === ids && shown.labels === labels)) return;
      shown = { ids, labels };
      const first = ids[0] === header.model.bos_id ? 1 : 0;
      setText(element, asText(ids, first, label, header.joined));
    },
  };
}

/**
 * Lines are whole at one width only; the end of the text stays in view.
 * @param {HTMLElement} list
 * @param {Chip[]} chips
 * @param {HTMLElement} scroller
 */
function watchWidth(list, chips, scroller) {
  let width = 0;
  new ResizeObserver(() => {
    if (list.clientWidth === width) return;
    width = list.clientWidth;
    unfoldAll(list, chips);
    foldOldLines(chips);
    scroller.scrollTop = scroller.scrollHeight;
  }).observe(list);
}

/** @param {View} before @param {View} view */
function hasChanged(before, view) {
  const names = /** @type {const} */ (["header", "ids", "labels", "inspecting"]);
  return names.some((name) => before[name] !== view[name]);
}

/** Returns whether the text is another one. @param {StripState} state @param {View} view */
function draw(state, view) {
  const { chips, list } = state;
  const isNewLabels = state.view && state.view.labels !== view.labels;
  state.view = view;
  const common = isNewLabels ? 0 : commonPrefix(chips, view.ids);
  const cut = chips.splice(common);
  for (const chip of cut) removeChip(chip);
  if (cut.length > 0) unfoldFrom(chips, common);
  for (let i = common; i < view.ids.length; i += 1) chips.push(appendChip(list, view, i, chips.at(-1)));
  chips.forEach((chip, i) => refreshChip(chip, view, i));
  for (const index of Object.keys(view.header.joined ?? {})) bracket(chips, Number(index));
  moveTabStop(chips);
  foldOldLines(chips);
  return cut.length > 0 || common < view.ids.length;
}

/** @param {Chip[]} chips @param {number[]} ids */
function commonPrefix(chips, ids) {
  const end = Math.min(chips.length, ids.length);
  let i = 0;
  while (i < end && chips[i].id === ids[i]) i += 1;
  return i;
}

/**
 * A line ends once a word comes after its line breaks: until then what was written stays in sight.
 * @param {HTMLElement} list
 * @param {View} view
 * @param {number} index
 * @param {Chip|undefined} before
 */
function appendChip(list, view, index, before) {
  const id = view.ids[index];
  const isStart = index === 0 && id === view.header.model.bos_id;
  const label = isStart ? START : view.label(id);
  const node = createButton("token");
  node.tabIndex = -1;
  node.append(...tokenParts(label));
  node.dataset.index = String(index);
  const slot = required(list.lastElementChild, "slot");
  const lineBreak = before && breaksLine(before.label) && !breaksLine(label) ? el("br") : null;
  if (lineBreak) slot.before(lineBreak);
  slot.before(node);
  const isBytes = BYTE_LABEL.test(label);
  const isSpecial = isStart || /^<.+>$/.test(label);
  return { id, node, lineBreak, label, isBytes, isSpecial, signature: "", joined: "", isFolded: false };
}

/** @param {string} label */
const breaksLine = (label) => label.includes("⏎");

/** @param {Chip} chip */
function removeChip({ node, lineBreak }) {
  const group = /** @type {HTMLElement|null} */ (node.closest(".joined"));
  const block = node.closest(".lines");
  node.remove();
  lineBreak?.remove();
  if (group) group.dataset.joined = "";
  for (const place of [group, block]) if (place?.childElementCount === 0) place.remove();
}

/** @param {Chip} chip @param {View} view @param {number} index */
function refreshChip(chip, view, index) {
  const step = index - view.nPrompt;
  const isPending = index >= view.nConfirmed;
  const isForced = isPending ? view.forced : view.header.steps.forced[step] ?? false;
  const logprob = step >= 0 && !isPending ? view.header.steps.logprob[step] : null;
  const isShown = view.inspecting === index;
  chip.joined = view.header.joined?.[index] ?? "";
  const signature = `${index < view.nPrompt}|${isPending}|${isForced}|${logprob}|${isShown}`;
  if (signature === chip.signature) return;
  chip.signature = signature;
  const { node } = chip;
  node.className = chipClass(chip, index < view.nPrompt, isPending, isForced);
  node.style.setProperty("--tint", tint(logprob));
  setAttribute(node, "aria-current", isShown);
  const writer = index < view.nPrompt
    ? _("of the prompt")
    : isForced
    ? _("chosen by you")
    : _("drawn by the model");
  const said = { token: spoken(chip.label), writer, position: index };
  setAttribute(
    node,
    "aria-label",
    isPending
      ? _("{token}, {writer}, position {position}, pending", said)
      : _("{token}, {writer}, position {position}", said),
  );
}

/** @param {Chip} chip @param {boolean} isPrompt @param {boolean} isPending @param {boolean} isForced */
function chipClass({ isBytes, isSpecial }, isPrompt, isPending, isForced) {
  const marks = {
    "is-pending": isPending,
    "is-forced": isForced,
    "is-bytes": isBytes,
    "is-special": isSpecial,
  };
  const names = Object.entries(marks).flatMap(([name, isMarked]) => isMarked ? [name] : []);
  return ["token", isPrompt ? "of-prompt" : "of-model", ...names].join(" ");
}

/** How strongly surprise tints a token. @param {number|null|undefined} logprob */
export function tint(logprob) {
  if (logprob === null || logprob === undefined) return "0";
  return Math.min(MAX_TINT, (-logprob / FULL_TINT_NATS) * MAX_TINT).toFixed(3);
}

/**
 * Brackets the pieces of one character, with the character under them.
 * @param {Chip[]} chips
 * @param {number} last
 */
function bracket(chips, last) {
  if (last >= chips.length) return;
  const { node, joined } = chips[last];
  const present = /** @type {HTMLElement|null} */ (node.closest(".joined"));
  if (present) {
    present.dataset.joined = joined;
    return;
  }
  let first = last;
  while (first > 0 && chips[first - 1].isBytes && chips[first - 1].joined === "") first -= 1;
  const group = el("span", { class: "joined" });
  group.dataset.joined = joined;
  chips[first].node.before(group);
  for (let i = first; i <= last; i += 1) group.append(chips[i].node);
}

/** @param {Chip[]} chips */
function moveTabStop(chips) {
  const stop = chips.find(({ node }) => node.tabIndex === 0);
  const last = chips.at(-1);
  if (stop && stop !== last && activeIn(stop.node) === stop.node) return;
  if (stop && stop !== last) stop.node.tabIndex = -1;
  if (last) last.node.tabIndex = 0;
}

/**
 * @param {HTMLElement} list
 * @param {Chip[]} chips
 * @param {ReturnType<typeof createTokenMenu>} menu
 * @param {() => View} viewNow
 */
function wire(list, chips, menu, viewNow) {
  /** @param {Event} event */
  const indexOf = (event) => {
    const node = event.target instanceof Element ? event.target.closest(".token") : null;
    return node instanceof HTMLElement ? Number(node.dataset.index) : null;
  };
  list.addEventListener("click", (event) => {
    const index = indexOf(event);
    if (index !== null && index < viewNow().nConfirmed)
      menu.open(index, chips[index].node, event.detail > 0);
  });
  for (const kind of ["pointerover", "focusin"]) {
    list.addEventListener(kind, (event) => {
      const index = indexOf(event);
      if (index !== null) menu.showTip(index, chips[index].node);
    });
  }
  for (const kind of ["pointerleave", "focusout"])
    list.addEventListener(kind, () => menu.hideTip());
  list.addEventListener("keydown", (event) => {
    const index = indexOf(event);
    if (index !== null) walk(event, chips, index);
  });
}

/**
 * Arrows walk from token to token while one has the focus: one tab stop for the whole strip.
 * @param {KeyboardEvent} event
 * @param {Chip[]} chips
 * @param {number} index
 */
function walk(event, chips, index) {
  /** @type {Record<string, number>} */
  const goals = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: chips.length - 1 };
  const goal = chips[goals[keyAlone(event)]];
  if (goal === undefined) return;
  event.preventDefault();
  chips[index].node.tabIndex = -1;
  goal.node.tabIndex = 0;
  goal.node.focus();
}
