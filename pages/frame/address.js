// Nothing to see: the address bar says what the page shows, for a reload and for a server that is
// started again.

import { replaceAddress } from "./live/page_address.js";

export default (
  /** @type {Component<{ query: string, names: string[], in_scenes: boolean }>} */ { data },
) => {
  const query = new URLSearchParams(location.search);
  if (query.has("lesson") && !data.in_scenes) return;
  for (const name of data.names) query.delete(name);
  for (const [name, value] of new URLSearchParams(data.query)) query.append(name, value);
  const search = query.size > 0 ? `?${query}` : "";
  if (search !== location.search) replaceAddress(location.pathname + search + location.hash);
};
