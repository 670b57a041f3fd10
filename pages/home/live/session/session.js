// One reader's texts: the branches, what was taken back, and the controls. It lives in the page and nowhere
// else. An event either does what it says or leaves everything as it was and sets `notice` to one sentence.
// What only a model can say, it asks an engine: the server, the model in the page, or a recording.

import { activeSettings } from "../controls.js";
import { uniformAt } from "../../../frame/live/pointer.js";
import { noteEvent } from "../timings.js";
import { BRANCHLESS, EVENTS, MAX_COUNT, QUIET } from "./events.js";
import { asManyAsFit } from "./fields.js";
import { readControls, writeHow } from "./link.js";
import { openSession } from "./opening.js";
import { SessionData } from "./session_data.js";
import { describe } from "./state.js";
import { keepBranches } from "./tab_record.js";
import { Text } from "./text.js";
import { isGivenUp, reasonOf } from "../../../frame/live/errors.js";
import { _ } from "../../../frame/live/words.js";

const MAX_BRANCHES = 8;
const MAX_SENTENCE = 300; // characters of what a reader is told at once

const ENDS = {
  eos: _("The text is finished, the model wrote its end token: press Back or Reset."),
  stop: _("The text is finished, it has reached a stop string: press Back or Reset."),
  length: _("The text is finished, its context is full: press Back or Reset."),
  recorded: _("The text is finished, the recording ends here: press Back or Reset."),
};

/** @implements {LiveSession} */
export class Session extends SessionData {
  doing = Promise.resolve(); // one event after another
  /** Events that are not answered yet. @type {LoopEvent[]} */
  underWay = [];
  isReadingAgain = false; // what is shown is what the tab kept
  /** Those of the page before a reload. @type {LoopEvent[]} */
  cutOff = [];

  /**
   * @param {Engine} engine what answers
   * @param {string|Record<string, string>|URLSearchParams} query of the link that it opens with
   * @param {SessionHost} host the page around it
   */
  constructor(engine, query, host = {}) {
    super();
    this.engine = engine;
    this.query = query;
    this.host = host;
    engine.listen?.(() => this.page?.troubled());
  }

  // ---- what the page asks

  /** @param {SessionListener} page */
  listen(page) {
    this.page = page;
  }

  get trouble() {
    return this.engine.trouble ?? null;
  }

  get reading() {
    return this.engine.reading ?? null;
  }

  takeCutOff() {
    return this.cutOff.splice(0);
  }

  retry() {
    this.engine.retry?.();
  }

  cancel() {
    this.engine.cancel?.();
  }

  /** Does what an event asks, after those before it. @param {LoopEvent} event @returns {Promise<State>} */
  answer(event) {
    noteEvent(event);
    if (event.kind === "state" && this.isReadingAgain) return Promise.resolve(this.state);
    this.underWay.push(event);
    const answered = this.doing.then(async () => {
      if (!this.isOpen) await openSession(this);
      if (event.kind !== "state") await this.handle(event);
      return this.state;
    });
    const end = () => void this.underWay.splice(this.underWay.indexOf(event), 1);
    this.doing = answered.then(end, end);
    return answered;
  }

  /** Has the text read that is shown as the tab kept it; what is pressed meanwhile comes after. */
  readAgain() {
    this.isReadingAgain = true;
    this.doing = this.doing.then(async () => {
      await this.attempt(async () => {
        await this.read(this.active);
        await this.showDraft(this.active.prompt);
      }).catch(() => {}); // given up: the next press reads it
      this.isReadingAgain = false;
      this.page?.changed();
    });
  }

  /** Does what no press of the component asks for, and shows it. @param {Partial<LoopEvent>} event */
  async do(event) {
    await this.answer(/** @type {LoopEvent} */ ({ branch: null, ...event }));
    this.page?.changed();
  }

  /**
   * Turns a switch of the page around the text.
   * @param {keyof Session["switches"]} name
   * @param {boolean} isOn
   */
  turn(name, isOn) {
    if (this.switches[name] === isOn) return;
    this.switches = { ...this.switches, [name]: isOn };
    this.page?.changed();
  }

  /** What the page shows. @returns {State} */
  get state() {
    return describe(this);
  }

  /** The hand rests: keeps in the tab what a reload would lose. */
  rest() {
    if (this.isOpen) keepBranches(this);
  }

  /** Its figure leaves the page; the session stays. */
  close() {
    this.rest();
    this.cancel();
  }

  // ---- what the engine is asked

  /** A text, and how it goes on, as an engine is told. @param {Text} text @returns {TextRequest} */
  said(text, ids = text.ids, seed = text.seed) {
    const { id: number, nPrompt: n_prompt } = text;
    const memory = text.memoryAfter(ids.length - n_prompt);
    return { number, ids, n_prompt, memory, controls: this.controls, seed, stop: this.stop };
  }

  /** What `next_id` depends on besides the text. @param {Text} text */
  readingKey(text) {
    return JSON.stringify([text.seed, this.controls, this.stop]);
  }

  /** Has a text read as it stands. @param {Text} text */
  async read(text) {
    text.adopt(await this.engine.read(this.said(text)), this.readingKey(text));
  }

  /**
   * Writes tokens of one kind: drawn, or one that is forced; where none can follow, says why.
   * @param {number|null} forcedId
   * @returns {Promise<number>} how many
   */
  async step(forcedId = null, count = 1) {
    const { active: text, controls } = this;
    if (text.finished) {
      this.say(ENDS[text.finished]);
      return 0;
    }
    if (forcedId !== null) this.checkId(forcedId);
    const again = forcedId === null ? this.redo : null;
    const seed = again?.seed ?? text.seed;
    const tokenId = again?.forced ? again.tokenId : forcedId;
    const how = { token_id: tokenId, count: again ? 1 : count, next_seed: text.seed };
    const reading = await this.engine.step(this.said(text, text.ids, seed), how);
    const { id: ids, forced, choice } = reading.rows;
    const choices = ids.map((id, i) => this.choiceOf(choice?.[i] ?? { seed, controls }, id, forced[i]));
    if (again) text.undone = text.undone.slice(0, -1);
    else text.undone = [];
    this.controls = reading.controls ?? controls;
    text.append(reading, choices, this.readingKey(text));
    if (reading.notice) this.say(reading.notice);
    return choices.length;
  }

  /**
   * @param {Pick<Choice, "seed" | "controls">} choice
   * @param {number} tokenId
   * @param {boolean} forced
   * @returns {Choice}
   */
  choiceOf({ seed, controls }, tokenId, forced) {
    return { seed, controls, tokenId, forced, how: writeHow({ seed, controls }, this.facts) };
  }

  /**
   * Writes the tokens of a link again: drawn by their pointers, or forced; no stop string ends them.
   * @param {LinkChoice[]} choices
   */
  async replay(choices) {
    const { stop } = this;
    this.stop = [];
    try {
      await this.replayed(choices);
    } finally {
      this.stop = stop;
    }
  }

  /** @param {LinkChoice[]} choices */
  async replayed(choices) {
    for (let i = 0; i < choices.length && !this.active.finished;) {
      const { seed, controls, tokenId, forced } = choices[i];
      this.controls = controls;
      this.active.seed = seed;
      const isAlike = (/** @type {LinkChoice} */ other) =>
        !other.forced && other.seed === seed && other.controls === controls;
      const end = choices.findIndex((other, at) => at >= i && (!isAlike(other) || at - i === MAX_COUNT));
      const count = forced ? 1 : (end < 0 ? choices.length : end) - i;
      i += await this.step(forced ? tokenId : null, count);
    }
  }

  /**
   * Writes the run of a link, and says what was not as it asks.
   * @param {Link} link
   * @param {LinkChoice[]} choices
   * @param {string[]} problems
   * @param {string|null} notice of its prompt
   */
  async write(link, choices, problems, notice) {
    try {
      await this.replay(choices);
    } catch (error) {
      if (isGivenUp(error)) throw error;
      problems.push(_("The link's run was followed in part: {reason}", { reason: reasonOf(error) }));
    }
    this.controls = link.controls;
    this.stop = link.stop ?? this.stop;
    this.reseed(link.seed);
    await this.refresh();
    const sentences = [...new Set([...problems, ...(notice ? [notice] : [])])];
    if (sentences.length > 0)
      this.say(asManyAsFit(sentences, MAX_SENTENCE, " "), problems.length > 0 ? "error" : "info");
  }

  /** Has the newest token named anew where the controls or the seed are others by now. */
  async refresh() {
    if (this.active.readFor !== this.readingKey(this.active)) await this.read(this.active);
  }

  // ---- how it is done

  get settings() {
    return activeSettings(this.controls, this.facts.orders);
  }

  /** What Next replays: the token taken back last, while no setting has changed. @returns {Choice|null} */
  get redo() {
    const again = this.active.undone.at(-1);
    if (again === undefined) return null;
    const before = activeSettings(again.controls, this.facts.orders);
    return JSON.stringify(before) === JSON.stringify(this.settings) ? again : null;
  }

  /** The pointer of the next position. */
  get pointer() {
    return uniformAt(this.redo?.seed ?? this.active.seed, this.active.ids.length);
  }

  /** The id that Next will append as things stand; null where the text is finished, or nobody knows. */
  get nextId() {
    const { active, redo } = this;
    if (active.finished) return null;
    if (redo !== null) return redo.tokenId;
    return active.readFor === this.readingKey(active) ? active.reading.next_id : null;
  }

  /** Draws with other pointers from here on; what is written stays. @param {number} seed */
  reseed(seed) {
    this.active.seed = seed;
    this.active.undone = [];
  }

  /** Does what the page asks. @param {LoopEvent} event */
  async handle(event) {
    const { kind, branch } = event;
    this.notice = null;
    if (!BRANCHLESS.includes(kind) && (branch ?? this.active.id) !== this.active.id)
      return this.say(_("That was meant for another text: press again."));
    if (!QUIET.includes(kind)) this.guess = this.inspection = null;
    await this.attempt(async () => {
      if (!Object.hasOwn(EVENTS, kind))
        throw new RangeError(_("The page asked for “{kind}”: reload the page.", { kind }));
      if (event.controls) this.controls = readControls(event.controls, this.facts);
      await EVENTS[kind].call(this, event);
    });
    await this.attempt(() => this.refresh()); // what was done in part has a next token, too
    this.host.changed?.(this);
  }

  /** Does something; if it fails, says why. @param {() => Promise<void>} act */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      if (isGivenUp(error)) throw error;
      this.say(reasonOf(error), "error");
    }
  }

  /** @param {number} nTokens */
  async rewind(nTokens) {
    const { active } = this;
    const before = active.ids.slice(0, active.ids.length - nTokens);
    const reading = await this.engine.read(this.said(active, before));
    active.takeBack(nTokens);
    this.controls = reading.controls ?? this.controls;
    active.adopt(reading, this.readingKey(active));
    if (reading.notice) this.say(reading.notice);
  }

  /** @param {number} position */
  tokensFrom(position) {
    const nTokens = this.active.ids.length - position;
    if (nTokens > 0 && nTokens <= this.active.choices.length) return nTokens;
    throw new RangeError(_("Only generated tokens can be taken back: choose one after the prompt."));
  }

  /** @param {number} id */
  checkId(id) {
    const { name, vocab_size: size } = this.facts.model;
    if (Number.isInteger(id) && id >= 0 && id < size) return;
    throw new RangeError(
      _("{id} is no token of {model}: use ids from 0 to {highest}.", { id, model: name, highest: size - 1 }),
    );
  }

  /** Takes the text in the prompt's field apart; it is not yet the prompt. @param {string} text */
  async showDraft(text) {
    const { pieces } = await this.takeApart(text, this.active.chat);
    this.draftPieces = pieces;
    this.draft = text;
  }

  /**
   * A text as its tokens; one that was just taken apart is not asked about again.
   * @param {string} text
   * @param {boolean} chat
   */
  async takeApart(text, chat) {
    const { apart, facts: { model: { name } } } = this;
    if (apart?.text === text && apart.chat === chat && apart.name === name) return apart;
    return this.apart = { text, chat, name, ...(await this.engine.tokenise(text, chat)) };
  }

  /**
   * Begins another text; the one on the page stays as a branch if anything was written.
   * @param {string} prompt
   * @param {number} seed
   * @param {{keep?: boolean, chat?: boolean, ids?: number[]|null}} how keep: it stays though it is but a
   *   prompt; ids: those that the chat template gave when its link was made
   * @returns {Promise<string|null>} why it has other ids than the template gives now
   */
  async start(prompt, seed, how = {}) {
    const { keep = false, chat = this.isOpen && this.active.chat, ids: earlier = null } = how;
    const apart = earlier
      ? await this.engine.tokenise(prompt, chat, earlier)
      : await this.takeApart(prompt, chat);
    const { ids, pieces } = apart;
    const text = new Text({ id: this.nBegun, prompt, seed, chat }, ids);
    await this.read(text);
    this.controls = text.reading.controls ?? this.controls;
    if (keep || (this.isOpen && this.active.choices.length > 0)) this.makeRoom();
    else if (this.isOpen) this.texts = this.texts.filter((other) => other !== this.active);
    this.add(text);
    this.draftPieces = pieces;
    this.draft = prompt;
    return apart.notice ?? null;
  }

  /** Lets the oldest other text go. */
  makeRoom() {
    if (this.texts.length < MAX_BRANCHES) return;
    const oldest = this.texts.find((text) => text !== this.active);
    this.texts = this.texts.filter((text) => text !== oldest);
    this.say(_("{n} texts are kept: the oldest branch was let go.", { n: MAX_BRANCHES }));
  }

  /** @param {string} text @param {Notice["kind"]} kind */
  say(text, kind = "info") {
    this.notice = { kind, text };
  }
}
