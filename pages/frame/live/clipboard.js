// Copies a text, also on a page without https, which has no clipboard; where the browser refuses, the text
// stands selected in a field for a person to copy.

import { el } from "./dom.js";
import { _ } from "./words.js";

/** What to do where the browser refused. */
export const REFUSED = _("not copied: copy the selected text");

/**
 * Copies a text; returns false if the browser refuses, with the text in a field behind `beside`.
 * @param {string} text
 * @param {HTMLElement} beside
 */
export async function copyText(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text, beside);
  }
}

/** @param {string} text @param {HTMLElement} beside */
function copyByField(text, beside) {
  const field = el("textarea", {
    class: "to-copy",
    value: text,
    readOnly: true,
    dir: "ltr", // code or an address
    "aria-label": _("Text to copy"),
  });
  beside.after(field);
  field.select();
  const isCopied = isDone(() => document.execCommand("copy"));
  const leave = () => {
    field.remove();
    beside.focus();
  };
  if (isCopied) leave();
  else field.addEventListener("blur", () => field.remove(), { once: true });
  return isCopied;
}

/** @param {() => boolean} command */
function isDone(command) {
  try {
    return command();
  } catch {
    return false;
  }
}
