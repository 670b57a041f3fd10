// Runs the modules of the model in the page outside of a browser: a call a line in, an answer a line out.

import { Generation, NEUTRAL } from "../pages/home/in_page/generation.js";
import { KVCache } from "../pages/home/in_page/kv_cache.js";
import { readLink } from "../pages/home/in_page/link.js";
import { Llama } from "../pages/home/in_page/llama.js";
import { uniformAt } from "../pages/frame/live/pointer.js";
import { textQuery } from "../pages/home/live/link.js";
import { readSafetensors } from "../pages/home/in_page/safetensors.js";
import { Session } from "../pages/home/in_page/session.js";
import { describe } from "../pages/home/in_page/state.js";
import { Tokenizer } from "../pages/home/in_page/tokenizer.js";

const folder = `${Deno.args[0]}/`;
const config = JSON.parse(Deno.readTextFileSync(`${folder}config.json`));
const weights = readSafetensors(Deno.readFileSync(`${folder}model.safetensors`));
const model = new Llama(config, weights);
let tokenizer = null;
let facts = null;
let session = null;

function stateOf() {
  const { header, arrays } = describe(session);
  const packed = Object.entries(arrays).map(([name, array]) => [name, bytesOf(array)]);
  return { header: { ...header, query: textQuery(header) }, arrays: Object.fromEntries(packed) };
}

function bytesOf(array) {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength).toBase64();
}

const CALLS = {
  know(told) {
    facts = told.facts;
    tokenizer = new Tokenizer(facts.tokenizer, facts.labels);
  },
  encode({ text }) {
    try {
      return { ids: tokenizer.encode(text) };
    } catch (error) {
      return { refused: error.message };
    }
  },
  pieces({ ids }) {
    return { pieces: tokenizer.pieces(ids), text: tokenizer.textOf(ids) };
  },
  pointers({ pairs }) {
    return pairs.map(([seed, position]) => uniformAt(seed, position));
  },
  /** The logits after some tokens, under a config that differs from the shipped one. */
  logits({ ids, changed }) {
    const other = { ...config, ...changed };
    return bytesOf(new Llama(other, weights).forward(ids, new KVCache(other)));
  },
  /** What becomes of a text: each action's name and argument, and the logits after each. */
  acts({ ids, seed, acts }) {
    let text = new Generation(model, ids, seed);
    const parked = [];
    const seen = [];
    for (const [act, argument] of acts) {
      if (act === "step" && !text.finished) text.step(undefined, argument);
      if (act === "rewind") text.rewind(Math.min(argument, text.steps.length));
      if (act === "fork") {
        parked.push(text);
        text = text.fork();
      }
      if (act === "back to" && parked.length > 0) text = parked[argument % parked.length];
      const { length, bytes, bytesHeld } = text.cache;
      seen.push({ ids: [...text.ids], logits: bytesOf(text.logits), cache: [length, bytes, bytesHeld] });
    }
    return seen;
  },
  /** Writes a text: settings of each token, and the forced ones by their place. */
  write({ ids, seed, settings, n, forced, withLogits, changed }) {
    const text = new Generation(new Llama({ ...config, ...changed }, weights), ids, seed);
    const logits = [];
    const drawn = { ...NEUTRAL, ...settings };
    for (let i = 0; i < n && !text.finished; i++) {
      if (withLogits) logits.push(bytesOf(text.logits));
      text.step(drawn, forced?.[i] ?? null);
    }
    return { ids: text.ids, steps: text.steps, finished: text.finished, logits, last: bytesOf(text.logits) };
  },
  /** Opens a session by a link. */
  open({ query }) {
    session = new Session(model, tokenizer, facts, readLink(query, facts));
    return stateOf();
  },
  answer({ event }) {
    session.handle(event);
    return stateOf();
  },
  readLink: ({ query }) => readLink(query, facts),
  lookBack({ ids, position }) {
    return bytesOf(new Generation(model, ids).logitsAt(position));
  },
};

const decoder = new TextDecoder();
let text = "";
for await (const chunk of Deno.stdin.readable) {
  text += decoder.decode(chunk, { stream: true });
  const lines = text.split("\n");
  text = lines.pop();
  for (const line of lines) {
    const { call, ...args } = JSON.parse(line);
    console.log(JSON.stringify(CALLS[call](args) ?? null));
  }
}
