// What a session holds. Its text, the facts of its model and the controls are there once it is open: who asks
// earlier is told so.

import { required } from "../../../frame/live/required.js";

/** @typedef {import("./text.js").Text} Text */

export class SessionData {
  /** @type {Notice|null} */
  notice = null;
  /** @type {Guess|null} */
  guess = null;
  /** The word that is asked for. @type {Word|null} */
  word = null;
  /** The position that is looked back at. @type {{header: Inspected, arrays: Arrays}|null} */
  inspection = null;
  /** @type {Text[]} */
  texts = [];
  /** Strings that end a text. @type {string[]} */
  stop = [];
  nBegun = 0; // texts, those that are gone included
  /** @type {Piece[]} */
  draftPieces = []; // the text in the prompt's field
  draft = "";
  switches = { presenter: false, hide_bars: false }; // of the page around the text
  /** A link that waits for its model. @type {{model: string, query: string}|null} */
  waitingLink = null;
  /**
   * The text that was taken apart last.
   * @type {(TextApart & {text: string, chat: boolean, name: string})|null}
   */
  apart = null;
  /** @type {Text|null} */
  #active = null;
  /** @type {Facts|null} */
  #facts = null;
  /** @type {Controls|null} */
  #controls = null;

  /** Whether there is a text. */
  get isOpen() {
    return this.#active !== null;
  }

  /** The text that is written. @returns {Text} */
  get active() {
    return required(this.#active, "open text");
  }

  /** @param {Text|null} text */
  set active(text) {
    this.#active = text;
  }

  /** What the engine said of its model. @returns {Facts} */
  get facts() {
    return required(this.#facts, "answer of the engine yet");
  }

  set facts(facts) {
    this.#facts = facts;
  }

  /** The sliders and switches under which it goes on. @returns {Controls} */
  get controls() {
    return required(this.#controls, "text yet");
  }

  set controls(controls) {
    this.#controls = controls;
  }

  /** Goes on with a text. @param {Text} text */
  add(text) {
    this.texts = [...this.texts, text];
    this.active = text;
    this.nBegun += 1;
  }
}
