// What leaves for Python: events, numbered, one at a time; PROTOCOL.md lists them.

const RESEND_AFTER_MS = 8000;

/**
 * A queue of events for Python with at most one in flight. An event is completed (`complete` returns
 * null to drop it) once `isReady` says so, and leaves when the one before it was acknowledged and
 * `mayLeave` lets it. Settings that wait are replaced by newer ones, presses never are.
 */
export class EventQueue {
  /** @type {Entry[]} */
  waiting = [];
  completed = null;
  inFlight = null;
  lastNumber = -1;
  nTries = 0;
  timer = 0;

  /**
   * @param {{send: (event: object) => void, complete: (entry: object) => object|null,
   *   isReady: (entry: object) => boolean, mayLeave: () => boolean}} hooks
   */
  constructor({ send, complete, isReady, mayLeave }) {
    this.send = send;
    this.complete = complete;
    this.isReady = isReady;
    this.mayLeave = mayLeave;
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
    this.sendCompleted();
    while (this.completed === null && this.waiting.length > 0 && this.isReady(this.waiting[0])) {
      const entry = this.waiting.shift();
      const body = this.complete(entry);
      if (body !== null) this.completed = { entry, body };
      this.sendCompleted();
    }
  }

  sendCompleted() {
    if (this.completed === null || this.inFlight !== null || !this.mayLeave()) return;
    const { entry, body } = this.completed;
    this.completed = null;
    this.lastNumber += 1;
    this.inFlight = { entry, body: { n: this.lastNumber, kind: entry.kind, ...body } };
    this.nTries = 0;
    this.transmit();
  }

  transmit() {
    this.nTries += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.transmit(), RESEND_AFTER_MS);
    this.send(this.inFlight.body);
  }

  /** Asks for all that Python would say: the page lacks what the newest message builds on. */
  askAgain() {
    if (this.inFlight !== null) this.transmit();
    else this.push({ kind: "resend" });
  }

  /** Takes an acknowledgement; returns the entry that it answers, or null. */
  acknowledge(ack) {
    this.lastNumber = Math.max(this.lastNumber, ack);
    if (this.inFlight === null || ack < this.inFlight.body.n) return null;
    const { entry } = this.inFlight;
    this.inFlight = null;
    clearTimeout(this.timer);
    return entry;
  }

  /** What the person waits for: presses that are queued, a long answer, one that does not come. */
  get waitingFor() {
    return {
      nNext: this.waiting.filter(({ kind }) => kind === "next").length,
      isFinishing: this.inFlight?.entry.kind === "finish",
      isLate: this.inFlight !== null && this.nTries > 1, // so long that it was sent again
    };
  }

  /** Whether nothing waits and nothing is in flight. */
  get isIdle() {
    return this.inFlight === null && this.isSent;
  }

  /** Whether nothing waits to leave. */
  get isSent() {
    return this.completed === null && this.waiting.length === 0;
  }

  /** Drops the waiting events of some kinds; one that is completed will leave. */
  drop(...kinds) {
    this.waiting = this.waiting.filter((entry) => !kinds.includes(entry.kind));
  }

  /** Drops the event that is completed and has not left; returns it, or undefined. */
  withdraw() {
    const entry = this.completed?.entry;
    this.completed = null;
    return entry;
  }

  /** Forgets everything, as when the page goes away. */
  close() {
    clearTimeout(this.timer);
    this.waiting = [];
    this.completed = null;
    this.inFlight = null;
  }
}
