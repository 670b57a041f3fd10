// The engine on the server: a request is a POST to the address of the tab's ticket. It says all that it is
// about, so it may be sent again, after a restart or to another copy of the server, and brings the same.

import { decodePayload } from "../../../frame/live/payload.js";
import { _, languageTag } from "../../../frame/live/words.js";

const LATE_MS = 6000; // without an answer: the person is told, and it is asked again
const FILE_MS = 600_000; // the same, of a file
const PAUSES_MS = [200, 500, 1000, 2000]; // before it is sent again if the connection failed

const LATE = _("No answer for a while: the server is busy, or the connection is lost. It is asked again.");
const LOST = _("The connection to the server is lost. What you pressed is kept, and sent once it is back.");
const UNKNOWN = _("The server has begun anew. If this stays, load the page again.");
const BUSY = _("The server is busy. It is asked again.");

/** @implements {Engine} */
export class ServerEngine {
  /** @type {string|null} */
  trouble = null;
  address = ""; // with the ticket, as Streamlit said last
  cancelled = new AbortController();
  wake = () => {}; // ends a pause
  giveUp = () => {}; // ends a try
  said = () => {}; // is told that `trouble` has changed

  constructor() {
    const { signal } = (this.closed = new AbortController());
    globalThis.addEventListener?.("online", () => this.retry(), { signal });
  }

  /** @param {() => void} said */
  listen(said) {
    this.said = said;
  }

  /** Takes the address that Streamlit says. @param {string} address */
  connect(address) {
    if (address === this.address) return;
    this.address = address;
    this.retry();
  }

  /** @returns {Promise<Facts>} */
  open() {
    return this.ask({ kind: "open" });
  }

  /** @type {Engine["tokenise"]} */
  tokenise(text, chat, ids) {
    return this.ask({ kind: "tokenise", text, chat, ids });
  }

  /** @type {Engine["read"]} */
  read(text) {
    return this.ask({ kind: "read", ...text });
  }

  /** @type {Engine["step"]} */
  step(text, how) {
    return this.ask({ kind: "step", ...text, ...how });
  }

  /** @type {Engine["logitsAt"]} */
  async logitsAt(text, position) {
    const { arrays, ...described } = await this.ask({ kind: "logitsAt", ...text, position });
    return { described, arrays };
  }

  /** @type {Engine["weigh"]} */
  async weigh(text, guess) {
    const { arrays: _, ...weighed } = await this.ask({ kind: "weigh", ...text, text: guess });
    return weighed;
  }

  /** @type {Engine["score"]} */
  async score(text, word, position) {
    const { arrays: _, ...scored } = await this.ask({ kind: "score", ...text, text: word, position });
    return scored;
  }

  /**
   * The run as a file: its tokens are read again, for what each was drawn from.
   * @type {NonNullable<Engine["file"]>}
   */
  async file(text, run) {
    return (await this.ask({ kind: "file", ...text, ...run }, FILE_MS)).text;
  }

  /**
   * Asks until there is an answer.
   * @param {Record<string, unknown>} request
   * @returns {Promise<any>} its fields, and its arrays
   */
  async ask(request, patience = LATE_MS) {
    this.cancelled = new AbortController();
    const body = JSON.stringify(request);
    try {
      for (let n = 0;; n += 1) {
        const answer = await this.tryOnce(body, patience);
        if (typeof answer !== "string") {
          const { header, arrays } = decodePayload(answer);
          const { refusal } = /** @type {any} */ (header);
          if (refusal !== undefined) throw new RangeError(refusal);
          return { ...header, arrays };
        }
        this.say(answer);
        if (answer !== LATE) await this.pause(PAUSES_MS[Math.min(n, PAUSES_MS.length - 1)]);
      }
    } finally {
      this.say(null);
    }
  }

  /**
   * Sends it once.
   * @param {string} body
   * @param {number} patience in milliseconds
   * @returns {Promise<Uint8Array|string>} the answer, or why there is none
   */
  async tryOnce(body, patience) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patience);
    const signal = AbortSignal.any([late.signal, this.cancelled.signal]);
    this.giveUp = () => late.abort();
    try {
      const headers = { "Accept-Language": languageTag() };
      const response = await fetch(this.address, { method: "POST", headers, body, signal });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      if (response.status === 400 || response.status === 413)
        throw new RangeError((await response.json()).error);
      await response.text(); // what nobody reads keeps its connection
      if (response.status === 403) return UNKNOWN; // until Streamlit says another address
      return response.status === 429 ? BUSY : LOST; // a proxy's word for it
    } catch (error) {
      if (this.cancelled.signal.aborted) throw this.cancelled.signal.reason;
      if (late.signal.aborted) return LATE;
      if (error instanceof TypeError) return LOST;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string|null} trouble */
  say(trouble) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.said();
  }

  /** Waits, until there is reason not to. @param {number} ms @returns {Promise<void>} */
  pause(ms) {
    const { signal } = this.cancelled;
    return new Promise((resolve, reject) => {
      setTimeout(resolve, ms);
      this.wake = resolve;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  /** Tries at once what it would try later. */
  retry() {
    this.wake();
    this.giveUp();
  }

  cancel() {
    this.cancelled.abort();
  }

  close() {
    this.cancel();
    this.closed.abort();
  }
}
