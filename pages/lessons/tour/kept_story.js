// The text that the reader wrote in a lesson's first scene, with the bar of each press, from that scene to the
// lesson's end: this tab keeps it.

import { keepLine } from "../../frame/live/record.js";
import { readJson, tabStore } from "../../frame/live/storage.js";

const STORED_AS = "ott-story";
const MAX_TOKENS = 80; // of a story
const WRITTEN = ".strip .token:not(.of-prompt, .is-special)";

/** A press: the segments of its bar in percent, and where it fell. @typedef {{at: number, share: string,
 *   parts: {from: number, width: number, isHit: boolean}[]}} KeptPress */
/** @typedef {{text: string, isWritten: boolean, press?: KeptPress|null}} KeptToken */

/** Reads it with care: what is stored may be anybody's. @returns {{link: string, tokens: KeptToken[]}|null} */
export function readStory() {
  const story = readJson(tabStore, STORED_AS);
  if (!story?.link?.startsWith?.("./?") || !Array.isArray(story.tokens)) return null;
  const tokens = story.tokens.filter((/** @type {KeptToken} */ one) => typeof one?.text === "string");
  return tokens.length > 0 ? { link: story.link, tokens: tokens.slice(0, MAX_TOKENS) } : null;
}

/**
 * Keeps what stands on the first page; a text in which nothing was written leaves the one before.
 * @param {ShadowRoot} root
 */
export function keepStory(root) {
  if (root.querySelector(WRITTEN) === null) return;
  const strip = [...root.querySelectorAll(".strip .token:not(.is-special)")];
  const rows = [...root.querySelectorAll(".draws-row")];
  const first = strip.length - rows.length; // the newest draws are in the list
  const tokens = strip.map((node, i) => ({
    text: node.textContent.replaceAll("␣", " ").replaceAll("⏎", "\n"),
    isWritten: node.matches(WRITTEN),
    press: readPress(rows[i - first], node.textContent),
  }));
  const query = new URLSearchParams(location.search);
  for (const name of ["lesson", "scene", "class", "said", "present"]) query.delete(name);
  const link = `./?${query}`;
  tabStore.write(STORED_AS, JSON.stringify({ tokens, link }));
  keepLine({ text: tokens.map(({ text }) => text).join("").trim(), link });
}

/** Takes a row of the draws apart; null where it is of another token. @param {Element|undefined} row @param {string} label */
function readPress(row, label) {
  const mark = /** @type {HTMLElement|null} */ (row?.querySelector(".draws-finger, .draws-pointer") ?? null);
  const name = row?.querySelector(".draws-token")?.textContent.replace(/…$/, "") ?? "";
  if (!row || mark === null || !label.replace(/^␣(?=.)/, "").startsWith(name)) return null;
  const pieces = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".draws-piece")]);
  const parts = pieces.map((piece) => ({
    from: Number.parseFloat(piece.style.left),
    width: Number.parseFloat(piece.style.width),
    isHit: piece.hasAttribute("data-hit"),
  }));
  const share = row.querySelector(".draws-where")?.textContent ?? "";
  return { at: Number.parseFloat(mark.style.left), share, parts };
}
