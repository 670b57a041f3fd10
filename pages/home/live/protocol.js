// What crosses between Python and the page: the payload taken apart, the settings in force read from
// the controls, and the queue that carries events to Python one at a time.

import { createDistribution } from "../../frame/live/masks.js";

const RESEND_AFTER_MS = 8000;
const NEUTRAL_MASKS = { temperature: 1, top_k: 0, top_p: 1, min_p: 0 };
const ALWAYS_IN_FORCE = [
  "typical_p",
  "epsilon",
  "eta",
  "top_n_sigma",
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
];

/**
 * Reads the settings in force from the controls: greedy is temperature 0, a mask that is not in use
 * is neutral, penalties and the rarer masks are in force whenever they are not neutral.
 * @param {object} controls
 * @param {Record<string, string[]>} orders
 */
export function settingsInForce(controls, orders) {
  const settings = { order: orders[controls.order] };
  for (const [name, neutral] of Object.entries(NEUTRAL_MASKS)) {
    settings[name] = controls.use.includes(name) ? controls[name] : neutral;
  }
  for (const name of ALWAYS_IN_FORCE) settings[name] = controls[name];
  if (controls.greedy) settings.temperature = 0;
  return settings;
}

/** Whether two sets of controls ask for the same settings. */
export function sameControls(first, second) {
  return JSON.stringify(sorted(first)) === JSON.stringify(sorted(second));
}

function sorted(controls) {
  const entries = Object.entries({ ...controls, use: [...controls.use].sort() });
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * A queue of events for Python with at most one in flight. An event is completed by `prepare` (which
 * returns null to drop it) once `isReady` says so, and leaves when the one before it was
 * acknowledged and `mayLeave` lets it. Settings that were not completed yet are replaced by newer ones, presses never are.
 */
export class EventQueue {
  /**
   * @param {{send: (event: object) => void, prepare: (entry: object) => object|null,
   *   isReady: (entry: object) => boolean, mayLeave: () => boolean}} hooks
   */
  constructor({ send, prepare, isReady, mayLeave }) {
    this.send = send;
    this.prepare = prepare;
    this.isReady = isReady;
    this.mayLeave = mayLeave;
    this.waiting = [];
    this.prepared = null;
    this.inFlight = null;
    this.lastNumber = -1;
    this.nSent = 0;
    this.nTries = 0;
    this.timer = 0;
  }

  /** Adds one event and lets it go at once where nothing stands before it. */
  push(entry) {
    const newest = this.waiting.at(-1);
    const supersedes = ["settings", "tokenise"].includes(entry.kind);
    if (supersedes && newest?.kind === entry.kind) this.waiting.pop();
    this.waiting.push(entry);
    this.pump();
  }

  /** Completes the next event that is ready, and sends it if none is in flight. */
  pump() {
    this.sendPrepared();
    while (this.prepared === null && this.waiting.length > 0 && this.isReady(this.waiting[0])) {
      const entry = this.waiting.shift();
      const body = this.prepare(entry);
      if (body !== null) this.prepared = { entry, body };
      this.sendPrepared();
    }
  }

  sendPrepared() {
    if (this.prepared === null || this.inFlight !== null || !this.mayLeave()) return;
    const { entry, body } = this.prepared;
    this.prepared = null;
    this.lastNumber += 1;
    this.inFlight = { entry, body: { n: this.lastNumber, kind: entry.kind, ...body } };
    this.nTries = 0;
    this.transmit();
  }

  transmit() {
    this.nSent += 1;
    this.nTries += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.transmit(), RESEND_AFTER_MS);
    this.send(this.inFlight.body);
  }

  /** Takes an acknowledgement; returns the event that it settles, or null. */
  acknowledge(ack) {
    this.lastNumber = Math.max(this.lastNumber, ack);
    if (this.inFlight === null || ack < this.inFlight.body.n) return null;
    const settled = this.inFlight;
    this.inFlight = null;
    clearTimeout(this.timer);
    return settled;
  }

  /** Whether Python has been silent for so long that an event was sent again. */
  get isLate() {
    return this.inFlight !== null && this.nTries > 1;
  }

  /** Whether nothing waits and nothing is in flight. */
  get isIdle() {
    return this.inFlight === null && this.isSent;
  }

  /** Whether nothing waits to leave. */
  get isSent() {
    return this.prepared === null && this.waiting.length === 0;
  }

  /** Drops the waiting events of some kinds; one that is completed will leave. */
  drop(...kinds) {
    this.waiting = this.waiting.filter((entry) => !kinds.includes(entry.kind));
  }

  /** Drops the event that is completed and has not left; returns it, or undefined. */
  withdraw() {
    const entry = this.prepared?.entry;
    this.prepared = null;
    return entry;
  }

  /** Forgets everything, as when the page goes away. */
  close() {
    clearTimeout(this.timer);
    this.waiting = [];
    this.prepared = null;
    this.inFlight = null;
  }
}
