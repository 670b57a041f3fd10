// Runs the modules of the model in the page outside of a browser: a call a line in, an answer a line out.

import { Generation } from "../../pages/home/in_page/generation.js";
import { KVCache } from "../../pages/home/in_page/kv_cache.js";
import { Llama } from "../../pages/home/in_page/llama.js";
import { uniformAt } from "../../pages/frame/live/pointer.js";
import { readLink, textQuery } from "../../pages/home/live/session/link.js";
import { completedBy, readStrings, writeStrings } from "../../pages/frame/live/stopping.js";
import { readSafetensors } from "../../pages/home/in_page/safetensors.js";
import { keepBranches } from "../../pages/home/live/session/tab_record.js";
import { fileOf } from "../../pages/home/live/session/saving.js";
import { Session } from "../../pages/home/live/session/session.js";
import { ServerEngine } from "../../pages/home/live/engines/server.js";
import { createDistribution, NEUTRAL_SETTINGS } from "../../pages/frame/live/masks.js";
import { NO_MEMORY } from "../../pages/frame/live/memory.js";
import { logprobsJson, wordFacts } from "../../pages/home/live/figures/word_facts.js";
import { RecordingEngine } from "../../pages/home/live/engines/recording.js";
import { numberTyped } from "../../pages/frame/live/typed.js";
import { _, fetchWords, listed, ngettext, numeral } from "../../pages/frame/live/words.js";
import { readSeed } from "../../pages/home/in_page/seed_field.js";
import { Texts } from "../../pages/home/in_page/texts.js";
import { Tokenizer } from "../../pages/home/in_page/tokenizer.js";

const speak = (spoken) =>
  fetchWords(spoken ? `data:application/json,${encodeURIComponent(JSON.stringify(spoken))}` : "");

const seedOrRefusal = (text) => {
  try {
    return readSeed(facts, text);
  } catch (error) {
    return error.message;
  }
};

/** The tab's own memory, of a page that was loaded again. */
const TAB = {
  stored: null,
  getItem: () => TAB.stored,
  setItem: (_name, text) => TAB.stored = text,
  removeItem: () => TAB.stored = null,
};
Object.defineProperty(globalThis, "sessionStorage", { value: TAB });
globalThis.location = /** @type {any} */ ({ search: "", pathname: "/" });
performance.getEntriesByType = () => /** @type {any} */ ([{ type: "reload" }]);

const folder = `${Deno.args[0]}/`;
const config = JSON.parse(Deno.readTextFileSync(`${folder}config.json`));
const weights = readSafetensors(Deno.readFileSync(`${folder}model.safetensors`));
const model = new Llama(config, weights);
let tokenizer = null;
let facts = null;
/** Settings of no mask, in the order of transformers. */
const neutral = () => ({ ...NEUTRAL_SETTINGS, order: facts.orders.transformers });
let session = null;

/** The model here, asked as its thread in a page is. @implements {Engine} */
class HereEngine {
  constructor() {
    this.texts = new Texts(model, tokenizer, facts);
    for (const name of ["tokenise", "read", "step", "logitsAt", "weigh", "score"])
      this[name] = (...said) => new Promise((resolve) => resolve(this.texts[name](...said)));
  }

  open() {
    return Promise.resolve(facts);
  }
}

/** Whoever started this script: a request a line out, an answer a line in. */
class OutsideEngine extends ServerEngine {
  async ask(request) {
    console.log(JSON.stringify({ ask: request }));
    const { header, arrays, refusal } = JSON.parse((await lines.next()).value);
    if (refusal !== undefined) throw new RangeError(refusal);
    return {
      ...header,
      arrays: Object.fromEntries(Object.entries(arrays).map(([name, text]) => [name, numbers(text)])),
    };
  }
}

function numbers({ dtype, data }) {
  const { buffer } = Uint8Array.fromBase64(data);
  return dtype === "i4" ? new Int32Array(buffer) : new Float32Array(buffer);
}

function stateOf({ header, arrays }) {
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
  /** What is said in a language; English is spoken again afterwards. */
  async words({ spoken, numbers, texts, typed }) {
    await speak(spoken);
    const counted = numbers.map((n) => ngettext("{n} token", "{n} tokens", n));
    const written = texts.map(numeral);
    const told = {
      counted,
      written,
      typed: typed.map(numberTyped),
      seeds: typed.map(seedOrRefusal),
      listed: listed(["a", "b"]),
      said: _("It is {what}.", { what: "{x}" }),
    };
    await fetchWords("");
    return told;
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
    const drawn = { ...neutral(), ...settings };
    for (let i = 0; i < n && !text.finished; i++) {
      if (withLogits) logits.push(bytesOf(text.logits));
      text.step(drawn, forced?.[i] ?? null);
    }
    return { ids: text.ids, steps: text.steps, finished: text.finished, logits, last: bytesOf(text.logits) };
  },
  /** Opens a session by a link, on the model here or on whoever started this script. */
  async open({ query, isOutside, otherModel }) {
    const host = otherModel ? { otherModel: () => otherModel } : {};
    session = new Session(isOutside ? new OutsideEngine() : new HereEngine(), query, host);
    await session.answer({ kind: "state", branch: null });
    await session.doing; // what the tab kept is read again
    return stateOf(session.state);
  },
  async file({ kind }) {
    return { text: await fileOf(session, kind) };
  },
  async answer({ event }) {
    return stateOf(await session.answer(event));
  },
  /** What the session's tab would keep over a reload. */
  kept() {
    keepBranches(session);
    return JSON.parse(TAB.stored);
  },
  /** Makes the next session one that a reload opens, in a tab that kept this. */
  keep({ record }) {
    TAB.stored = JSON.stringify(record);
  },
  /** What the page knows of a word, and what an API would say, on these logits. */
  word({ held, view }) {
    const { n_vocab: nVocab, logits, ids = null, ...tail } = held;
    const [tailCounts, tailLogits, tailVariances] = ["counts", "logits", "variances"]
      .map((name) => tail[`tail_${name}`] ?? null);
    const unpacked = Float32Array.from(logits);
    const distribution = createDistribution({
      nVocab,
      ids,
      logits: unpacked,
      tailCounts,
      tailLogits,
      tailVariances,
    });
    const shown = { toss: 0, memory: NO_MEMORY, ...view, distribution };
    shown.label = (id) => view.labels?.[id] ?? `<id ${id}>`;
    shown.settings = { ...neutral(), ...view.settings };
    return { facts: view.header.word && wordFacts(shown), json: logprobsJson(shown) };
  },
  /** A word by a recording. */
  async recordedWord({ run, text, position }) {
    try {
      return await new RecordingEngine(run).score(/** @type {any} */ ({}), text, position);
    } catch (error) {
      return { refused: error.message };
    }
  },
  /** A link, as it is read by whoever speaks a language; English without one. */
  async readLink({ query, spoken }) {
    await speak(spoken);
    const link = readLink(query, facts);
    await fetchWords("");
    return link;
  },
  /** By number of tokens: the stop string that the last of them completes. */
  completed: ({ strings, tokens }) =>
    tokens.map((_, n) => completedBy(strings, tokens.slice(0, n + 1).reverse())),
  /** Stop strings as a field's lines, and as those are read again. */
  stopLines({ strings }) {
    const lines = writeStrings(strings);
    try {
      return { lines, strings: readStrings(lines) };
    } catch (error) {
      return { lines, refused: error.message };
    }
  },
  lookBack({ ids, position }) {
    return bytesOf(new Generation(model, ids).logitsAt(position));
  },
};

async function* linesOf(stream) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = parts.pop();
    yield* parts;
  }
}

const lines = linesOf(Deno.stdin.readable);
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const { call, ...args } = JSON.parse(line.value);
  console.log(JSON.stringify((await CALLS[call](args)) ?? null));
}
