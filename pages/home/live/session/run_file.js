// A run as a file: a table (CSV), and a record (JSON) that the page and the app open again.

/**
 * One row for each generated token, in the columns of the app's table.
 * @param {Header} header
 * @param {PageFacts} facts
 */
export function toCsv(header, { csv: { columns, formulas }, labels }) {
  const guard = (/** @type {string} */ text) =>
    (formulas.some((start) => text.startsWith(start)) ? `'${text}` : text).toWellFormed();
  /** @type {Record<string, any>[]} */
  const rows = rowsOf(header, labels).map((row) => ({
    ...row,
    label: guard(row.label),
    text: guard(row.text),
    forced: row.forced ? "True" : "False",
  }));
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((line) => line.map(cell).join(",") + "\r\n").join("");
}

/**
 * All that it takes to write the text again, and the numbers of each draw.
 * @param {Header} header
 * @param {PageFacts} facts
 * @param {string} link
 */
export function toJson(header, { labels }, link) {
  const { ids, n_prompt: nPrompt, prompt, seed, model, finished, stop, logprob, cache } = header;
  const run = {
    schema: "one-token-at-a-time/run-in-page",
    created: new Date().toISOString(),
    link,
    model: { name: model.name, device: navigator.userAgent, dtype: model.dtype },
    seed,
    prompt: { text: prompt, ids: ids.slice(0, nPrompt) },
    steps: rowsOf(header, labels),
    finished,
    stop,
    logprob,
    cache,
  };
  return JSON.stringify(run, null, 1);
}

/** @param {Header} header @param {string[]} labels @returns {Record<string, any>[]} */
function rowsOf({ ids, n_prompt: nPrompt, steps, joined }, labels) {
  return ids.slice(nPrompt).map((id, i) => {
    const facts = Object.entries(steps).map(([name, column]) => [name, column[i]]);
    const { rank, bytes, how: _, ...row } = Object.fromEntries(facts);
    const text = joined[nPrompt + i] ?? labels[id].replaceAll("␣", " ").replaceAll("⏎", "\n");
    return { position: nPrompt + i, id, label: labels[id], text, ...row, rank: rank + 1, cache_bytes: bytes };
  });
}

/** @param {unknown} value */
function cell(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
