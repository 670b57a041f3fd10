// A session as the figures are shown it: every field of `State` in pages/frame/live/types.d.ts, and the raw
// logits.

import { activeSettings } from "../controls.js";
import { COLUMNS } from "./columns.js";
import { textQuery, writeAddress } from "./link.js";

/** Describes a session whole. @param {import("./session.js").Session} session @returns {State} */
export function describe(session) {
  const { active, facts, controls } = session;
  const { reading } = active;
  const past = session.inspection ?? endOf(active, facts.orders);
  const header = {
    ...textOf(active),
    ...session.switches,
    branch: active.id,
    next_id: session.nextId,
    pointer: session.pointer,
    finished: reading.finished,
    stopped_by: reading.stopped_by,
    stop: session.stop,
    memory: reading.memory,
    model: facts.model,
    timing: active.pass,
    reading: { n_kept: reading.n_kept, n_read: reading.n_read, seconds: reading.seconds },
    cache: {
      ...facts.cache,
      tokens: reading.pass.cache_tokens,
      bytes: reading.pass.bytes,
      bytes_held: reading.bytes_held,
    },
    controls,
    orders: facts.orders,
    distribution: reading.distribution,
    inspect: past?.header ?? null,
    branches: session.texts.filter((text) => text !== active).map(branchOf),
    pieces: session.draftPieces,
    pieces_of: session.draft,
    guess: session.guess,
    word: session.word,
    code: facts.code,
    terms: facts.terms,
    trained_on: facts.trained_on,
    notice: session.notice,
    address: writeAddress(session),
  };
  return { header, arrays: { ...reading.arrays, ...prefixed(past?.arrays) } };
}

/** What a text is: its tokens, and how each came about. @param {import("./text.js").Text} text */
export function textOf({ prompt, seed, chat, ids, nPrompt, joined, logprob, columns, choices }) {
  const steps = /** @type {any} */ ({ how: choices.map(({ how }) => how) });
  for (const name of COLUMNS) steps[name] = columns[name] ?? [];
  return { prompt, seed, chat, ids, n_prompt: nPrompt, joined, logprob, steps };
}

/**
 * What the end of a finished text was drawn from, as nothing follows it.
 * @param {import("./text.js").Text} text
 * @param {Facts["orders"]} orders
 */
function endOf({ ids, nPrompt, columns, choices, reading }, orders) {
  const step = choices.length - 1;
  if (!reading.finished || !reading.distribution || step < 0) return null;
  return {
    header: {
      ...reading.distribution,
      position: ids.length - 1,
      token_id: ids[nPrompt + step],
      pointer: columns.pointer[step],
      forced: columns.forced[step],
      memory: columns.memory[step],
      settings: activeSettings(choices[step].controls, orders),
    },
    arrays: reading.arrays,
  };
}

function prefixed(arrays = {}) {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [`inspect_${name}`, array]));
}

/** @param {import("./text.js").Text} text */
function branchOf(text) {
  const { id, ids, joined, logprob } = text;
  return { id, ids, joined, logprob, query: textQuery(/** @type {any} */ (textOf(text))) };
}
