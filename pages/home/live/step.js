// The step that is under way, from the press to Python's word. The id that it shows is Python's own:
// every payload says which one Next will append. The one state machine of the page:
//
//   idle ──press──▶ pressed ──painted──▶ shown ──payload──▶ confirmed ──painted──▶ idle
//
//   idle       what Python said last is on the screen
//   pressed    the token goes on the screen in the next frame
//   shown      it is there, its event may leave; where only Python knows it, a place is kept free
//   confirmed  a payload has come, prefetched or as the answer: all is drawn in the next frame

const UNKNOWN_ID = -1; // stands on the screen for a token that Python has not named yet

export class Step {
  constructor() {
    this.state = "idle";
    this.entry = null; // the event that is to be answered
    this.kind = null; // "next", "force" or "back"
    this.id = null; // of the token that it appends; null where only Python knows it
  }

  /** Begins a step: its event is completed, and what it will bring is shown. */
  press(entry, id) {
    this.state = "pressed";
    this.entry = entry;
    this.kind = entry.kind;
    this.id = id;
  }

  /** A frame has been painted that was begun in that state. */
  painted(state) {
    if (state !== this.state) return;
    if (state === "pressed") this.state = "shown";
    else if (state === "confirmed") this.state = "idle";
  }

  /**
   * A payload has come. One that does not answer the step under way leaves it as it is.
   * @param {Entry|null} entry the event that the payload answers
   */
  confirm(entry) {
    if (this.isUnderWay && entry !== this.entry) return;
    this.end("confirmed");
  }

  /** The event was taken back before it left. */
  withdraw(entry) {
    if (entry !== undefined && entry === this.entry) this.end("idle");
  }

  end(state) {
    this.state = state;
    this.entry = this.kind = this.id = null;
  }

  /** Whether something is on the screen, or about to be, that Python has not said. */
  get isUnderWay() {
    return this.state === "pressed" || this.state === "shown";
  }

  /** Whether all that is to be seen so far is on the screen: what is seen comes before what is sent. */
  get isPainted() {
    return this.state === "idle" || this.state === "shown";
  }

  /** The ids on the screen: Python's, changed as the step will change them. */
  idsAfter(ids) {
    if (!this.isUnderWay) return ids;
    return this.kind === "back" ? ids.slice(0, -1) : [...ids, this.id ?? UNKNOWN_ID];
  }
}
