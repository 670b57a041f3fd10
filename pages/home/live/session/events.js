// What each kind of event does to a session. An event that cannot be done raises a RangeError, whose sentence
// the reader is told.

import { activeSettings } from "../controls.js";
import { readLink, readSaved, readWhole } from "./link.js";
import { readStrings } from "../../../frame/live/stopping.js";
import { begin, openBeside } from "./opening.js";
import { _, languageTag, ngettext } from "../../../frame/live/words.js";

const MAX_FINISH_MS = 3000; // that "+20 tokens" may keep the page waiting
const MAX_SEED = 2 ** 31 - 1;
const MAX_DRAFT = 20_000; // characters that are taken apart while they are typed
export const MAX_COUNT = 200; // tokens of one request
/** Events of no text in particular. */
export const BRANCHLESS = [
  "switch",
  "settings",
  "stop",
  "tokenise",
  "seed",
  "chat",
  "open",
  "open run",
  "model",
  "say",
];
/** Events after which what was looked at stays. */
export const QUIET = ["inspect", "tokenise", "settings", "stop", "guess", "word", "seed", "say"];

/** @typedef {import("./session.js").Session} Session */

/** By the kind of an event. @type {Record<string, (this: Session, event: any) => Promise<void>|void>} */
export const EVENTS = {
  settings() {
    if (this.engine.fixed) this.say(this.engine.fixed);
  },
  /** Sets the strings that end a text from here on. */
  stop({ text }) {
    if (this.engine.fixed) return this.say(this.engine.fixed);
    this.stop = readStrings(text);
  },
  async next() {
    await this.step();
  },
  async force({ token_id: id }) {
    if (!this.active.finished) this.checkId(id); // null would be drawn
    await this.step(id);
  },
  async finish(event) {
    const [begun, wanted] = [performance.now(), Math.max(1, Math.min(event.count, MAX_COUNT))];
    let written = 0;
    do {
      if (written > 0 && performance.now() - begun > MAX_FINISH_MS) {
        return this.say(
          ngettext(
            "Wrote {n_written} of {n} token in {seconds} s: press again to go on.",
            "Wrote {n_written} of {n} tokens in {seconds} s: press again to go on.",
            wanted,
            { n_written: written, seconds: MAX_FINISH_MS / 1000 },
          ),
        );
      }
      written += await this.step(null, wanted - written);
      event.count = wanted - written; // all that a reload would have to write
    } while (written < wanted && !this.active.finished);
  },
  async back() {
    if (this.active.choices.length > 0) await this.rewind(1);
  },
  async reset() {
    if (this.active.choices.length > 0) await this.rewind(this.active.choices.length);
    this.active.undone = [];
  },
  /** Writes what was taken back again: the rest of a text, each token as it came about. */
  async again({ query }) {
    const { choices, problems } = readWhole(query, this.facts);
    if (problems.length > 0) throw new RangeError(problems[0]);
    const { active, controls } = this;
    const { seed } = active;
    try {
      await this.replay(choices.slice(active.choices.length));
    } finally {
      this.controls = controls;
      active.seed = seed;
    }
  },
  async rewind({ position }) {
    await this.rewind(this.tokensFrom(position));
  },
  async branch({ position }) {
    const { active } = this;
    const nKept = active.choices.length - this.tokensFrom(position);
    const twin = active.copy(this.nBegun, (active.seed + this.nBegun) % (MAX_SEED + 1), nKept);
    await this.read(twin);
    this.makeRoom();
    this.add(twin);
    if (twin.reading.notice) this.say(twin.reading.notice);
  },
  async switch({ id }) {
    const text = this.texts.find((other) => other.id === id);
    if (text === undefined) throw new RangeError(_("That branch is gone: choose one of those shown."));
    await this.read(text);
    this.active = text;
    await this.showDraft(text.prompt);
  },
  async prompt({ text }) {
    await this.start(text, this.active.seed);
  },
  async tokenise({ text }) {
    if (text.length > MAX_DRAFT) {
      const [n, most] = [text.length, MAX_DRAFT].map((count) => count.toLocaleString(languageTag()));
      throw new RangeError(
        _(
          "The text has {number} characters: its tokens are shown up to {most}; press Enter to try it whole.",
          { number: n, most },
        ),
      );
    }
    await this.showDraft(text);
  },
  async inspect({ position }) {
    this.inspection = null;
    if (position !== null) this.inspection = await lookBack(this, position);
  },
  async guess({ text }) {
    this.guess = await this.engine.weigh(this.said(this.active), text);
  },
  /** Follows a word, or a token by its id, from a position on; an empty one no longer. */
  async word({ text, token_id: id, position }) {
    const { active } = this;
    const after = active.ids.slice(0, position);
    if (text === "") this.word = null;
    else if (id === null)
      this.word = { ...(await this.engine.score(this.said(active), text, position)), after };
    else {
      this.checkId(id);
      this.word = { text, ids: [id], logprobs: [], after };
    }
  },
  /** Draws with the pointers of another seed. */
  seed({ seed }) {
    this.reseed(seed);
  },
  /** Starts the prompt again, with or without the model's chat template. */
  async chat({ chat }) {
    const { prompt, seed } = this.active;
    await this.start(prompt, seed, { chat: chat && this.facts.model.has_chat_template });
  },
  say({ text }) {
    this.say(text, "error");
  },
  /** Opens the texts of some links, side by side. */
  async open({ texts }) {
    for (const { query, keep } of texts) {
      const link = readLink(query, this.facts);
      await openBeside(this, link, keep);
    }
  },
  /** Opens a run that was saved; one of another model waits until that is here. */
  async "open run"({ text }) {
    const link = readSaved(text, this.facts, this.host.wantsModel !== undefined);
    if (link.model === this.facts.model.name) return await openBeside(this, link);
    this.waitingLink = { model: link.model, query: link.query };
    this.host.wantsModel?.(link.model);
  },
  /** Goes on with another model: the same prompt, or a link that waited for it. */
  async model() {
    const { name, dtype } = this.facts.model;
    const facts = await this.engine.open();
    if (facts.model.name === name && facts.model.dtype === dtype) return;
    const { active, controls, waitingLink } = this;
    const { prompt, seed, chat } = active;
    Object.assign(this, { facts, texts: [], active: null, waitingLink: null, word: null });
    if (waitingLink?.model === facts.model.name) {
      await begin(this, readWhole(waitingLink.query, facts));
      return;
    }
    const usual = { model: facts.model.name, choices: [], problems: [] };
    const isAsked = chat && facts.model.has_chat_template;
    await begin(this, { ...usual, prompt, seed, chat: isAsked || undefined, controls });
  },
};

/**
 * What the token at a position was drawn from, or what the prompt's is held against.
 * @param {Session} session
 * @param {number} position
 * @returns {Promise<NonNullable<Session["inspection"]>>}
 */
async function lookBack(session, position) {
  const { active, settings, facts } = session;
  const { described, arrays } = await session.engine.logitsAt(session.said(active), position);
  const step = position - active.nPrompt;
  const of = (/** @type {string} */ name, /** @type {unknown} */ otherwise) =>
    step < 0 ? otherwise : active.columns[name][step];
  const choice = active.choices[step];
  return {
    header: {
      ...described,
      position,
      token_id: active.ids[position],
      pointer: of("pointer", null),
      forced: of("forced", false),
      memory: of("memory", { target: 0, mu: 0 }),
      settings: choice ? activeSettings(choice.controls, facts.orders) : settings,
    },
    arrays,
  };
}
