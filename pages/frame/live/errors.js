// What was caught may be anything: what it says, and whether it is a fault at all.

import { fill } from "./words.js";

/**
 * A refusal of a thread that has no catalogue: it is its own English; the page says it by `source` and `values`,
 * as pages/frame/words.py does with one of model/sentences.py.
 */
export class Sentence extends RangeError {
  /** @param {string} source @param {Record<string, unknown>} [values] by the names of the placeholders */
  constructor(source, values) {
    super(fill(source, values));
    this.source = source;
    this.values = values;
  }
}

/** What an error says. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the person waits no longer for what failed. @param {unknown} error */
export function isGivenUp(error) {
  return error instanceof Error && error.name === "AbortError";
}
