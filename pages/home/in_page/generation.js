// One text being written, back and forth: the twin of model/generation.py, with the page's own masks.
// Ids are the state; the cache holds what the model has read; the pointer depends on seed and position.

import { createDistribution, drawToken, NEUTRAL_SETTINGS, processLogits } from "../../frame/live/masks.js";
import { memoryAfter, memoryUnder, NO_MEMORY } from "../../frame/live/memory.js";
import { KVCache } from "./kv_cache.js";
import { last, required } from "../../frame/live/required.js";
import { uniformAt } from "../../frame/live/pointer.js";
import { completedBy } from "../../frame/live/stopping.js";
import { Sentence } from "../../frame/live/errors.js";

/** Of no mask, whose order says nothing. @type {Settings} */
const NEUTRAL = { ...NEUTRAL_SETTINGS, order: [] };

/** One text: prompt and generated tokens, what was read of them, and how each token came about. */
export class Generation {
  /** One record per generated token. @type {GenerationStep[]} */
  steps = [];
  /** One for each token, drawn or to be drawn. @type {GenerationPass[]} */
  passes = [];
  /** What the newest pass ended in, (vocab,). @type {Float32Array} */
  logits = new Float32Array();
  /** @type {Distribution|null} */
  distribution = null;
  /**
   * "eos" after an end token, "stop" after a stop string, "length" where there is no room.
   * @type {Finish|null}
   */
  finished = null;

  /**
   * Takes a prompt and reads it: the prefill runs here.
   * @param {import("./llama.js").Llama} model
   * @param {number[]} ids
   * @param {number} seed
   * @param {{nPrompt?: number, memory?: Memory}} earlier if some of the ids were generated earlier: how many
   *   are the prompt's, and what mirostat remembers of the others
   * @param {{stop?: string[], bytesOf?: (id: number) => number[]}} end strings that end the text, and the bytes
   *   of a token, by which they are found
   */
  constructor(model, ids, seed = 0, { nPrompt = ids.length, memory = NO_MEMORY } = {}, end = {}) {
    this.model = model;
    this.ids = [...ids];
    this.nPrompt = nPrompt;
    this.earlierMemory = memory;
    this.seed = seed;
    this.stop = end.stop ?? [];
    this.bytesOf = end.bytesOf;
    this.cache = new KVCache(model.config);
    this.finished = this.reasonToStop();
    this.passes.push(this.read());
  }

  /**
   * Writes one token: the one that the pointer meets under these settings, or the one that is forced.
   * @param {Settings} settings
   * @param {number|null} forcedId
   */
  step(settings = NEUTRAL, forcedId = null) {
    if (this.finished) throw new Sentence("The text is finished: go back, or start a new one.");

    // Cut: turn the raw logits, stage by stage, into the distribution to draw from
    const result = this.process(settings, this.pointer);

    // Draw: take the token that the pointer meets, unless the reader forces one
    const chosenId = forcedId ?? idAt(result, this.pointer);

    // Append: the text grows by that token, on record with all that it was drawn from
    this.steps.push(this.record(result, settings, chosenId, forcedId !== null));
    this.ids.push(chosenId);

    // Stop: after an end token or a stop string, or where there is no room for another
    this.finished = this.reasonToStop();

    // Read: the new token alone, as all before it is in the cache
    if (!this.finished) {
      // Score: the pass ends in a logit for every token of the vocabulary
      this.passes.push(this.read());
    }
    return last(this.steps);
  }

  /**
   * Takes the last tokens back: the cache is cropped, and the last token that remains is run again.
   * @param {number} nTokens
   */
  rewind(nTokens) {
    if (nTokens === 0) return;
    this.ids.length -= nTokens;
    this.steps.length -= nTokens;
    this.finished = this.reasonToStop();
    this.cache.crop(this.ids.length - 1);
    this.read();
    this.passes.length = this.steps.length + 1;
  }

  /**
   * Makes this the text with these ids; of what was read, their common beginning stays.
   * @param {number[]} ids
   * @param {number} nPrompt
   * @param {Memory} memory
   * @returns {number} the positions that stayed in the cache; the newest pass read the others
   */
  turnTo(ids, nPrompt, memory) {
    const [nRead, nCommon] = [this.cache.length, this.nCommon(ids)];
    Object.assign(this, { ids: [...ids], nPrompt, earlierMemory: memory, steps: [] });
    this.finished = this.reasonToStop();
    this.passes = this.passes.slice(-1);
    let nKept = nRead;
    if (nCommon < nRead || nRead !== this.nToRead) {
      // the last token has to be read again for its logits
      nKept = Math.min(nCommon, this.nToRead - 1);
      this.cache.crop(nKept);
      this.passes = [this.read()];
    }
    // a token of the prompt is prefill, were it but one
    if (this.nToRead <= nPrompt) this.passes = [{ ...this.passes[0], phase: "prefill" }];
    return nKept;
  }

  /** Positions in the cache that other ids begin with. @param {number[]} ids */
  nCommon(ids) {
    const n = Math.min(this.cache.length, ids.length);
    for (let i = 0; i < n; i++) if (this.ids[i] !== ids[i]) return i;
    return n;
  }

  /** Tokens of the text that a pass reads: no pass runs after the end of a generated text. */
  get nToRead() {
    return this.finished && this.ids.length > this.nPrompt ? this.ids.length - 1 : this.ids.length;
  }

  /** An independent copy. */
  fork() {
    /** @type {Generation} */
    const twin = Object.assign(Object.create(Generation.prototype), this);
    const { ids, steps, passes } = this;
    return Object.assign(twin, {
      cache: this.cache.fork(),
      ids: [...ids],
      steps: [...steps],
      passes: [...passes],
    });
  }

  /**
   * The logits for any position after the first: one pass on a copy of what was read before it.
   * @param {number} position
   */
  logitsAt(position) {
    const cache = this.cache.fork();
    cache.crop(position - 1);
    return this.model.forward([this.ids[position - 1]], cache);
  }

  /** What the settings make of the logits. @param {Settings} settings @param {number} pointer */
  process(settings, pointer) {
    const distribution = required(this.distribution, "pass over this text yet");
    return processLogits(distribution, this.ids, this.nPrompt, settings, pointer, this.memory);
  }

  /** The id that a pointer would meet. @param {Settings} settings @param {number} pointer */
  drawn(settings, pointer) {
    return idAt(this.process(settings, pointer), pointer);
  }

  /** What mirostat remembers of the text; a token that was forced teaches it nothing. @returns {Memory} */
  get memory() {
    const step = this.steps.at(-1);
    if (step === undefined) return this.earlierMemory;
    return step.forced ? step.memory : memoryAfter(step.memory, step.chosen_prob);
  }

  /** Where the pointer stands for the next position, in [0, 1). */
  get pointer() {
    return uniformAt(this.seed, this.ids.length);
  }

  /** Lets the model read what it has not read of the text: all of it, or its last token. */
  read() {
    const unread = this.ids.slice(this.cache.length, this.nToRead);
    const isOne = this.cache.length > 0 && unread.length === 1;
    const phase = /** @type {Phase} */ (isOne ? "decode" : "prefill");
    const begun = performance.now();
    this.logits = this.model.forward(unread, this.cache);
    const seconds = (performance.now() - begun) / 1000;
    this.distribution = createDistribution({ nVocab: this.logits.length, logits: this.logits, ...ALL_HELD });
    return {
      phase,
      seconds,
      n_input: unread.length,
      cache_tokens: this.cache.length,
      cache_bytes: this.cache.bytes,
      bytes_held: this.cache.bytesHeld,
      is_shared: false,
    };
  }

  /**
   * Writes down a token with what it was drawn from.
   * @param {Result} result
   * @param {Settings} settings
   * @param {number} id
   * @param {boolean} forced
   */
  record({ stages, rowOf, idOf }, settings, id, forced) {
    const [raw, drawnFrom, row] = [stages[0], last(stages), rowOf(id)];
    /** @param {string} name */
    const isStage = (name) => stages.some((stage) => stage.name === name);
    return {
      token_id: id,
      // of the logits: the probability itself may underflow
      logprob: raw.scores[row] - raw.scores[0] + Math.log(raw.probs[0]),
      prob: raw.probs[row],
      rank: row,
      entropy: raw.entropy,
      chosen_prob: drawnFrom.probs[row],
      memory: memoryUnder(this.memory, isStage("mirostat") ? settings.mirostat : 0),
      pointer: this.pointer,
      forced,
      top_id: idOf(0),
      top_prob: raw.probs[0],
      ...last(this.passes),
    };
  }

  /** The stop string that the last token completes. @returns {string|null} */
  get stoppedBy() {
    return completedBy(this.stop, this.newestFirst());
  }

  *newestFirst() {
    const bytesOf = required(this.bytesOf, "way from a token to its bytes");
    for (let i = this.ids.length - 1; i >= this.nPrompt; i--) yield bytesOf(this.ids[i]);
  }

  /** Why no token can follow; an end token in the prompt ends nothing. */
  reasonToStop() {
    const { eos_token_id: end, max_position_embeddings: room } = this.model.config;
    if (this.ids.length > this.nPrompt && this.ids.at(-1) === end) return "eos";
    if (this.stoppedBy !== null) return "stop";
    return this.ids.length >= room ? "length" : null;
  }
}

/** All logits are here, so every pointer meets a token. @param {Result} result @param {number} pointer */
function idAt(result, pointer) {
  return required(drawToken(result, pointer), "token under the pointer").id;
}

const ALL_HELD = { ids: null, tailCounts: null, tailLogits: null, tailVariances: null };
