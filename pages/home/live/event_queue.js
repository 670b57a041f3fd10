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
   * @param {{begin: (entry: Entry) => LoopEvent|null, ask: (event: LoopEvent) => Promise<State>,
   *   apply: (entry: Entry, state: State) => void, fail: (error: Error) => void}} page
   *   `begin` completes an event as it leaves; null drops it
   */
  constructor(page) {
    this.page = page;
  }

  /** Adds one event, and lets it go at once where nothing stands before it. @param {Entry} entry */
  push(entry) {
    const newest = this.waiting.at(-1);
    const supersedes = ["settings", "tokenise", "state"].includes(entry.kind);
    if (supersedes && newest?.kind === entry.kind) this.waiting.pop();
    this.waiting.push(entry);
    this.pump();
  }

  /** Lets one event after another go. */
  async pump() {
    while (this.underWay === null && this.waiting.length > 0) {
      const entry = /** @type {Entry} */ (this.waiting.shift());
      const event = this.page.begin(entry);
      if (event === null) continue;
      this.underWay = entry;
      const end = await this.page.ask(event).then(
        (state) => () => this.page.apply(entry, state),
        (error) => () => this.page.fail(error),
      );
      if (this.underWay !== entry) return; // all was forgotten meanwhile
      this.underWay = null;
      end();
    }
  }

  /** What the person waits for: presses that are queued, and a long answer. */
  get waitingFor() {
    return {
      nPressed: this.waiting.filter(({ kind }) => ["next", "force"].includes(kind)).length,
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
