// What is said aloud of what happened: the words that came, each once, and never faster than they can be
// heard.

import { announced } from "../../../frame/live/announced.js";
import { asText, spoken, withCommas } from "../../../frame/live/aloud.js";
import { el, setText } from "../../../frame/live/dom.js";
import { formatCount, formatProbability, formatTokens } from "../../../frame/live/format.js";
import { last } from "../../../frame/live/required.js";
import { _ } from "../../../frame/live/words.js";

const REST_MS = 4000; // between two sentences while Play writes
const WRITING = ["next", "force", "finish", "again", "pause"];

/** Makes the place that is read out. */
export function createSpeaker() {
  const element = announced(el("div", { hidden: true }), { "aria-live": "polite" });
  /** @type {number[]} */
  let heard = []; // ids of the text that was said, or stood there before
  let since = -REST_MS;
  return {
    element,
    /** What stands there and need not be said. @param {Header} header */
    know: ({ ids }) => (heard = ids),
    /**
     * Says what an event brought, or Pause ends.
     * @param {string} kind
     * @param {Header} header
     * @param {Label} label
     * @param {boolean} isPlaying more will come by itself
     */
    say(kind, header, label, isPlaying) {
      if (isPlaying && performance.now() - since < REST_MS) return;
      since = performance.now();
      setText(element, withCommas(sentenceOf(kind, header, label, countCommon(heard, header.ids))));
      heard = header.ids;
    },
  };
}

/** @param {number[]} before @param {number[]} ids */
function countCommon(before, ids) {
  const n = ids.findIndex((id, i) => id !== before[i]);
  return n < 0 ? ids.length : n;
}

/**
 * What is heard: the words since `from` and how long the text is, or what it ends with now.
 * @param {string} kind
 * @param {Header} header
 * @param {Label} label
 * @param {number} from
 */
function sentenceOf(kind, { ids, joined, steps, inspect }, label, from) {
  if (kind === "inspect" && inspect)
    return _("Position {position}, before {token} was chosen", {
      position: formatCount(inspect.position),
      token: spoken(label(inspect.token_id)),
    });
  const length = formatTokens(ids.length);
  const token = spoken(label(last(ids)));
  const nNew = ids.length - from;
  if (!WRITING.includes(kind) || nNew === 0 || steps.prob.length === 0)
    return _("{length}, the last is {token}", { length, token });
  if (nNew > 1) return `${asText(ids, from, label, joined)} … ${length}`;
  return _("{token}, probability {share}, {length}", {
    token,
    share: formatProbability(last(steps.prob)),
    length,
  });
}
