// The guessing game: the text with its empty place, the question with words to press, and beside it what came of
// the last guess. Every part has its room before it is filled.

import { activeIn, createButton, el, setAttribute, setText } from "../../frame/live/dom.js";
import { readJson, tabStore } from "../../frame/live/storage.js";
import { createAsk, points } from "./ask.js";
import { createResult } from "./result.js";

const STORED_AS = "ott-guess";
const DEEPEST = 14; // bits at which the tint is full
const RESTORE_MS = 5000; // after which the board shows whatever came

/** One board in the page. */
export class Board {
  /** @param {ShadowRoot} place */
  constructor(place) {
    /** @type {Component<GuessBoard>|null} */
    this.component = null;
    /** @type {number|null} */
    this.sentAt = null; // the position of which a guess is under way
    /** @type {number|null|undefined} */
    this.shown = undefined; // the position of the last guess
    this.text = el("p", { class: "board-words", translate: false });
    this.scroll = el("div", { class: "board-text" }, this.text);
    this.count = el("span", { class: "board-count" });
    this.lastCount = el("span", { class: "board-count board-last-count" });
    this.totals = el("span", { class: "row board-totals" });
    this.ask = createAsk({
      guess: (written) => this.tell("guess", { position: this.data?.position, written }),
      skip: () => this.tell("skip", this.data?.position),
      goOn: () => this.tell("go_on", this.data?.position),
      otherText: () => this.tell("other_text", true),
    });
    this.rule = el("p", { class: "muted board-rule" });
    this.result = createResult();
    this.next = createButton("button is-primary board-next", "Next word", () => this.showQuestion());
    this.onward = el("div", { class: "board-onward" }, this.result.sentences, this.next, this.rule);
    this.root = el(
      "div",
      { class: "ott board", ariaBusy: "true" },
      this.scroll,
      el(
        "p",
        { class: "row board-score" },
        this.count,
        this.lastCount,
        this.totals,
        el("span", { class: "board-tint-key" }, "the model did not expect it"),
        el("span", { class: "board-named-key" }, "it was guessed"),
      ),
      el("div", { class: "board-halves" }, this.ask.element, this.result.element, this.onward),
    );
    place.append(this.root);
  }

  get data() {
    return this.component?.data ?? null;
  }

  /** Called with new data, or with the same data and a new theme. @param {Component<GuessBoard>} component */
  receive(component) {
    const isFirst = this.component === null;
    this.component = component;
    const { data } = component;
    this.sentAt = null;
    if (isFirst && this.restore(data)) return; // what is kept shows at once, and not after its beginning
    tabStore.write(STORED_AS, JSON.stringify(data.saved));
    this.render(data);
  }

  /** Has what this tab kept of a game played again after a reload. @param {GuessBoard} data */
  restore({ saved }) {
    const kept = readJson(tabStore, STORED_AS);
    if (saved.played.length > 0 || !kept?.played?.length || kept.model !== saved.model) return false;
    this.component?.setTriggerValue("restore", kept);
    setTimeout(() => this.data && this.render(this.data), RESTORE_MS);
    return true;
  }

  /** @param {GuessBoard} data */
  render(data) {
    this.root.ariaBusy = "false";
    setAttribute(this.root, "data-presenter", data.isPresenting ? "" : null);
    setAttribute(this.root, "data-new", data.last === null ? "" : null);
    this.writeText(data);
    setText(this.count, `Word ${data.number} of ${data.nWords}`);
    setText(this.lastCount, `Word ${data.last?.number ?? data.number} of ${data.nWords}`);
    setText(this.rule, data.rule);
    this.totals.replaceChildren(
      ...data.totals.map(({ name, points: n, gain }) =>
        el(
          "span",
          { class: "board-total" },
          `${name} `,
          el("b", {}, points(n)),
          gain === null ? "" : ` (${gain < 0 ? "" : "+"}${points(gain)})`,
        )
      ),
    );
    const isAnswered = data.last !== null && this.shown !== data.last.position;
    this.shown = data.last?.position ?? null;
    this.ask.update(data);
    if (isAnswered) this.showResult();
    else if (data.last === null) this.showQuestion();
    this.updateResult();
  }

  /** The board shows the question or what came of it, never the one beside the bars of the other: see board.css. */
  showResult() {
    const active = activeIn(this.root);
    setAttribute(this.root, "data-result", "");
    if (active && this.ask.element.contains(active)) this.next.focus({ preventScroll: true });
  }

  showQuestion() {
    const hadFocus = activeIn(this.root) === this.next;
    setAttribute(this.root, "data-result", null);
    this.updateResult();
    if (hadFocus) this.ask.focus();
  }

  updateResult() {
    if (this.data === null) return;
    const isShown = this.root.hasAttribute("data-result") || this.data.isRoundOver;
    this.result.update(this.data, isShown ? this.data.last : null);
  }

  /** @param {GuessBoard} data */
  writeText({ text, nHidden, last, position }) {
    const newest = text.length - 1 - Math.max(0, position - 1 - (last?.position ?? -1));
    const parts = text.flatMap(({ words, bits, isNamed }, i) => {
      if (bits === null) return [words];
      const word = words.trimStart();
      const node = el("span", { class: "board-word" }, word);
      node.style.setProperty("--depth", `${(62 * Math.min(1, bits / DEEPEST)).toFixed(0)}%`);
      setAttribute(node, "data-named", isNamed ? "" : null);
      setAttribute(node, "data-newest", i === newest ? "" : null);
      return [words.slice(0, words.length - word.length), node];
    });
    const slot = el("span", { class: "slot", role: "img", "aria-label": "the hidden word" }, "?");
    this.text.replaceChildren(...parts, ...(nHidden > 0 ? [" ", slot] : []));
    this.scroll.scrollTop = this.scroll.scrollHeight; // a long text shows its end
  }

  /** @param {string} name @param {unknown} value */
  tell(name, value) {
    const { component, data } = this;
    if (component === null || data === null || this.sentAt === data.position) return;
    this.sentAt = data.position; // what is pressed again meanwhile is of no other word
    component.setTriggerValue(name, value);
  }
}
