// The address bar: a reload shows the same text.

import { replaceAddress } from "../../frame/live/page_address.js";
import { LANGUAGE } from "../../frame/live/words.js";

const SWITCHES = ["present", "predict", "hold", "side", "said"];
/** What it says of the page around the text, such as the scene of a lesson. */
const AROUND = ["lesson", "scene", "class", "embed", "engine", LANGUAGE, ...SWITCHES];

/**
 * Writes a text's link into it; empty where the text has none. What lies around the text stays.
 * @param {string} link
 */
export function showLink(link) {
  const now = new URLSearchParams(location.search);
  const kept = AROUND.filter((name) => now.has(name)).map((name) => [name, now.get(name) ?? ""]);
  const around = new URLSearchParams(kept).toString();
  const address = around === "" ? link : `${link === "" ? "?" : `${link}&`}${around}`;
  if (address !== location.search) replaceAddress(location.pathname + address);
}

/** What it says whichever switches are on. */
export function withoutSwitches() {
  const query = new URLSearchParams(location.search);
  for (const name of SWITCHES) query.delete(name);
  return query.toString();
}
