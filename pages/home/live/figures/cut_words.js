// What top-p's line does, in a sentence above the rows, where a scene of a lesson speaks of the cut: the rows then
// lie end to end as they lay before it, and the line goes through all of them.

import { el, named, setSentence } from "../../../frame/live/dom.js";
import { formatCount, formatShare } from "../../../frame/live/format.js";
import { lastStage, scoredStage } from "../../../frame/live/strategies.js";
import { _, ngettext } from "../../../frame/live/words.js";

/** Makes the sentence. @param {() => void} changed whether it is spoken of */
export function createCutWords(changed) {
  const element = el("p", { class: "cut-words" });
  const isShown = () => element.dataset.tour === "lit";
  let wasShown = false;
  new MutationObserver(() => {
    if (isShown() === wasShown) return;
    wasShown = isShown();
    changed();
  }).observe(element, { attributeFilter: ["data-tour"] });
  return {
    element,
    isShown,
    /** @param {BarsView} view @param {Result} result @param {Picture} picture */
    update(view, result, { edge }) {
      setSentence(element, edge?.isWhole ? sentenceOf(view, result) : "");
    },
  };
}

/** To whole percent: one who adds up the rows gets the same. @param {number} share */
const rounded = (share) => Math.round(100 * share) / 100;

/** How much the tokens above the line fill, and which of them crosses it. @param {BarsView} view @param {Result} result */
function sentenceOf({ label }, result) {
  const { kept } = lastStage(result);
  const { probs } = scoredStage(result);
  const rows = result.order.filter((/** @type {number} */ row) => kept[row]);
  const crossing = rows[rows.length - 1];
  const before = rows.slice(0, -1).reduce((sum, row) => sum + probs[row], 0);
  const said = {
    before: formatShare(rounded(before)),
    token: named(label(result.idOf(crossing))),
    after: formatShare(rounded(before + probs[crossing])),
  };
  const n = rows.length - 1;
  if (n === 0) return _("The widest alone, {token}, crosses the line: {after}.", said);
  return ngettext(
    "The widest fills {before}; the next one, {token}, crosses the line: {after}.",
    "The widest {n} fill {before}; the next one, {token}, crosses the line: {after}.",
    n,
    { ...said, n: formatCount(n) },
  );
}
