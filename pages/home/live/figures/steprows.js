// The steps as rows: what a payload says of them column by column, put together for one step.

const made = new WeakMap(); // rows by header

/**
 * Reads the rows of the worked table, one for each generated token.
 * @param {Header} header
 * @returns {StepRow[]}
 */
export function readRows(header) {
  if (!made.has(header)) {
    let sum = 0;
    const rows = header.steps.logprob.map((logprob, step) => {
      sum += logprob;
      return { ...readRow(header, step), sum };
    });
    made.set(header, rows);
  }
  return made.get(header);
}

/** Reads the newest pass, which made the distribution of the next token. @param {Header} header */
export function newestPass({ cache, timing }) {
  const { phase, seconds, n_input: nInput, is_shared: isShared } = timing;
  const { tokens, bytes } = cache;
  return { phase, seconds, nInput, isShared, tokens, bytes, hasKeys: keepsKeys(cache) };
}

/** @param {Header} header @param {number} step */
function readRow({ cache, ids, n_prompt: nPrompt, steps }, step) {
  const position = nPrompt + step;
  return {
    step,
    phase: steps.phase[step],
    nInput: steps.n_input[step],
    isShared: steps.is_shared[step],
    inputId: ids[position - 1], // the last one where the pass read the whole prompt
    topId: steps.top_id[step],
    topProb: steps.top_prob[step],
    tokenId: ids[position],
    prob: steps.prob[step],
    forced: steps.forced[step],
    tokens: steps.cache_tokens[step],
    bytes: steps.bytes[step],
    hasKeys: keepsKeys(cache),
    seconds: steps.seconds[step],
  };
}

/**
 * Whether a model keeps keys and values; else it keeps a state that sums up what was read, or nothing.
 * @param {Cache} cache
 */
export function keepsKeys(cache) {
  return cache.bytes_per_token > 0;
}
