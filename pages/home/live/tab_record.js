// What this tab keeps of all branches, for a server that has lost them: one that was started again, or
// another copy of it. The address holds the active text alone, and no long one.
// sessionStorage is of one tab and outlives a reload; where it is forbidden, the document remembers.

import { withoutSwitches } from "./address.js";
import { textQuery } from "./link.js";

const STORED_AS = "one-token-at-a-time";
/** What was kept last; undefined while this document has not looked. @type {TabRecord|null|undefined} */
let kept;

/** Keeps what the server said last. @param {Header} header */
export function keepBranches(header) {
  kept = { address: withoutSwitches(), ...recordOf(header) };
  store(JSON.stringify(kept));
}

/**
 * What was kept and a fresh session lacks; null where nothing is lost. It is handed back once: one that
 * cannot be read is not tried again after a reload.
 * @param {Header} header the newest
 */
export function lostBranches(header) {
  if (kept === undefined) kept = readStored();
  const isLost = kept !== null && contentOf(kept) !== contentOf(recordOf(header));
  store(null);
  return isLost ? kept : null;
}

/** @param {Header} header @returns {Omit<TabRecord, "address">} */
function recordOf(header) {
  const { branch: active, controls, branches, model, ids, logprob } = header;
  const texts = [...branches, { id: active, ids, logprob, query: textQuery(header) }]
    .map(({ id, ids, logprob, query }) => ({ id, ids, logprob, query }))
    .sort((first, second) => first.id - second.id);
  return { model: model.name, controls, active, branches: texts };
}

/** All that makes two records say the same; the numbers of the branches do not. */
function contentOf({ model, controls, branches }) {
  const queries = branches.map(({ query }) => String(new URLSearchParams(query)));
  return JSON.stringify([model, controls, queries]);
}

/** What the document before this one kept, where this is its reload and not a link that was opened. */
function readStored() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED_AS));
    const isReload = performance.getEntriesByType("navigation")[0]?.["type"] === "reload";
    const address = withoutSwitches();
    return stored?.address === address && (isReload || address) ? stored : null;
  } catch {
    return null;
  }
}

function store(text) {
  try {
    if (text === null) sessionStorage.removeItem(STORED_AS);
    else sessionStorage.setItem(STORED_AS, text);
  } catch {
    // full or forbidden: a reload then brings back what the address holds
  }
}
