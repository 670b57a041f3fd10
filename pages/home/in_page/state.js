// The state of a session as the live component shows it: every field of `State` in
// pages/frame/live/types.d.ts, and the raw logits. The twin of pages/home/payload.py.

import { writeAddress } from "./link.js";

const COLUMNS = [
  "logprob",
  "prob",
  "rank",
  "entropy",
  "chosen_prob",
  "coin",
  "forced",
  "top_id",
  "top_prob",
  "phase",
  "n_input",
  "cache_tokens",
  "seconds",
  "is_shared",
];

/** Describes a session whole. @param {import("./session.js").Session} session @returns {State} */
export function describe(session) {
  const { active, generation, facts, tokenizer } = session;
  const { ids, nPrompt, steps } = generation;
  const past = session.inspection ?? endOf(session);
  const described = { n_vocab: facts.model.vocab_size, n_unsent: 0 };
  const { logits: pastLogits, ...inspected } = past ?? {};
  const header = {
    branch: active.id,
    next_id: session.nextId,
    coin: session.pointer,
    prompt: active.prompt,
    ids: [...ids],
    n_prompt: nPrompt,
    joined: joined(tokenizer, ids),
    finished: generation.finished,
    logprob: generation.logprob,
    memory: generation.memory,
    model: facts.model,
    steps: columnsOf(steps, active.choices),
    timing: timingOf(generation.passes.at(-1)),
    cache: cacheOf(generation.cache),
    controls: session.controls,
    orders: facts.orders,
    distribution: described,
    inspect: past && { ...described, ...inspected },
    branches: session.branches.filter((other) => other !== active).map((other) => branchOf(session, other)),
    pieces: session.draftPieces.map(pieceOf),
    pieces_of: session.draft,
    guess: session.guess,
    code: facts.code,
    hide_bars: false,
    presenter: false,
    notice: session.notice,
    seed: active.seed,
    chat: false,
    address: writeAddress(active.prompt, session.controls, facts),
  };
  const arrays = { logits: generation.logits, ...(past && { inspect_logits: pastLogits }) };
  return { header, arrays };
}

/** What the end of a finished text was drawn from, as nothing follows it. */
function endOf(session) {
  const { finished, steps, ids } = session.generation;
  return finished && steps.length > 0 ? session.lookBack(ids.length - 1) : null;
}

function columnsOf(steps, choices) {
  const columns = COLUMNS.map((name) => [name, steps.map((step) => step[name])]);
  return {
    ...Object.fromEntries(columns),
    bytes: steps.map(({ cache_bytes: bytes }) => bytes),
    how: choices.map(({ how }) => how),
  };
}

/** By position, the characters that are complete only with that token. */
function joined(tokenizer, ids) {
  const isUnfinished = (id) => tokenizer.labels[id].includes("<0x");
  if (!ids.some(isUnfinished)) return {};
  const pieces = tokenizer.pieces(ids).map(({ id, joined }, position) => [position, id, joined]);
  const complete = pieces.filter(([, id, text]) => text !== "" && isUnfinished(id));
  return Object.fromEntries(complete.map(([position, , text]) => [position, text]));
}

function timingOf({ phase, seconds, n_input, is_shared }) {
  return { phase, seconds, n_input, is_shared };
}

/** @param {import("./kv_cache.js").KVCache} cache @returns {any} the name is one of the browser's own types */
function cacheOf(cache) {
  const { num_hidden_layers, num_key_value_heads, head_dim } = cache.config;
  return {
    tokens: cache.length,
    bytes: cache.bytes,
    bytes_held: cache.bytesHeld,
    n_layers: num_hidden_layers,
    n_kv_heads: num_key_value_heads,
    head_dim,
    bytes_per_number: Float32Array.BYTES_PER_ELEMENT,
    bytes_per_token: cache.bytesPerToken,
    sliding_window: null,
  };
}

function branchOf(session, branch) {
  const { ids, logprob } = branch.generation;
  const query = session.queryOf(branch);
  return { id: branch.id, ids: [...ids], joined: joined(session.tokenizer, ids), logprob, query };
}

function pieceOf({ id, label, bytes, joined, special }) {
  const data = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return { id, label, bytes: data, joined, special };
}
