// The engine behind the model's thread, the twin of pages/home/texts.py: of the texts that are here, the one
// that begins most like a request is stepped, cropped or forked, and what is missing is read.

import { NO_MEMORY } from "../../frame/live/memory.js";
import { activeSettings } from "../live/controls.js";
import { COLUMNS } from "../live/session/columns.js";
import { Generation } from "./generation.js";
import { scoreWord, weighGuess } from "./guess.js";
import { last } from "../../frame/live/required.js";
import { Sentence } from "../../frame/live/errors.js";

const MAX_TEXTS = 8;
const MIN_COMMON = 2; // tokens: with which most texts begin says nothing
const MAX_STEP_MS = 3000; // that "+20 tokens" may keep the page waiting

export class Texts {
  /** The longest idle first. @type {Map<number, Generation>} */
  byNumber = new Map();

  /**
   * @param {import("./llama.js").Llama} model
   * @param {import("./tokenizer.js").Tokenizer} tokenizer
   * @param {Facts} facts
   */
  constructor(model, tokenizer, facts) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.facts = facts;
  }

  /** @param {string} text */
  tokenise(text) {
    const ids = this.tokenizer.encode(text);
    return { ids, pieces: this.tokenizer.pieces(ids).map(pieceOf) };
  }

  /** @param {TextRequest} asked */
  read(asked) {
    return this.step(asked, { token_id: null, count: 0, next_seed: asked.seed });
  }

  /** @param {TextRequest} asked @param {StepRequest} how @returns {Reading} */
  step(asked, { token_id: tokenId, count, next_seed: nextSeed }) {
    const { text, nKept } = this.find(asked);
    let nRead = text.cache.length - nKept;
    let seconds = nRead > 0 ? last(text.passes).seconds : 0;
    const settings = activeSettings(asked.controls, this.facts.orders);
    const begun = performance.now();
    text.seed = asked.seed;
    /** @type {GenerationStep[]} */
    const steps = [];
    while (steps.length < count && !text.finished && performance.now() - begun <= MAX_STEP_MS) {
      steps.push(text.step(settings, tokenId));
      if (text.finished) break;
      nRead += 1;
      seconds += last(text.passes).seconds;
    }
    text.seed = nextSeed;
    const { pointer } = text;
    const pass = last(text.passes);
    return {
      rows: columnsOf(steps),
      joined: joined(this.tokenizer, text.ids),
      next_id: text.finished ? null : text.drawn(settings, pointer),
      finished: text.finished,
      stopped_by: text.stoppedBy,
      memory: text.memory,
      pass: passOf(pass),
      bytes_held: text.cache.bytesHeld,
      n_kept: nKept,
      n_read: nRead,
      seconds,
      distribution: this.described,
      notice: null,
      text: this.tokenizer.textOf(text.ids),
      arrays: { logits: text.logits },
    };
  }

  /** @param {TextRequest} asked @param {number} position */
  logitsAt(asked, position) {
    if (!(position >= 0 && position < asked.ids.length))
      throw new Sentence("There is no token at that position: choose one of those shown.");
    if (position === 0)
      throw new Sentence("Nothing stands before the first token, so nothing predicted it.");
    return { described: this.described, arrays: { logits: this.find(asked).text.logitsAt(position) } };
  }

  /** @param {TextRequest} asked @param {string} guess */
  weigh(asked, guess) {
    return weighGuess(this.find(asked).text, this.tokenizer, guess.trim());
  }

  /**
   * A word with the log-probability of each of its tokens at a position.
   * @param {TextRequest} asked
   * @param {string} word
   * @param {number} position
   */
  score(asked, word, position) {
    if (!(position >= 1 && position <= asked.ids.length))
      throw new Sentence("The text has no such position: choose one of those shown.");
    const text = this.find(asked).text.fork();
    text.turnTo(asked.ids.slice(0, position), Math.min(asked.n_prompt, position), NO_MEMORY);
    return scoreWord(text, this.tokenizer, word.trim());
  }

  get described() {
    return { n_vocab: this.facts.model.vocab_size, n_unsent: 0 };
  }

  /**
   * A text with the ids of a request, and how many positions were in its cache.
   * @param {TextRequest} asked
   */
  find({ number, ids, n_prompt: nPrompt, memory, seed, stop }) {
    const own = this.byNumber.get(number);
    const others = [...this.byNumber.values()].filter((text) => text !== own);
    let [best, most] = [own, own ? own.nCommon(ids) : 0];
    for (const text of others) if (text.nCommon(ids) > most) [best, most] = [text, text.nCommon(ids)];
    let [text, nKept] = [best, 0];
    if (text === undefined || most < Math.min(MIN_COMMON, ids.length))
      text = new Generation(this.model, ids, seed, { nPrompt, memory }, {
        stop,
        bytesOf: (id) => this.tokenizer.bytesById.get(id) ?? [],
      });
    else {
      if (text !== own) text = text.fork();
      text.stop = stop;
      nKept = text.turnTo(ids, nPrompt, memory);
    }
    this.byNumber.delete(number);
    this.byNumber.set(number, text);
    const [oldest] = this.byNumber.keys();
    if (this.byNumber.size > MAX_TEXTS) this.byNumber.delete(oldest);
    return { text, nKept };
  }
}

/** @param {GenerationStep[]} steps */
function columnsOf(steps) {
  const names = /** @type {(keyof GenerationStep)[]} */ ([...COLUMNS, "memory"]);
  const columns = names.map((name) => [name, steps.map((step) => step[name])]);
  return {
    ...Object.fromEntries(columns),
    id: steps.map(({ token_id: id }) => id),
    bytes: steps.map(({ cache_bytes: bytes }) => bytes),
  };
}

/** @param {GenerationPass} pass */
function passOf({ phase, n_input, cache_tokens, cache_bytes: bytes, seconds, is_shared }) {
  return { phase, n_input, cache_tokens, bytes, seconds, is_shared };
}

/**
 * By position, the characters that are complete only with that token.
 * @param {import("./tokenizer.js").Tokenizer} tokenizer
 * @param {number[]} ids
 */
function joined(tokenizer, ids) {
  /** @param {number} id */
  const isUnfinished = (id) => tokenizer.labels[id].includes("<0x");
  if (!ids.some(isUnfinished)) return {};
  return Object.fromEntries(
    tokenizer.pieces(ids).flatMap(({ id, joined }, position) =>
      joined !== "" && isUnfinished(id) ? [/** @type {const} */ ([position, joined])] : []
    ),
  );
}

/** @param {TokenPiece} piece */
function pieceOf({ id, label, bytes, joined, special }) {
  const data = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return { id, label, bytes: data, joined, special };
}
