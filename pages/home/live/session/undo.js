// Ctrl+Z: every answered event leaves the event that takes it back, so the last press can go, and the one
// before it, whichever engine answers.

import { writeStrings } from "../../../frame/live/stopping.js";
import { textQuery } from "./link.js";

const MAX_REMEMBERED = 100;

/** What was pressed on this page, the newest last, as what takes it back. */
export class Undo {
  /** @type {Entry[]} */
  past = [];

  /**
   * Remembers how an event is taken back, from the states before and after it.
   * @param {Entry} entry
   * @param {Header|null} before
   * @param {Header} after
   */
  note(entry, before, after) {
    if (before === null || entry.isUndo) return;
    const inverse = inverseOf(entry.kind, before, after);
    if (inverse !== null) this.past = [...this.past, inverse].slice(-MAX_REMEMBERED);
    // what happened elsewhere on the page cannot be taken back here, nor what lies before it
    else if (entry.kind === "state" && before.branch !== after.branch) this.past = [];
  }

  /** Makes an entry what takes the last press back; false where nothing is left. @param {Entry} entry */
  turn(entry) {
    Object.assign(entry, this.past.pop(), { isUndo: true });
    return entry.kind !== "undo";
  }
}

/** @param {string} kind @param {Header} before @param {Header} after @returns {Entry|null} */
function inverseOf(kind, before, after) {
  const isOther = before.branch !== after.branch;
  const nNew = after.ids.length - before.ids.length;
  if (kind === "settings") return { kind, controls: before.controls };
  if (kind === "stop") return { kind, text: writeStrings(before.stop) };
  if (isOther && kind !== "state") return wayBack(before, after);
  if (["next", "force"].includes(kind) && nNew === 1) return { kind: "back" };
  if (kind === "finish" && nNew > 0) return { kind: "rewind", position: before.ids.length };
  if (["back", "reset", "rewind"].includes(kind) && nNew < 0)
    return { kind: "again", query: textQuery(before) };
  return null;
}

/**
 * To the text that was written before; one that was but a prompt is begun again.
 * @param {Header} before
 * @param {Header} after
 */
function wayBack({ branch, prompt }, { branches }) {
  const isKept = branches.some(({ id }) => id === branch);
  return isKept ? { kind: "switch", id: branch } : { kind: "prompt", text: prompt };
}
