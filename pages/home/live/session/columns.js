/** Columns of the rows; what a text keeps besides says how a step can be looked back at. */
export const COLUMNS = [
  "logprob",
  "prob",
  "rank",
  "entropy",
  "chosen_prob",
  "pointer",
  "forced",
  "top_id",
  "top_prob",
  "phase",
  "n_input",
  "cache_tokens",
  "bytes",
  "seconds",
  "is_shared",
];
