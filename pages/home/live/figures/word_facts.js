// What the page knows of a word at the position that is shown: its rank and its share after each stage, or
// the chain of its tokens; and of the five best tokens what an API would say. Where the page does not hold a
// token, or the cut of a mask, it says so: no number stands in its place.

import { formatCount, formatNats, formatProbability } from "../../../frame/live/format.js";
import { activeResult, describeStage, waitsForPython } from "../../../frame/live/strategies.js";
import { required } from "../../../frame/live/required.js";
import { _, ngettext } from "../../../frame/live/words.js";

const MEASURED = _("Measured: this step’s logits. Each share after a stage is computed from them.");
const ASK_AGAIN = _("Ask again for its probability here.");
const N_BEST = 5;
const [DECIMALS, DECIMALS_OF_SUMS] = [6, 4]; // the second where the page has but sums of the rest

/**
 * The one token that is meant by a text with visible spaces, or by the name of a special one; null if none.
 * @param {string} text
 * @param {Labels} labels
 */
export function tokenNamed(text, labels) {
  if (!/[␣⏎⇥]|^<.+>$/.test(text)) return null;
  const found = Object.entries(labels).find(([, label]) => label === text);
  return found === undefined ? null : Number(found[0]);
}

/** Whether the word was scored after the very text that is shown. @param {Word} word @param {View} view */
function isScoredHere({ after }, { contextIds }) {
  return after.length === contextIds.length && after.every((id, i) => id === contextIds[i]);
}

/**
 * What is known of the word that the reader follows: its rank, and its share after each stage; or of a word of
 * several tokens the product. A share of null is one that the page cannot know.
 * @param {BarsView} view
 * @returns {WordFacts}
 */
export function wordFacts(view) {
  const word = required(view.header.word, "word that is followed");
  return word.ids.length === 1 ? tokenFacts(view, word) : chainFacts(view, word);
}

/** @param {BarsView} view @param {Word} word @returns {WordFacts} */
function tokenFacts(view, word) {
  const result = activeResult(view);
  const { nRows, nVocab } = view.distribution;
  const row = result.rowOf(word.ids[0]);
  const scored = isScoredHere(word, view) && word.logprobs.length > 0 ? Math.exp(word.logprobs[0]) : null;
  const title = row < 0
    ? _("below the best {number} of {n_vocab}", { number: formatCount(nRows), n_vocab: formatCount(nVocab) })
    : _("number {number} of {n_vocab}", { number: formatCount(row + 1), n_vocab: formatCount(nVocab) });
  const rows = result.stages.map((stage, i) => {
    const name = i === 0
      ? _("by the model")
      : _("after {stage}", { stage: describeStage(stage.name, view.settings) });
    const isUnknown = waitsForPython({ ...result, stages: result.stages.slice(0, i + 1) });
    const share = row < 0
      ? unheldShare(stage, isUnknown, i === 0 ? scored : null)
      : heldShare(stage, row, isUnknown);
    return { name, share, words: shareWords(share, row < 0 ? 0 : stage.tail.bound) };
  });
  const note = row >= 0
    ? MEASURED
    : [_("This page has the best tokens alone."), word.logprobs.length > 0 ? ASK_AGAIN : ""].join(" ").trim();
  return { title, rows, note, isStale: false };
}

/**
 * The share of a token that the page holds.
 * @param {Stage} stage
 * @param {number} row
 * @param {boolean} isUnknown
 */
function heldShare({ kept, probs }, row, isUnknown) {
  if (isUnknown) return null;
  return kept[row] ? probs[row] : 0;
}

/**
 * The share of a token that it does not hold: only that a mask took it, or what the model was asked.
 * @param {Stage} stage
 * @param {boolean} isUnknown
 * @param {number|null} scored
 */
function unheldShare({ name, keptTail, nKept }, isUnknown, scored) {
  if (name === "raw") return scored;
  return !isUnknown && keptTail === 0 && nKept > 0 ? 0 : null;
}

/**
 * A share in words; `bound` says that the rest has at most (1) or at least (-1) what it is given.
 * @param {number|null} share
 * @param {number} bound
 */
function shareWords(share, bound) {
  if (share === null) return _("not known here");
  if (share === 0) return _("out");
  return `${bound === 0 ? "" : bound > 0 ? "≥ " : "≤ "}${formatProbability(share)}`;
}

/** @param {View} view @param {Word} word @returns {WordFacts} */
function chainFacts(view, word) {
  const { ids, logprobs } = word;
  if (!isScoredHere(word, view)) {
    const rows = ids.map((id) => ({ name: view.label(id), share: null, words: "" }));
    const passes = ngettext(
      "{n} token takes a pass of the model.",
      "{n} tokens take passes of the model.",
      ids.length,
    );
    const note = `${passes} ${ASK_AGAIN}`;
    return { title: "", rows, note, isStale: true };
  }
  const sum = logprobs.reduce((total, logprob) => total + logprob, 0);
  const rows = ids.map((id, i) => {
    const share = Math.exp(logprobs[i]);
    const said = formatProbability(share);
    const words = i === 0 ? said : _("{share} after those before it", { share: said });
    return { name: view.label(id), share, words };
  });
  const note = _(
    "Measured: the product of its tokens by the chain rule, each after those before it; before temperature and masks. ln p = {number}.",
    { number: formatNats(sum) },
  );
  return { title: formatProbability(Math.exp(sum)), rows, note, isStale: false };
}

/**
 * What an API with `logprobs=5` says of the step that is shown: raw log-softmax, before temperature and masks.
 * A token that was drawn from further back is added, as the APIs do.
 * @param {View} view
 */
export function logprobsJson(view) {
  const { chosenId, label } = view;
  const { rawStage, nRows } = required(view.distribution, "distribution");
  const { idOf, rowOf } = activeResult(view);
  const { scores, probs, tail } = rawStage;
  const logTotal = scores[0] - Math.log(probs[0]);
  const decimals = tail.size > 0 && !tail.isShared ? DECIMALS_OF_SUMS : DECIMALS;
  /** @param {number} row */
  const logprobOf = (row) => row < 0 ? null : Number((scores[row] - logTotal).toFixed(decimals));
  const ids = Array.from({ length: Math.min(N_BEST, nRows) }, (_, row) => idOf(row));
  if (chosenId !== null && !ids.includes(chosenId)) ids.push(chosenId);
  // written by hand: an object would sort tokens that are whole numbers to the front
  const best = ids.map((id) =>
    `      ${JSON.stringify(rawText(label(id)))}: ${written(logprobOf(rowOf(id)))}`
  );
  const drawn = chosenId === null ? null : {
    token: JSON.stringify(rawText(label(chosenId))),
    logprob: written(logprobOf(rowOf(chosenId))),
  };
  return [
    "{",
    ...(drawn ? [`  "tokens": [${drawn.token}],`, `  "token_logprobs": [${drawn.logprob}],`] : []),
    '  "top_logprobs": [',
    "    {",
    best.join(",\n"),
    "    }",
    "  ]",
    "}",
  ].join("\n");
}

/** @param {number|null} number */
function written(number) {
  return Number.isFinite(number) ? String(number) : "null";
}

/**
 * A label as the text of its token: visible spaces are spaces again, and bytes are named as the APIs do.
 * @param {string} label
 */
function rawText(label) {
  const text = label.replaceAll("␣", " ").replaceAll("⏎", "\n").replaceAll("⇥", "\t")
    .replace(/^◌(?=\p{M})/u, "");
  if (!/<0x[0-9A-F]{2}>/.test(text)) return text;
  const bytes = text.split(/(<0x[0-9A-F]{2}>)/).filter(Boolean).flatMap((part) =>
    /^<0x/.test(part) ? [parseInt(part.slice(3, 5), 16)] : [...new TextEncoder().encode(part)]
  );
  return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}`;
}
