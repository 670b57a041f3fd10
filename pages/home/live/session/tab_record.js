// What this tab keeps of all texts for the page after a reload. The address holds the active text alone, and
// no long one. Where nothing can be stored, the address has to do.

import { readJson, tabStore } from "../../../frame/live/storage.js";
import { withoutSwitches } from "../address.js";
import { textQuery } from "./link.js";
import { textOf } from "./state.js";

const STORED_AS = "one-token-at-a-time";
const MAX_BYTES = 300_000; // of the arrays that are kept
const MAX_ARGUMENTS = 8192; // of one call
/** Presses that are made again after a reload that came before their answer. */
const PRESSES = ["next", "force", "finish", "back", "reset", "rewind", "again"]
  .concat(["branch", "switch", "prompt", "settings", "seed", "chat"]);

/** Keeps a session. @param {import("./session.js").Session} session */
export function keepBranches({ facts, controls, stop, active, texts, underWay, cutOff, page }) {
  const branches = texts.map((text) => {
    const { id, ids, columns, joined } = text;
    return { id, ids, columns, joined, query: textQuery(/** @type {any} */ (textOf(text))) };
  });
  const record = {
    address: withoutSwitches(),
    model: facts.model.name,
    controls,
    stop,
    active: active.id,
    branches,
    shown: shownOf(active),
    cutOff: [...underWay, ...cutOff, ...(page?.waiting?.() ?? [])].filter(({ kind }) =>
      PRESSES.includes(kind)
    ),
  };
  tabStore.write(STORED_AS, JSON.stringify(record));
}

/**
 * What the page shows of a text, to be shown at once after a reload.
 * @param {import("./text.js").Text} text
 * @returns {ShownReading|null}
 */
function shownOf({ reading, pass }) {
  const { rows: _, arrays, ...said } = reading;
  const all = Object.entries(arrays);
  if (all.reduce((sum, [, { byteLength }]) => sum + byteLength, 0) > MAX_BYTES) return null;
  return {
    reading: said,
    pass,
    arrays: Object.fromEntries(all.map(([name, array]) => [name, lettersOf(array)])),
    isInt: all.filter(([, array]) => !(array instanceof Float32Array)).map(([name]) => name),
  };
}

/** The reading that a tab kept. @param {ShownReading} shown @returns {Reading} */
export function readShown({ reading, arrays, isInt }) {
  const read = Object.entries(arrays).map(([name, letters]) => {
    const { buffer } = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    return [name, isInt.includes(name) ? new Int32Array(buffer) : new Float32Array(buffer)];
  });
  if (!reading.distribution || !(reading.distribution.n_vocab > 0) || read.length === 0)
    throw new RangeError("a distribution is missing");
  return { ...reading, rows: {}, arrays: Object.fromEntries(read) };
}

/** @param {Numbers} array */
function lettersOf(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let letters = "";
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS)
    letters += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  return btoa(letters);
}

/**
 * What the document before this one kept, where this is its reload and not a link that was opened. It is
 * taken once: what cannot be read is not tried again after a reload. @returns {TabRecord|null}
 */
export function lostBranches() {
  const stored = readJson(tabStore, STORED_AS);
  tabStore.write(STORED_AS, null);
  const [navigation] = globalThis.performance.getEntriesByType?.("navigation") ?? [];
  const isReload = navigation && "type" in navigation && navigation.type === "reload";
  const address = withoutSwitches();
  return stored?.address === address && (isReload || address) ? stored : null;
}
