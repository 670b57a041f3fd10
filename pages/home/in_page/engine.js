// The engine in the page: an event goes to the model's own thread, and the answer is the state.

import { keepBranches, lostBranches } from "../live/tab_record.js";

/** @implements {Engine} */
export class WorkerEngine {
  n = 0; // of the event that was sent last
  waiting = new Map(); // {resolve, reject} by number
  switches = { presenter: false, hide_bars: false }; // of the page around the text
  hasLooked = false; // at what the tab kept
  /** @type {State|null} */
  state = null;
  text = ""; // that is written, without special tokens
  heard = (_header) => {}; // whoever shows a part of the state beside the component

  /**
   * @param {string} address of the worker's script
   * @param {{weights: string, facts: Facts, query: Record<string, string>}} opening
   */
  constructor(address, opening) {
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = ({ message }) => this.fail(message);
    this.ready = this.ask({ kind: "open", ...opening });
  }

  /** @param {EngineListener} page */
  listen(page) {
    this.page = page;
  }

  /** @param {LoopEvent} event */
  async answer(event) {
    await this.ready;
    if (!this.hasLooked) await this.takeBack();
    return event.kind === "state" ? this.shown : await this.ask(event);
  }

  /** The state with the switches of the page around it. */
  get shown() {
    return { ...this.state, header: { ...this.state.header, ...this.switches } };
  }

  /** Takes back the texts that the tab kept over a reload. */
  async takeBack() {
    this.hasLooked = true;
    const record = lostBranches(this.state.header);
    if (record?.model === this.state.header.model.name) await this.ask({ kind: "restore", record });
  }

  /** Hands an event to the model. @returns {Promise<State>} */
  ask(event) {
    const n = this.n++;
    return new Promise((resolve, reject) => {
      this.waiting.set(n, { resolve, reject });
      this.worker.postMessage({ n, event });
    });
  }

  take({ n, state: { header, arrays }, text }) {
    this.text = text;
    this.state = { header, arrays };
    this.waiting.get(n).resolve(this.shown);
    this.waiting.delete(n);
    this.heard(this.state.header);
  }

  fail(message) {
    const error = new Error(`The model in this page stopped (${message}): load the page again.`);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  /** Turns a switch of the page around the text. */
  turn(name, isOn) {
    this.switches[name] = isOn;
    this.page.changed();
  }

  /** Does what no press of the component asks for, and shows it. */
  async do(event) {
    await this.ready;
    await this.ask(event);
    this.page.changed();
  }

  /** The hand rests: keeps in the tab what a reload would lose. */
  rest() {
    keepBranches(this.state.header);
  }

  close() {
    this.worker.terminate();
  }
}
