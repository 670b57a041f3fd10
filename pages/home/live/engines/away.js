// The server's engine, and the model in the page while the server does not answer: ids and pointers are the
// same. The page says so in one line, and returns by itself.

import { required } from "../../../frame/live/required.js";
import { PageEngine } from "./page.js";
import { _ } from "../../../frame/live/words.js";

const AWAY_MS = 2000; // without an answer of the server
const LOOK_EVERY_MS = 3000; // whether the server is back
const IDLE_MS = 10_000; // after which the model is fetched, once

const AWAY = _("The server does not answer: until it is back, the model runs in this page.");

/** @implements {Engine} */
export class AwayEngine {
  /** @type {Promise<PageEngine>|null} */
  page = null;
  /** @type {Record<"worker"|"facts"|"weights", string>|null} */
  files = null;
  isPlanned = false; // the model is to be fetched
  isHere = false; // the page's model is loaded
  /** @type {PageEngine|null} */
  here = null; // while it is loaded, too
  isAway = false; // the server did not answer last
  lookedAt = 0;
  said = () => {}; // is told that `trouble` has changed

  /**
   * @param {import("./server.js").ServerEngine} server
   * @param {{isAsked: boolean}} how isAsked: the page's model is wanted from the start
   */
  constructor(server, { isAsked }) {
    this.server = server;
    this.isAsked = isAsked;
  }

  /** Takes where the page's model lies; null if it can run none. @param {AwayEngine["files"]} files */
  connect(files) {
    this.files = files;
  }

  get trouble() {
    return this.isAway ? AWAY : this.server.trouble;
  }

  get reading() {
    return this.isAway || this.isAsked ? this.here?.reading ?? null : null;
  }

  /** @param {() => void} said */
  listen(said) {
    this.said = said;
    this.server.listen(said);
  }

  open() {
    return this.server.open();
  }

  /** @type {Engine["tokenise"]} */
  tokenise(text, chat, ids) {
    return this.ask((engine) => engine.tokenise(text, chat, ids));
  }

  /** @type {Engine["read"]} */
  read(text) {
    return this.ask((engine) => engine.read(text));
  }

  /** @type {Engine["step"]} */
  step(text, how) {
    if (!this.isPlanned) this.planFetch();
    return this.ask((engine) => engine.step(text, how));
  }

  /** @type {Engine["logitsAt"]} */
  logitsAt(text, position) {
    return this.ask((engine) => engine.logitsAt(text, position));
  }

  /** @type {Engine["weigh"]} */
  weigh(text, guess) {
    return this.ask((engine) => engine.weigh(text, guess));
  }

  /** @type {Engine["score"]} */
  score(text, word, position) {
    return this.ask((engine) => engine.score(text, word, position));
  }

  /** @type {NonNullable<Engine["file"]>} */
  file(text, run) {
    return this.server.file(text, run);
  }

  /**
   * Asks the server; if it does not answer in time and the page's model is here, that.
   * @template Answer
   * @param {(engine: Engine) => Promise<Answer>} request
   * @returns {Promise<Answer>}
   */
  async ask(request) {
    if (this.isAsked && this.files) return request(await this.load());
    if (this.isAway) {
      if (performance.now() - this.lookedAt < LOOK_EVERY_MS) return request(await this.load());
      this.lookedAt = performance.now();
    }
    const answer = request(this.server);
    /** @type {Promise<typeof LATE>} */
    const late = new Promise((resolve) => setTimeout(resolve, this.isAway ? AWAY_MS / 4 : AWAY_MS, LATE));
    const first = this.isHere ? await Promise.race([answer, late]) : await answer;
    if (first !== LATE) {
      if (this.isAway) this.turn(false);
      return first;
    }
    answer.catch(() => {}); // nobody waits for it
    this.server.cancel();
    this.lookedAt = performance.now();
    if (!this.isAway) this.turn(true);
    return request(await this.load());
  }

  /** @param {boolean} isAway */
  turn(isAway) {
    this.isAway = isAway;
    this.said();
  }

  /** Fetches the model once, in an idle moment, unless the reader saves data. */
  planFetch() {
    const { connection } = /** @type {any} */ (navigator);
    if (this.page !== null || !this.files || connection?.saveData) return;
    this.isPlanned = true;
    setTimeout(() => this.load().catch(() => {}), IDLE_MS);
  }

  load() {
    this.page ??= this.begin();
    return this.page;
  }

  async begin() {
    const at = (/** @type {string} */ address) => new URL(address, document.baseURI).href;
    const files = required(this.files, "model for this page");
    const facts = await (await fetch(at(files.facts))).json();
    const worker = new Worker(at(files.worker), { type: "module" });
    const engine = new PageEngine(worker, { facts, weights: at(files.weights) });
    engine.listen(() => this.said());
    this.here = engine;
    await engine.ready;
    this.isHere = true;
    return engine;
  }

  retry() {
    this.server.retry();
  }

  cancel() {
    this.server.cancel();
  }
}

const LATE = Symbol("the server did not answer in time");
