// The step that is under way, from the press to the answer: what it shows until then. The id is the
// engine's own: every state says which one Next will append.

const UNKNOWN_ID = -1; // stands on the screen for a token that the engine has not named yet

export class Step {
  /**
   * @param {Entry} entry the press that is to be answered
   * @param {number|null} id of the token that it appends; null where only the engine knows it
   */
  constructor(entry, id) {
    this.entry = entry;
    this.kind = entry.kind; // "next", "force" or "back"
    this.id = id;
  }

  /** The ids on the screen: the state's, changed as the step will change them. */
  idsAfter(ids) {
    return this.kind === "back" ? ids.slice(0, -1) : [...ids, this.id ?? UNKNOWN_ID];
  }
}
