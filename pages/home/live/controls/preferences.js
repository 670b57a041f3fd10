// What a reader prefers, kept by the browser: whether a step is held, whether all strategies stand side by
// side, whether the first question was asked, whether all controls show. An address may say it too, and then
// it wins.

import { replaceAddress } from "../../../frame/live/page_address.js";
import { localStore } from "../../../frame/live/storage.js";
import { LANGUAGE } from "../../../frame/live/words.js";

const PREFIX = "ott-";
const PRESENT = "present";

/** What the address says of a preference; null where it says nothing. @param {string} name */
const addressed = (name) => new URLSearchParams(location.search).get(name);

/**
 * Reads a preference.
 * @param {string} name
 * @param {boolean} otherwise what holds where nobody has said anything
 */
export function prefers(name, otherwise) {
  const said = addressed(name) ?? localStore.read(PREFIX + name);
  return said === null ? otherwise : said === "1";
}

/**
 * Keeps a preference; the address no longer says another one. Returns whether the next visit has it.
 * @param {string} name
 * @param {boolean} isOn
 */
export function keepPreference(name, isOn) {
  const isKept = localStore.write(PREFIX + name, isOn ? "1" : "0");
  if (addressed(name) === null) return isKept;
  const query = new URLSearchParams(location.search);
  query.set(name, isOn ? "1" : "0");
  replaceAddress(`${location.pathname}?${query}`);
  return isKept;
}

const isPresented = () => addressed(PRESENT) === "1";

/**
 * Whether all controls show, those that are needed less often too. A lesson names any of them; a projector begins
 * with few.
 */
export const showsAll = () =>
  addressed("lesson") !== null || (isPresented() ? addressed("more") === "1" : prefers("more", true));

/**
 * Whether the first question is asked: nobody has opened the page in this browser before, or it is opened on a
 * projector; and no link says what to show.
 */
export function isFirstVisit() {
  const query = new URLSearchParams(location.search);
  for (const name of [LANGUAGE, PRESENT]) query.delete(name);
  const isAsked = query.size > 0 || location.hash.includes("=");
  if (isPresented()) return !isAsked;
  // a browser that keeps nothing would ask at each visit
  const isFirst = !isAsked && !prefers("seen", false) && keepPreference("seen", true);
  if (isFirst) keepPreference("more", false);
  return isFirst;
}
