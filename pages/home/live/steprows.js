// The steps as rows: what a payload says of them column by column, put together for one step.

const made = new WeakMap(); // rows by header

/**
 * Reads the rows of the worked table, one for each generated token.
 * @param {object} header
 * @returns {object[]}
 */
export function readRows(header) {
  if (!made.has(header)) {
    const forced = new Set(header.forced);
    let sum = 0;
    const rows = header.steps.logprob.map((logprob, step) => {
      sum += logprob;
      return { ...readRow(header, step), sum, forced: forced.has(header.n_prompt + step) };
    });
    made.set(header, rows);
  }
  return made.get(header);
}

function readRow({ ids, n_prompt: nPrompt, steps }, step) {
  const position = nPrompt + step;
  return {
    step,
    phase: steps.phase[step],
    n_input: steps.n_input[step],
    input_id: ids[position - 1], // the last one where the pass read the whole prompt
    top_id: steps.top_id[step],
    top_prob: steps.top_prob[step],
    token_id: ids[position],
    prob: steps.prob[step],
    cache_from: steps.cache_tokens[step] - steps.n_input[step],
    cache_to: steps.cache_tokens[step],
    bytes: steps.bytes[step],
    seconds: steps.seconds[step],
  };
}
