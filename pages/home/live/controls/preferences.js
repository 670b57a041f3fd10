// What a reader prefers, kept by the browser: whether a step is held, whether all strategies stand side by
// side, whether the first question was asked, whether all controls show. An address may say it too, and then
// it wins.

import { replaceAddress } from "../../../frame/live/page_address.js";
import { localStore } from "../../../frame/live/storage.js";
import { LANGUAGE } from "../../../frame/live/words.js";

const PREFIX = "ott-";

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

/** Whether all controls show, those that are needed less often too; a lesson names any of them. */
export const showsAll = () => addressed("lesson") !== null || prefers("more", true);

/** Whether nobody has opened the page in this browser before, and no link says what to show. */
export function isFirstVisit() {
  const query = new URLSearchParams(location.search);
  query.delete(LANGUAGE);
  const isAsked = query.size > 0 || location.hash.includes("=");
  // a browser that keeps nothing would ask at each visit
  const isFirst = !isAsked && !prefers("seen", false) && keepPreference("seen", true);
  if (isFirst) keepPreference("more", false);
  return isFirst;
}
