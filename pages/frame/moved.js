// Nothing to see: a link to a section, or to settings, that have a page of their own by now goes on to it. What
// the link asked for, the server says: the address says by now what the page shows.

export default (
  /** @type {Component<{ anchors: string[], query: string | null, page: string }>} */ { data },
) => {
  const isThere = data.anchors.includes(location.hash.slice(1));
  const query = data.query ?? (isThere ? location.search : null);
  if (query !== null) location.replace(`${data.page}${query}${location.hash}`);
};
