// The engine of a saved page: it answers as it was written, and refuses everything else.

import { NO_MEMORY } from "../../../frame/live/memory.js";
import { decodePayload } from "../../../frame/live/payload.js";
import { _ } from "../../../frame/live/words.js";

const UNNAMED = _("This recording names no token that is this word: ask for one of those that it shows.");
const REFUSED = _("This is a recording: it goes on only as it was written.");

/** @implements {Engine} */
export class RecordingEngine {
  fixed = REFUSED;

  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    this.positions = run.positions.map(unpack);
  }

  get length() {
    return this.positions.length;
  }

  open() {
    return Promise.resolve(this.run.facts);
  }

  /** @type {Engine["tokenise"]} */
  async tokenise(text) {
    const { prompt, ids, n_prompt: nPrompt, pieces } = this.run;
    if (text !== prompt) throw new RangeError(REFUSED);
    return await { ids: ids.slice(0, nPrompt), pieces };
  }

  /** @type {Engine["read"]} */
  read(text) {
    return this.step(text, { token_id: null, count: 0, next_seed: text.seed });
  }

  /** @type {Engine["step"]} */
  async step({ number, ids }, { token_id: tokenId, count }) {
    const { run, length } = this;
    const begin = ids.length - run.n_prompt;
    const isOther = number > 0 || ids.some((id, i) => id !== run.ids[i]);
    if (isOther || (tokenId !== null && tokenId !== run.ids[ids.length])) throw new RangeError(REFUSED);
    const end = Math.min(begin + count, length);
    const isEnd = end === length;
    const next = Math.min(end, length - 1); // of a run that ended, its last one
    const { described, arrays } = this.positions[next] ?? NOTHING;
    const pass = run.passes[Math.min(end, run.passes.length - 1)];
    return await {
      rows: Object.fromEntries(
        Object.entries(run.rows).map(([name, column]) => [name, column.slice(begin, end)]),
      ),
      joined: run.joined,
      next_id: isEnd ? null : run.ids[run.n_prompt + end],
      finished: isEnd ? run.finished : null,
      stopped_by: isEnd ? run.stopped_by : null,
      memory: run.rows.memory[next] ?? NO_MEMORY,
      pass,
      bytes_held: pass.bytes_held,
      n_kept: pass.cache_tokens - pass.n_input,
      n_read: pass.n_input,
      seconds: pass.seconds,
      distribution: described,
      notice: null,
      controls: run.rows.choice[next]?.controls,
      arrays,
    };
  }

  /** @type {Engine["logitsAt"]} */
  async logitsAt(_text, position) {
    const found = this.positions[position - this.run.n_prompt];
    if (found === undefined) throw new RangeError(REFUSED);
    return await found;
  }

  weigh() {
    return Promise.reject(new RangeError(REFUSED));
  }

  /** A word that is one token, among those that the recording names. @type {Engine["score"]} */
  async score(_text, word, position) {
    const { run } = this;
    const { arrays: { ids, logits } } = await this.logitsAt(_text, Math.min(position, this.end));
    const logitOf = (/** @type {number} */ id) => (ids ? logits[ids.indexOf(id)] : logits[id]) ?? -Infinity;
    const forms = [`␣${word.trim()}`, word.trim()];
    const found = Object.keys(run.labels).map(Number).filter((id) => forms.includes(run.labels[id]));
    if (found.length === 0) throw new RangeError(UNNAMED);
    const [id] = found.sort((a, b) => logitOf(b) - logitOf(a));
    return { text: word.trim(), ids: [id], logprobs: [] };
  }

  /** The last position that a token was drawn for. */
  get end() {
    return this.run.n_prompt + this.length - 1;
  }
}

/** A text without a token has drawn from nothing. */
const NOTHING = { described: null, arrays: {} };

/** @param {string} text @returns {{described: Described, arrays: Arrays}} */
function unpack(text) {
  const { header, arrays } = decodePayload(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  return { described: /** @type {any} */ (header), arrays };
}
