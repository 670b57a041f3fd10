// The field for stop strings, one a line, folded away under what is set.

import { el, quote, setText } from "../../../frame/live/dom.js";
import { writeStrings } from "../../../frame/live/stopping.js";
import { _, listed } from "../../../frame/live/words.js";

/** Makes the field. @param {Actions} actions */
export function createStopField(actions) {
  const box = el("textarea", {
    name: "stop",
    rows: 2,
    dir: "auto",
    spellcheck: false,
    translate: false,
    "aria-label": _("Stop strings, one a line"),
    onchange: () => actions.stopAt(box.value),
  });
  const words = el("summary", {});
  const hint = el("p", { class: "setting-hint" }, _("One a line; \\n is a line break. Each ends the text."));
  let shown = "";
  return {
    element: el("details", { class: "section stop-field" }, words, box, hint),
    /** @param {View} view */
    update({ header: { stop } }) {
      const text = writeStrings(stop);
      const strings = listed(stop.map(visible));
      setText(words, strings ? _("Stop at {strings}", { strings }) : _("Stop strings: none"));
      if (text !== shown) box.value = text; // what was refused stays, to be mended
      shown = text;
    },
  };
}

/** A stop string as it is named in a sentence. @param {string} string */
export function visible(string) {
  return quote(string.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥"));
}
