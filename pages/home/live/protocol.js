// What crosses between Python and the page: the payload taken apart, the settings in force read from
// the controls, and the queue that carries events to Python one at a time.

import { createDistribution } from "./masks.js";

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

/** The arrays that each distribution was made from. */
const sources = new WeakMap();

/**
 * Takes a payload apart: header length, JSON header, then the arrays that the header names. The
 * arrays are views of the payload; it is copied once only where it does not start on a multiple of
 * four bytes. An array named "header.steps.prob" is put at that place of the header.
 * @param {Uint8Array} data
 * @returns {{header: object, arrays: Record<string, Float32Array|Int32Array>}}
 */
export function decodePayload(data) {
  const bytes = data.byteOffset % 4 === 0 ? data : data.slice();
  const start = bytes.byteOffset;
  const headerLength = new DataView(bytes.buffer, start, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  const arrays = {};
  let offset = 4 * Math.ceil((4 + headerLength) / 4);
  for (const { name, dtype, length } of header.arrays) {
    const View = dtype === "i4" ? Int32Array : Float32Array;
    arrays[name] = new View(bytes.buffer, start + offset, length);
    placeInHeader(header, name, arrays[name]);
    offset += 4 * length;
  }
  return { header, arrays };
}

function placeInHeader(header, name, values) {
  const [root, ...path] = name.split(".");
  if (root !== "header") return;
  const last = path.pop();
  let place = header;
  for (const part of path) place = place[part] ??= {};
  place[last] = values;
}

/**
 * Makes the distribution that a payload brings, or hands back the one before it where nothing in it
 * has changed: its order is then not sorted again.
 * @param {object|null} facts the header's part on it
 * @param {Record<string, Float32Array|Int32Array>} arrays
 * @param {string} prefix of the arrays' names
 * @param {object|null} before
 */
export function readDistribution(facts, arrays, prefix, before) {
  if (!facts) return null;
  const get = (name) => arrays[prefix + name] ?? null;
  const logits = get("logits");
  const ids = get("ids");
  const old = before && sources.get(before);
  if (old && sameNumbers(old.logits, logits) && sameNumbers(old.ids, ids)) return before;
  const [tailCounts, tailLogits] = [get("tail_counts"), get("tail_logits")];
  const made = createDistribution({ nVocab: facts.n_vocab, ids, logits, tailCounts, tailLogits });
  sources.set(made, { logits, ids });
  return made;
}

function sameNumbers(first, second) {
  if (first === null || second === null) return first === second;
  return first.length === second.length && first.every((value, i) => value === second[i]);
}

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
