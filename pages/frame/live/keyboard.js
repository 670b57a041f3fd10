// Which key a `keydown` is of, on any keyboard. Knows nothing of what keys do.

const BY_CODE = ["Process", "Unidentified"]; // names of keys whose letter is not told
const IME_KEY_CODE = 229; // Safari: Enter ends a word when `isComposing` is false again

/** Whether an input method takes the key: it goes on with a word, or ends one. @param {KeyboardEvent} event */
export function isComposing(event) {
  return event.isComposing || event.keyCode === IME_KEY_CODE;
}

/** Whether Enter was pressed for the page, and not for an input method. @param {KeyboardEvent} event */
export function isEnter(event) {
  return event.key === "Enter" && !isComposing(event);
}

/**
 * The name of a key that was pressed by itself, such as `ArrowLeft`; empty with a modifier (Alt and an arrow
 * turn pages in the browser), for an input method, and where the browser names none.
 * @param {KeyboardEvent} event
 */
export function keyAlone(event) {
  const { key = "", altKey, ctrlKey, metaKey, shiftKey } = event;
  return altKey || ctrlKey || metaKey || shiftKey || isComposing(event) ? "" : key;
}

/**
 * The letter of a shortcut such as Ctrl+Z, in lower case; empty if the key has none. On a keyboard of another
 * script it is the Latin one in that place; a browser that fills in a form sends an event without a key.
 * @param {KeyboardEvent} event
 */
export function shortcutLetter({ key = "", code = "" }) {
  if (/^\p{Script=Latin}$/u.test(key)) return key.toLowerCase();
  const isLetter = /^\p{L}$/u.test(key) || BY_CODE.includes(key);
  return isLetter ? /^Key([A-Z])$/.exec(code)?.[1].toLowerCase() ?? "" : "";
}
