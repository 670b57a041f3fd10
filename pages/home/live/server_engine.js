// The engine on the server: an event is a POST to the address of the tab's session, and its answer says
// what the page lacks. An event is sent again until it is answered; the server does it once, by its
// number. Where the server has lost the session, Streamlit gives the page another address, and the
// texts that the tab kept are handed back before the event goes on its way.

import { keepBranches, lostBranches } from "./tab_record.js";
import { Whole } from "./whole.js";

const LATE_MS = 6000; // without an answer: the person is told, and the event is sent again
const PAUSES_MS = [200, 500, 1000, 2000]; // before it is sent again where the connection failed
const MOVED = Symbol("the session has another address");

const LATE = "No answer for a while: the server is busy, or the connection is lost. It is asked again.";
const LOST = "The connection to the server is lost. What you pressed is kept, and sent once it is back.";
const AWAY = "The server has begun anew, and takes your texts back. If this stays, load the page again.";
const LOADING = "The server loads the model of your texts.";

export class ServerEngine {
  /** @type {string|null} */
  trouble = null;
  whole = new Whole();
  address = null; // of the session, as Streamlit said last
  met = null; // the address that has answered
  number = -1; // of the newest run of Streamlit's page
  pressedAt = -1; // the run in which it was asked for another
  n = -1; // of the event that was sent last
  cancelled = new AbortController();
  wake = () => {}; // ends a pause
  giveUp = () => {}; // ends a try

  /** @param {() => void} drawAnew asks Streamlit to draw the page around the component anew */
  constructor(drawAnew) {
    this.drawAnew = drawAnew;
    const { signal } = (this.closed = new AbortController());
    globalThis.addEventListener("online", () => this.retry(), { signal });
    globalThis.addEventListener("pagehide", () => this.rest(), { signal });
  }

  listen(page) {
    this.page = page;
  }

  /** Takes what Streamlit says: where the session is, and how often it has drawn the page. */
  connect({ address, number }) {
    if (address === this.address && number === this.number) return;
    const isMoved = address !== this.address;
    Object.assign(this, { address, number });
    if (isMoved) this.pressedAt = -1; // another session counts its runs from the start
    this.wake();
    if (isMoved) this.giveUp();
    this.page.changed();
  }

  /** Does what an event asks. @param {LoopEvent} event @returns {Promise<State>} */
  async answer(event) {
    this.cancelled = new AbortController();
    let n = null; // with which this session knows the event
    try {
      while (true) {
        try {
          if (this.met !== this.address) {
            n = null;
            await this.meet();
            if (event.kind === "state") return this.whole.state;
          }
          if (event.kind !== "state") n ??= ++this.n;
          return await this.post({ ...event, n });
        } catch (reason) {
          if (reason !== MOVED) throw reason;
        }
      }
    } finally {
      this.say(null);
    }
  }

  /** Asks a session that is not known yet what it has, and hands back what it lacks. */
  async meet() {
    const { address } = this;
    if (this.met !== null) keepBranches(this.whole.state.header); // what is on the screen comes back
    this.met = null;
    this.whole = new Whole();
    const { header } = await this.post({ kind: "state" });
    this.n = this.whole.said.ack;
    const record = this.n === -1 ? lostBranches(header) : null;
    if (record !== null) await this.handBack(record);
    this.met = address;
    if (record !== null) this.rest();
  }

  async handBack(record) {
    const { address, number } = this;
    await this.post({ kind: "restore", record, n: ++this.n });
    if (!this.whole.said.outside) return;
    // they are another model's: Streamlit has to load it, and draws the page anew
    this.say(LOADING);
    while (this.number === number) await this.pause(LATE_MS);
    if (this.address !== address) throw MOVED;
    await this.post({ kind: "state" });
  }

  /** Sends what is asked until there is an answer. @returns {Promise<State>} */
  async post(asked) {
    const { address } = this;
    for (let n = 0;; n += 1) {
      const tried = await this.tryOnce(address, asked);
      if (typeof tried !== "string") return this.take(tried);
      if (this.address !== address) throw MOVED;
      this.say(tried);
      if (tried !== LATE) await this.pause(PAUSES_MS[Math.min(n, PAUSES_MS.length - 1)]);
      if (this.address !== address) throw MOVED;
    }
  }

  /** Sends it once. @returns {Promise<Uint8Array|string>} the answer, or why there is none */
  async tryOnce(address, asked) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), LATE_MS);
    const signal = AbortSignal.any([late.signal, this.cancelled.signal]);
    this.giveUp = () => late.abort();
    try {
      const body = JSON.stringify({ ...asked, holds: this.whole.version });
      const response = await fetch(address, { method: "POST", body, signal });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      const isAway = response.status === 404;
      if (!isAway && response.status < 500) throw new Error((await response.json()).error);
      await response.text(); // what nobody reads keeps its connection
      return isAway ? AWAY : LOST; // a proxy's word for it
    } catch (error) {
      if (this.cancelled.signal.aborted) throw this.cancelled.signal.reason;
      if (late.signal.aborted) return LATE;
      if (error instanceof TypeError) return LOST;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns {State} */
  take(data) {
    this.whole.take(data);
    const { outside } = this.whole.said;
    if (outside && this.pressedAt !== this.number) {
      this.pressedAt = this.number;
      this.drawAnew();
    }
    return this.whole.state;
  }

  say(trouble) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.page.troubled();
  }

  /** Waits, until there is reason not to. */
  pause(ms) {
    const { signal } = this.cancelled;
    return new Promise((resolve, reject) => {
      setTimeout(resolve, ms);
      this.wake = () => resolve();
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

  /** The hand rests: keeps in the tab what the server may lose. */
  rest() {
    if (this.met !== null && this.met === this.address) keepBranches(this.whole.state.header);
  }

  close() {
    this.rest();
    this.cancel();
    this.closed.abort();
  }
}
