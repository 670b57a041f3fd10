// What was pressed: one event is with the engine, the others wait behind it.

/**
 * A queue of events. Settings and drafts that wait are replaced by newer ones, presses never are.
 */
export class EventQueue {
  /** @type {Entry[]} */
  waiting = [];
  /** With the engine. @type {Entry|null} */
  underWay = null;

  /**
   * @param {{begin: (entry: Entry) => LoopEvent|null, answer: (event: LoopEvent) => Promise<State>,
   *   answered: (entry: Entry, state: State) => void, failed: (entry: Entry, error: Error) => void}} hooks
   *   `begin` completes an event as it leaves; null drops it
   */
  constructor(hooks) {
    this.hooks = hooks;
  }

  /** Adds one event, and lets it go at once where nothing stands before it. @param {Entry} entry */
  push(entry) {
    const newest = this.waiting.at(-1);
    const supersedes = ["settings", "tokenise", "state"].includes(entry.kind);
    if (supersedes && newest?.kind === entry.kind) this.waiting.pop();
    this.waiting.push(entry);
    this.pump();
  }

  /** Lets the next event go where none is under way. */
  pump() {
    while (this.underWay === null) {
      const entry = this.waiting.shift();
      if (entry === undefined) return;
      const event = this.hooks.begin(entry);
      if (event !== null) this.send(entry, event);
    }
  }

  /** @param {Entry} entry @param {LoopEvent} event */
  async send(entry, event) {
    this.underWay = entry;
    /** @param {() => void} tell */
    const end = (tell) => {
      if (this.underWay !== entry) return; // all was forgotten meanwhile
      this.underWay = null;
      tell();
      this.pump();
    };
    await this.hooks.answer(event).then(
      (state) => end(() => this.hooks.answered(entry, state)),
      (error) => end(() => this.hooks.failed(entry, error)),
    );
  }

  /** What the person waits for: presses that are queued, and a long answer. */
  get waitingFor() {
    return {
      nNext: this.waiting.filter(({ kind }) => kind === "next").length,
      isFinishing: this.underWay?.kind === "finish",
    };
  }

  /** Whether nothing waits and nothing is under way. */
  get isIdle() {
    return this.underWay === null && this.waiting.length === 0;
  }

  /** Drops the waiting events of some kinds. @param {...string} kinds */
  drop(...kinds) {
    this.waiting = this.waiting.filter((entry) => !kinds.includes(entry.kind));
  }

  /** Forgets all that waits, and what is under way: the page goes, or the person waits no longer. */
  clear() {
    this.waiting = [];
    this.underWay = null;
  }
}
