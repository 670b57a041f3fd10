// A button that copies a text, also where a page without https has no clipboard.

import { createButton, el, setText } from "../../frame/live/dom.js";

const COPIED_FOR_MS = 1500;

/**
 * Makes a quiet button that copies what `read` returns at that moment.
 * @param {string} words what the button says
 * @param {() => string} read the text; an empty one cannot be copied
 * @param {string} instead what to do where nothing was copied
 */
export function createCopy(words, read, instead) {
  const button = createButton("quiet", words, async () => {
    const text = read();
    setText(button, text && (await copyText(text, button)) ? "copied" : instead);
    setTimeout(() => setText(button, words), COPIED_FOR_MS);
  });
  return button;
}

async function copyText(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", { value: text });
    beside.after(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
