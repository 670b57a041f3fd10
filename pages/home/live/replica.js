// What the page holds of what Python has told it: the answer to its last event, and what Next will
// bring. A message is the whole state, or the change to one of these two: PROTOCOL.md says how it is
// written. The other side is pages/home/replica.py.

import { decodePayload } from "../../frame/live/payload.js";

export class Replica {
  /** @type {{answer: State|null, ahead: State|null}} */
  held = { answer: null, ahead: null };

  /** What the page tells Python that it holds. */
  get versions() {
    return [this.held.answer, this.held.ahead].filter(Boolean).map(({ version }) => version);
  }

  /**
   * Takes a message.
   * @param {"answer"|"ahead"} place
   * @param {any} data as it came
   * @returns {State|null|undefined} what the page holds now; null where that builds on what it does
   *   not hold, undefined where it is older
   */
  take(place, data) {
    const { header: told, arrays, rest } =
      /** @type {{header: Message, arrays: Arrays, rest?: Uint8Array}} */ (decodePayload(data));
    if (rest?.length) globalThis.__ottPrefetched = rest; // what is sent ahead came with its answer
    const { version, follows, base, whole, change } = told;
    if (base === null) return (this.held[place] = { version, follows, header: whole, arrays });
    if (version <= this.held[place]?.version) return undefined;
    const old = [this.held.ahead, this.held.answer].find((state) => state?.version === base);
    if (!old) return null;
    for (const name of told.kept) arrays[name] = old.arrays[name];
    const header = changedHeader(old.header, change);
    return (this.held[place] = { version, follows, header, arrays });
  }
}

/** A confirmation changes nothing that is drawn: the header stays the one that was. */
function changedHeader(header, change) {
  const names = Object.keys(change.in ?? {});
  if (names.some((name) => name !== "ack")) return changed(header, change);
  return Object.assign(header, change.in);
}

/** What a change makes of a value. @param {any} old @param {any} change */
function changed(old, change) {
  if (change === null || typeof change !== "object") return change;
  if ("set" in change) return change.set;
  if ("keep" in change) return old.slice(0, change.keep).concat(change.add); // a list or a text
  const made = Array.isArray(old) ? old.slice() : { ...old };
  for (const name of Object.keys(change.in ?? {})) made[name] = changed(old[name], change.in[name]);
  return made;
}
