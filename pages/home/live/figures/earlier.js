// The text that Reset took away, below the one that is written now: what is the same so far is marked. It shows where
// a scene of a lesson speaks of it, so that two texts can be compared.

import { el, plainLabel, setShown, setText } from "../../../frame/live/dom.js";
import { _, ngettext } from "../../../frame/live/words.js";

/** Makes the text and the sentence above it. @returns {Part} */
export function createEarlier() {
  const text = el("p", { class: "earlier-text", translate: false });
  const sentence = el("p", { class: "earlier-sentence" });
  const element = el(
    "section",
    { class: "earlier", hidden: true },
    el("p", { class: "muted" }, _("The text before Reset")),
    sentence,
    text,
  );
  /** @type {number[]} */
  let last = [];
  /** @type {number[]} */
  let kept = [];
  let shown = "";
  return {
    element,
    /** @param {View} view */
    update({ ids, nPrompt, label, labels }) {
      const isOther = `${ids.slice(0, nPrompt)}` !== `${last.slice(0, nPrompt)}`;
      if (isOther) kept = [];
      else if (ids.length === nPrompt && last.length > nPrompt) kept = last;
      last = ids;
      const written = kept.slice(nPrompt);
      const nSame = written.filter((id, i) => id === ids[nPrompt + i]).length;
      const state = `${kept}:${ids.slice(nPrompt)}:${Object.keys(labels).length > 0}`;
      if (state === shown) return;
      shown = state;
      setShown(element, written.length > 0);
      /** Its spaces are spaces: it is read. @param {number} id */
      const words = (id) => plainLabel(label(id)).replaceAll("␣", " ").replaceAll("⏎", "\n");
      const node = (/** @type {number} */ id, /** @type {number} */ i) =>
        el("span", { class: id === ids[nPrompt + i] ? "is-same" : "" }, words(id));
      text.replaceChildren(
        ...kept.slice(1, nPrompt).map(words),
        ...written.map(node),
      );
      const said = ngettext(
        "{n} of {total} token is the same.",
        "{n} of {total} tokens are the same.",
        nSame,
        { total: String(written.length) },
      );
      setText(sentence, ids.length > nPrompt ? said : "");
    },
  };
}
