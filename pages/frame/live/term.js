// A term with a dotted underline, which opens what the glossary says of it: the twin of pages/frame/terms.py.

import { createButton, el } from "./dom.js";
import { _ } from "./words.js";

let nMade = 0;

/**
 * Makes the term, and the note that it opens, to stand after it.
 * @param {string} word
 * @param {() => string} says what the glossary says in English, once it is wanted
 * @returns {[HTMLElement, HTMLElement]}
 */
export function createTerm(word, says) {
  const note = el("span", { class: "term-note", popover: "auto", id: `term-${nMade += 1}` });
  note.addEventListener("beforetoggle", () => note.textContent = _(says()));
  const button = createButton("term", word);
  button.setAttribute("popovertarget", note.id);
  return [button, note];
}
