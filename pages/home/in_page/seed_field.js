// The seed of the pointers, typed: read by the rules of the page's language, or refused in one sentence, in
// which case what was typed stays.

import { el } from "../../frame/live/dom.js";
import { reasonOf } from "../../frame/live/errors.js";
import { numberTyped } from "../../frame/live/typed.js";
import { _ } from "../../frame/live/words.js";
import { fieldOf, readField } from "../live/session/fields.js";

/** The seed that a text stands for. @param {Pick<Facts, "fields">} facts @param {string} text */
export function readSeed(facts, text) {
  const field = fieldOf(facts, "seed");
  const [low, high] = field.bounds;
  const number = numberTyped(text);
  if (number !== null && Number.isInteger(number) && low <= number && number <= high) return number;
  return readField(field, text);
}

/** The page's field, in which a seed is shown and typed. */
export class SeedField {
  input = el("input", { id: "seed", inputMode: "numeric", autocomplete: "off" });
  shown = -1;

  /** Shows the seed of the text; if that is the same, what is being typed stays. @param {number} seed */
  show(seed) {
    if (seed === this.shown) return;
    this.shown = seed;
    this.input.value = String(seed);
    this.input.setCustomValidity("");
  }

  /** @param {import("../live/session/session.js").Session} session */
  connect(session) {
    this.input.addEventListener("input", () => this.input.setCustomValidity(""));
    this.input.addEventListener("change", () => {
      try {
        session.do({ kind: "seed", seed: readSeed(session.facts, this.input.value) });
      } catch (error) {
        this.input.setCustomValidity(_("{fault}.", { fault: reasonOf(error) }));
        this.input.reportValidity();
      }
    });
  }
}
