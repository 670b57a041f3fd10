// What the first beat does, while the picture waits for the shares: the tokens that are read go into the model
// together, and a share for each token that it knows comes out.

import { READ } from "./beats.js";
import { passOf } from "./loopfacts.js";
import { START } from "./strip.js";
import { el, setShown, setText, visibleParts } from "../../../frame/live/dom.js";
import { ngettext } from "../../../frame/live/words.js";

const MAX_TOKENS = 6; // of the text's end

/**
 * The tokens that the pass of a step reads, by name; of many the last, behind an ellipsis.
 * @param {View} view
 */
export function tokensRead(view) {
  const { header, contextIds, label } = view;
  const read = contextIds.slice(-passOf(view).nInput);
  const names = read.slice(-MAX_TOKENS).map((id) => id === header.model.bos_id ? START : label(id));
  return { names, isCut: read.length > MAX_TOKENS };
}

/** @param {View} view */
export const sharesInWords = ({ header }) => ngettext("{n} share", "{n} shares", header.model.vocab_size);

/** Makes the drawing of the pass; the beat's sentence says the same in words. */
export function createReading() {
  const tokens = el("span", { class: "reading-tokens", translate: false });
  const model = el("span", { class: "reading-model", translate: false });
  const shares = el("span", { class: "reading-shares" });
  const arrow = () => el("i", { class: "reading-arrow" });
  const element = el(
    "div",
    { class: "reading", "aria-hidden": "true", hidden: true },
    tokens,
    arrow(),
    model,
    arrow(),
    shares,
  );
  /** @param {View} view */
  function update(view) {
    const wasShown = !element.hidden;
    setShown(element, view.beat === READ);
    if (wasShown || view.beat !== READ) return;
    const { names, isCut } = tokensRead(view);
    const nodes = names.map((name) => el("span", { class: "reading-token" }, ...visibleParts(name)));
    tokens.replaceChildren(...isCut ? [el("span", {}, "…")] : [], ...nodes);
    setText(model, view.header.model.name);
    setText(shares, sharesInWords(view));
  }
  return { element, update };
}
