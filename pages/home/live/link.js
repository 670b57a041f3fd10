// The link that brings back what is on the screen, written by the page itself: what grows with the text
// stands in its rows already. pages/home/link.py reads it, and writes the links of files.

/** The link to the text that is written; empty where it has none. @param {Header} header */
export function linkOf(header) {
  return header.address === "" ? "" : `?${header.address}&${textQuery(header)}`;
}

/** The query of the text alone: all of it but the model and the controls. @param {Header} header */
export function textQuery({ prompt, seed, chat, ids, n_prompt: nPrompt, steps }) {
  const forced = steps.forced.flatMap((isForced, i) => (isForced ? [`${i}:${ids[nPrompt + i]}`] : []));
  const query = new URLSearchParams({ prompt, seed: String(seed) });
  if (chat) query.set("chat", "1");
  if (forced.length > 0) query.set("forced", forced.join(","));
  if (steps.how.length > 0) query.set("run", runOf(steps.how));
  return String(query).replace(/%3A|%2C|%3B|%7E/g, decodeURIComponent); // these may stand in a query
}

/** How many tokens were drawn alike, and how, segment by segment. @param {string[]} how */
function runOf(how) {
  const segments = [];
  how.forEach((own, i) => {
    if (own === how[i - 1]) segments.at(-1).count += 1;
    else segments.push({ own, count: 1 });
  });
  return segments.map(({ own, count }) => `${count}~${own}`).join(";");
}
