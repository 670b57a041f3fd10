// What this tab keeps of all branches, for a server that has lost them: one that was started again, or
// another copy of it. The address holds the active text alone, and no long one.
// sessionStorage is of one tab and outlives a reload; where it is forbidden, the document remembers.

import { withoutSwitches } from "./address.js";

const STORED_AS = "one-token-at-a-time";
/** What was kept last; undefined while this document has not looked. @type {TabRecord|null|undefined} */
let kept;

/** Keeps what Python said last; a saved page has no branches, and keeps nothing. */
export function keepBranches(header) {
  if (header.branches.length === 0) return;
  kept = { ack: header.ack, address: withoutSwitches(), ...recordOf(header) };
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify(kept));
  } catch {
    // full or forbidden: a reload then brings back what the address holds
  }
}

/**
 * What was kept and a fresh session lacks; null where nothing is lost.
 * @param {Header} header the newest
 * @param {Header|null} before what this document showed until now
 * @returns {TabRecord|null}
 */
export function lostBranches(header, before) {
  if (kept === undefined) kept = readStored();
  if (header.ack > -1) return null; // it has answered before, so it is the session that we know
  if (before !== null && before.ack > -1) keepBranches(before);
  const isLost = kept !== null && kept.ack > -1 && contentOf(kept) !== contentOf(recordOf(header));
  return isLost ? kept : null;
}

function recordOf({ branch: active, controls, branches, model }) {
  const texts = branches.map(({ id, ids, logprob, query }) => ({ id, ids, logprob, query }));
  return { model: model.name, controls, active, branches: texts };
}

/** All that makes two records say the same; the numbers of the branches do not. */
function contentOf({ model, controls, branches }) {
  return JSON.stringify([model, controls, branches.map(({ query }) => query)]);
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
