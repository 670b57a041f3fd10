// The keys: right is next, left is back, space plays and pauses, escape leaves the past, Ctrl+Z takes the
// last press back. While a step is played slowly, space goes to its next beat and escape ends it; shift and right
// play one so.

import { isComposing, shortcutLetter } from "../../../frame/live/keyboard.js";

const OWN_KEYS = "a[href] button input select textarea summary video audio iframe".split(" ");
const OWN_KEYS_BY_ROLE = (
  "button link slider spinbutton textbox searchbox combobox listbox option menu menuitem tab " +
  "checkbox radio switch grid gridcell tree treeitem"
).split(" ");
const INTERACTIVE = [
  ...OWN_KEYS,
  ...OWN_KEYS_BY_ROLE.map((role) => `[role='${role}']`),
  "[contenteditable='']",
  "[contenteditable='true']",
].join(",");

/**
 * A button or a list that was used by pointer lets the focus go, so that the keys drive the loop again.
 * @param {HTMLElement} root
 */
export function letGoOfFocus(root) {
  let isByPointer = false;
  root.addEventListener("pointerdown", () => (isByPointer = true));
  root.addEventListener("keydown", () => (isByPointer = false));
  root.addEventListener(
    "click",
    ({ target }) => isByPointer && target instanceof Element && target.closest("button")?.blur(),
  );
  root.addEventListener(
    "change",
    ({ target }) => isByPointer && target instanceof Element && target.closest("select")?.blur(),
  );
}

/**
 * While a step is played slowly, a click on what is no button goes to its next beat.
 * @param {HTMLElement} root
 * @param {Actions} actions
 */
export function listenForClicks(root, actions) {
  root.addEventListener("click", ({ target }) => isInteractive(target) || actions.beat(false));
}

/**
 * Listens on the document until the signal aborts. Keys do nothing while something that has keys of
 * its own holds the focus, in this component or anywhere on the page, nor with a modifier held.
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
export function listenForKeys(actions, signal) {
  document.addEventListener("keydown", (event) => handleKey(event, actions), { signal });
}

/** @param {KeyboardEvent} event @param {Actions} actions */
function handleKey(event, actions) {
  if (isComposing(event)) return;
  if (isUndo(event)) {
    event.preventDefault();
    return actions.undo();
  }
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.shiftKey && event.key !== "ArrowRight") return;
  const target = event.composedPath()[0];
  if (event.key === "Escape" && !isField(target)) return actions.beat(true) || actions.inspect(null);
  if (isInteractive(target)) return;
  if (event.shiftKey) {
    if (!event.repeat) actions.nextSlowly(event.timeStamp);
  } else if (event.key === "ArrowRight") {
    // A key held down presses again only once the page has caught up.
    if (!event.repeat || !actions.isBusy()) actions.next(event.timeStamp);
  } else if (event.key === "ArrowLeft") {
    if (!event.repeat || !actions.isBusy()) actions.back();
  } else if (event.key === " ") {
    if (!event.repeat && !actions.beat(false)) actions.togglePlay();
  } else return;
  event.preventDefault();
}

/** Ctrl+Z, or ⌘Z; in a field of text it is the field's own. @param {KeyboardEvent} event */
function isUndo(event) {
  const { ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  const isStruck = shortcutLetter(event) === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey;
  return isStruck && !defaultPrevented && !isText(event.composedPath()[0]);
}

/** @param {EventTarget|null} node */
function isText(node) {
  const isTyped = "textarea, [contenteditable=''], [contenteditable='true'], " +
    "input:not([type=range], [type=checkbox], [type=radio], [type=button])";
  return node instanceof Element && node.matches(isTyped);
}

/** @param {EventTarget|null} node */
function isField(node) {
  return node instanceof Element && node.matches("input, textarea, select");
}

/** @param {EventTarget|null} node */
function isInteractive(node) {
  return node instanceof Element && node.closest(INTERACTIVE) !== null;
}
