// One text of a reader: its tokens, how each came about, what was taken back, and what the engine said of
// it last. It asks nobody anything, and every change of it is one assignment or none.

import { memoryAfter, NO_MEMORY } from "../../../frame/live/memory.js";
import { required } from "../../../frame/live/required.js";

/** Columns that say which pass made the distribution of a token. */
export const OF_PASS = ["phase", "n_input", "cache_tokens", "bytes", "seconds", "is_shared"];

export class Text {
  /** By generated token. @type {Choice[]} */
  choices = [];
  /** Choices that were taken back, the next to replay last. @type {Choice[]} */
  undone = [];
  /** By name, a list with an entry for each generated token. @type {Record<string, any[]>} */
  columns = {};
  /** By position, the characters that are complete only with that token. @type {Record<string, string>} */
  joined = {};
  /** @type {Reading|null} */
  #reading = null;
  /** @type {PassColumns|null} */
  #pass = null;
  /** The controls and the seed that `reading.next_id` holds for. */
  readFor = "";

  /**
   * @param {{id: number, prompt: string, seed: number, chat: boolean}} about seed: of the pointers to come
   * @param {number[]} ids
   * @param {number} nPrompt how many of them are the prompt's
   */
  constructor({ id, prompt, seed, chat }, ids, nPrompt = ids.length) {
    this.id = id;
    this.prompt = prompt;
    this.seed = seed;
    this.chat = chat;
    this.ids = ids;
    this.nPrompt = nPrompt;
  }

  /** What the engine said of it last. */
  get reading() {
    return required(this.#reading, "answer for this text yet");
  }

  /** The pass that made the distribution of the next token. @returns {PassColumns} */
  get pass() {
    return required(this.#pass, "pass over this text yet");
  }

  set pass(pass) {
    this.#pass = pass;
  }

  /**
   * A copy that keeps the first generated tokens, with a number and pointers of its own.
   * @param {number} id
   * @param {number} seed
   * @param {number} nKept
   */
  copy(id, seed, nKept) {
    const { prompt, chat, ids, nPrompt } = this;
    const twin = new Text({ id, prompt, seed, chat }, ids.slice(0, nPrompt + nKept), nPrompt);
    twin.choices = this.choices.slice(0, nKept);
    for (const [name, column] of Object.entries(this.columns)) twin.columns[name] = column.slice(0, nKept);
    twin.joined = joinedBefore(this.joined, nPrompt + nKept);
    twin.pass = this.passBefore(nKept);
    return twin;
  }

  /**
   * Takes what an engine answered of the text as it stands.
   * @param {Reading} reading
   * @param {string} readFor
   */
  adopt(reading, readFor) {
    this.#reading = reading;
    this.readFor = readFor;
    this.#pass ??= reading.pass;
    Object.assign(this.joined, reading.joined);
  }

  /**
   * Appends what an engine wrote, each token with how it came about.
   * @param {Reading} reading
   * @param {Choice[]} choices
   * @param {string} readFor
   */
  append(reading, choices, readFor) {
    const { choice: _, ...rows } = reading.rows;
    for (const [name, column] of Object.entries(rows))
      this.columns[name] = (this.columns[name] ?? []).concat(column);
    this.ids = this.ids.concat(rows.id);
    this.choices = this.choices.concat(choices);
    this.#pass = null;
    this.adopt(reading, readFor);
  }

  /** Takes the last tokens back; they may be replayed. @param {number} nTokens */
  takeBack(nTokens) {
    const nKept = this.choices.length - nTokens;
    this.pass = this.passBefore(nKept);
    this.undone = this.undone.concat(this.choices.slice(nKept).reverse());
    this.choices = this.choices.slice(0, nKept);
    this.ids = this.ids.slice(0, this.nPrompt + nKept);
    for (const [name, column] of Object.entries(this.columns)) this.columns[name] = column.slice(0, nKept);
    this.joined = joinedBefore(this.joined, this.ids.length);
  }

  /**
   * The pass that made the distribution of a generated token, or of the next one.
   * @param {number} step
   * @returns {any}
   */
  passBefore(step) {
    if (step === this.choices.length) return this.pass;
    return Object.fromEntries(OF_PASS.map((name) => [name, this.columns[name][step]]));
  }

  /**
   * What mirostat remembers after so many generated tokens; one that was forced teaches it nothing.
   * @param {number} nKept
   */
  memoryAfter(nKept) {
    if (nKept === 0) return NO_MEMORY;
    const { memory, forced, chosen_prob: prob } = this.columns;
    return forced[nKept - 1] ? memory[nKept - 1] : memoryAfter(memory[nKept - 1], prob[nKept - 1]);
  }

  /** Of what was generated, in nats, at temperature 1. */
  get logprob() {
    return (this.columns.logprob ?? []).reduce((sum, logprob) => sum + logprob, 0);
  }

  get finished() {
    return this.#reading?.finished ?? null;
  }
}

/** @param {Record<string, string>} joined @param {number} end */
function joinedBefore(joined, end) {
  return Object.fromEntries(Object.entries(joined).filter(([position]) => Number(position) < end));
}
