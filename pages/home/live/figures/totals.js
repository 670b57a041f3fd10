// The running log-probability of the text (the chain rule as a sum), and the key to the strip.

import { el, setText } from "../../../frame/live/dom.js";
import { formatNats, formatNumber } from "../../../frame/live/format.js";
import { createTerm } from "../../../frame/live/term.js";
import { _ } from "../../../frame/live/words.js";

const KEY = [
  ["of-prompt", _("prompt")],
  ["of-model", _("drawn by the model")],
  ["is-forced", _("chosen by you")],
];
const LOGPROB_NOTE = _(
  "measured: the running sum of log p of each token after the prompt, at temperature 1",
);
const PERPLEXITY_NOTE = _("derived: exp of minus the mean log p per token");

/**
 * The sums beside the strip, its key, and the switch of the tint of its list of tokens.
 * @param {HTMLElement} list
 */
export function createSums(list) {
  const logprob = el("span", { class: "sum-value" });
  const perplexity = el("span", { class: "sum-value" });
  const title = _("tint by surprise");
  /** @type {Record<string, string>} */
  let terms = {};
  const toggle = el("input", {
    type: "checkbox",
    "aria-label": title,
    checked: true,
    onchange: () => list.classList.toggle("no-tint", !toggle.checked),
  });
  const element = el(
    "div",
    { class: "strip-sums" },
    el("div", { title: LOGPROB_NOTE }, _("log p(text | prompt)"), logprob),
    el("div", { title: PERPLEXITY_NOTE }, _("perplexity"), perplexity),
    el("span", { class: "switch tint-switch" }, toggle, ...createTerm(title, () => terms["surprise"])),
    el("div", { class: "strip-key" }, ...KEY.map(([kind, text]) => el("span", { class: kind }, text))),
  );
  return {
    element,
    /** @param {View} view */
    update(view) {
      terms = view.header.terms;
      const n = view.header.steps.logprob.length;
      setText(logprob, n > 0 ? formatNats(view.header.logprob) : "–");
      setText(perplexity, n > 0 ? formatNumber(Math.exp(-view.header.logprob / n), 1) : "–");
    },
  };
}
