// A whole state, of the one that the page held and an answer, which says what is new since: fields,
// and the rows behind those that stay. pages/home/told.py is the other side.

import { decodePayload } from "../../frame/live/payload.js";

/** What an answer of the server is made of, put together. */
export class Whole {
  /** Of the state that is held; the server sends what came later. */
  version = -1;
  /** The newest of each field. @type {any} */
  said = null;
  rows = {}; // columns
  /** @type {Arrays} */
  arrays = {};

  /** Takes an answer; one that came late or twice changes nothing. @returns {boolean} whether it was new */
  take(data) {
    /** @type {{header: Answer, arrays: Arrays}} */
    const { header, arrays } = decodePayload(data);
    const { version, keep, rows, arrays: _, ...said } = header;
    if (version <= this.version) return false;
    const fieldOf = (name) => name.startsWith("inspect_") ? "inspect" : "distribution";
    const stay = Object.entries(this.arrays).filter(([name]) => !(fieldOf(name) in said));
    this.arrays = { ...Object.fromEntries(stay), ...arrays };
    this.said = { ...this.said, ...said };
    for (const [name, column] of Object.entries(rows))
      this.rows[name] = (this.rows[name] ?? []).slice(0, keep).concat(column);
    this.version = version;
    return true;
  }

  /** The state, as the page knows it. @returns {State} */
  get state() {
    const { ack: _, outside: __, prompt_ids: promptIds, prompt_joined: promptJoined, ...said } = this.said;
    const { id, joined, ...steps } = this.rows;
    const header = { ...said, ids: promptIds.concat(id), joined: { ...promptJoined }, steps };
    joined.forEach((text, i) => text !== null && (header.joined[promptIds.length + i] = text));
    return { header, arrays: this.arrays };
  }
}
