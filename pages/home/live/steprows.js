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
    made.set(header, header.steps.phase.map((_, step) => makeRow(header, step, forced)));
  }
  return made.get(header);
}

function makeRow({ ids, n_prompt: nPrompt, steps }, step, forced) {
  const position = nPrompt + step;
  return {
    step,
    phase: steps.phase[step],
    n_input: steps.n_input[step],
    input_id: steps.phase[step] === "prefill" ? null : ids[position - 1],
    top_id: steps.top_id[step],
    top_prob: steps.top_prob[step],
    token_id: ids[position],
    prob: steps.prob[step],
    logprob: steps.logprob[step],
    forced: forced.has(position),
    cache_from: steps.cache_tokens[step] - steps.n_input[step],
    cache_to: steps.cache_tokens[step],
    bytes: steps.bytes[step],
    seconds: steps.seconds[step],
  };
}
