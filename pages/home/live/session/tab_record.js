// What this tab keeps of all texts for the page after a reload. The address holds the active text alone, and
// no long one. Where nothing can be stored, the address has to do.

import { readJson, tabStore } from "../../../frame/live/storage.js";
import { withoutSwitches } from "../address.js";
import { textQuery } from "./link.js";
import { textOf } from "./state.js";

const STORED_AS = "one-token-at-a-time";

/** Keeps a session. @param {import("./session.js").Session} session */
export function keepBranches({ facts, controls, stop, active, texts }) {
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
  };
  tabStore.write(STORED_AS, JSON.stringify(record));
}

/**
 * What the document before this one kept, where this is its reload and not a link that was opened. It is
 * taken once: what cannot be read is not tried again after a reload. @returns {TabRecord|null}
 */
export function lostBranches() {
  const stored = readJson(tabStore, STORED_AS);
  tabStore.write(STORED_AS, null);
  const isReload = globalThis.performance.getEntriesByType?.("navigation")[0]?.["type"] === "reload";
  const address = withoutSwitches();
  return stored?.address === address && (isReload || address) ? stored : null;
}
