// A button that copies a text.

import { copyText, REFUSED } from "../../../frame/live/clipboard.js";
import { createButton, setText } from "../../../frame/live/dom.js";
import { _ } from "../../../frame/live/words.js";

const COPIED_FOR_MS = 1500;
const REFUSED_FOR_MS = 6000; // time to read what is to be done

/**
 * Makes a quiet button that copies what `read` returns at that moment.
 * @param {string} words what the button says
 * @param {() => string} read the text; empty if there is none
 * @param {() => string} whyNone says why there is none
 */
export function createCopy(words, read, whyNone) {
  let timer = 0;
  const button = createButton("quiet", words, async () => {
    const text = read();
    const isCopied = text !== "" && await copyText(text, button);
    setText(button, isCopied ? _("copied") : text === "" ? whyNone() : REFUSED);
    clearTimeout(timer);
    timer = setTimeout(() => setText(button, words), isCopied ? COPIED_FOR_MS : REFUSED_FOR_MS);
  });
  return button;
}
