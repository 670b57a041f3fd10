// The engine in the page: a request goes to the model's own thread.

import { _ } from "../../../frame/live/words.js";

/** @implements {Engine} */
export class PageEngine {
  n = 0; // of the request that was sent last
  waiting = new Map(); // {resolve, reject} by number
  /** What a request waits for: no tokens while the model is unpacked. @type {PassProgress|null} */
  reading = null;
  said = () => {}; // is told that `reading` has changed

  /**
   * @param {Worker} worker that runs pages/home/in_page/worker.js
   * @param {{facts: Facts, weights: string}} opening weights: base64 of what deflate made of them, or their address
   */
  constructor(worker, opening) {
    this.worker = worker;
    this.facts = opening.facts;
    worker.onmessage = ({ data }) => this.take(data);
    worker.onerror = ({ message }) => this.fail(message);
    this.tell({ nTokens: 0, share: 0 });
    this.ready = this.send("load", opening);
    this.ready.then(() => this.tell(null), () => {}); // who asks for something hears of it
  }

  /** @param {() => void} said */
  listen(said) {
    this.said = said;
  }

  /** @param {PassProgress|null} reading */
  tell(reading) {
    if (reading === this.reading) return;
    this.reading = reading;
    this.said();
  }

  /** What the page shows of the model is known before its weights are unpacked. */
  open() {
    return Promise.resolve(this.facts);
  }

  /** @type {Engine["tokenise"]} */
  tokenise(text) {
    return this.ask("tokenise", text);
  }

  /** @type {Engine["read"]} */
  read(text) {
    return this.ask("read", text);
  }

  /** @type {Engine["step"]} */
  step(text, how) {
    return this.ask("step", text, how);
  }

  /** @type {Engine["logitsAt"]} */
  logitsAt(text, position) {
    return this.ask("logitsAt", text, position);
  }

  /** @type {Engine["weigh"]} */
  weigh(text, guess) {
    return this.ask("weigh", text, guess);
  }

  /** @type {Engine["score"]} */
  score(text, word, position) {
    return this.ask("score", text, word, position);
  }

  /** Hands a request to the model, once it is there. @type {PageEngine["send"]} */
  async ask(kind, ...said) {
    await this.ready;
    return this.send(kind, ...said);
  }

  /** @param {string} kind @param {...unknown} said @returns {Promise<any>} */
  send(kind, ...said) {
    const n = this.n++;
    return new Promise((resolve, reject) => {
      this.waiting.set(n, { resolve, reject });
      this.worker.postMessage({ n, kind, said });
    });
  }

  /** @param {{n: number, answer: unknown, refusal?: { source: string, values?: Record<string, unknown> }, reading?: PassProgress}} told */
  take({ n, answer, refusal, reading }) {
    if (reading) return this.tell(reading);
    this.tell(null);
    const { resolve, reject } = this.waiting.get(n);
    this.waiting.delete(n);
    if (refusal === undefined) resolve(answer);
    else reject(new RangeError(_(refusal.source, refusal.values)));
  }

  /** @param {string} message */
  fail(message) {
    const error = new Error(
      _("The model in this page stopped ({reason}): load the page again.", { reason: message }),
    );
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.ready = Promise.reject(error);
    this.ready.catch(() => {});
    this.tell(null);
  }

  close() {
    this.worker.terminate();
  }
}
