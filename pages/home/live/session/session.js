// One reader's texts: the branches, what was taken back, and the controls. It lives in the page and nowhere
// else. An event either does what it says or leaves everything as it was and sets `notice` to one sentence.
// What only a model can say, it asks an engine: the server, the model in the page, or a recording.

import { activeSettings } from "../controls.js";
import { uniformAt } from "../../../frame/live/pointer.js";
import { noteEvent } from "../timings.js";
import { asManyAsFit } from "./fields.js";
import { linkOf, readControls, readLink, readSaved, readWhole, writeHow } from "./link.js";
import { toCsv, toJson } from "./run_file.js";
import { describe } from "./state.js";
import { keepBranches, lostBranches } from "./tab_record.js";
import { OF_PASS, Text } from "./text.js";

const MAX_BRANCHES = 8;
const MAX_FINISH_MS = 3000; // that "+20 tokens" may keep the page waiting
const MAX_COUNT = 200; // tokens of one request
const MAX_SEED = 2 ** 31 - 1;
const MAX_SENTENCE = 300; // characters of what a reader is told at once
const MAX_DRAFT = 20_000; // characters that are taken apart while they are typed
/** Events of no text in particular. */
const BRANCHLESS = ["switch", "settings", "tokenise", "seed", "chat", "open", "open run", "model", "say"];
/** Events after which what was looked at stays. */
const QUIET = ["inspect", "tokenise", "settings", "guess", "seed", "say"];

/** Columns that a text cannot do without. */
const OF_RECORD = ["id", "logprob", "memory", "forced", "chosen_prob"];

const ENDS = {
  eos: "the model wrote its end token",
  length: "its context is full",
  recorded: "the recording ends here",
};

/** @implements {LiveSession} */
export class Session {
  /** @type {Notice|null} */
  notice = null;
  /** @type {Guess|null} */
  guess = null;
  inspection = null; // the position that is looked back at
  /** @type {Text[]} */
  texts = [];
  /** The text that is written. @type {Text|null} */
  active = null;
  nBegun = 0; // texts, those that are gone included
  /** @type {Piece[]} */
  draftPieces = []; // the text in the prompt's field
  draft = "";
  /** @type {Facts|null} */
  facts = null;
  switches = { presenter: false, hide_bars: false }; // of the page around the text
  /** A link that waits for its model. @type {{model: string, query: string}|null} */
  waitingLink = null;
  doing = Promise.resolve(); // one event after another

  /**
   * @param {Engine} engine what answers
   * @param {Record<string, string>} query of the link that it opens with
   * @param {SessionHost} host the page around it
   */
  constructor(engine, query, host = {}) {
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

  retry() {
    this.engine.retry?.();
  }

  cancel() {
    this.engine.cancel?.();
  }

  /** Does what an event asks, after those before it. @param {LoopEvent} event @returns {Promise<State>} */
  answer(event) {
    noteEvent(event);
    const answered = this.doing.then(async () => {
      if (this.active === null) await this.open();
      if (event.kind !== "state") await this.handle(event);
      return this.state;
    });
    this.doing = answered.then(() => {}, () => {});
    return answered;
  }

  /** Does what no press of the component asks for, and shows it. @param {Partial<LoopEvent>} event */
  async do(event) {
    await this.answer(/** @type {LoopEvent} */ ({ branch: null, ...event }));
    this.page?.changed();
  }

  /** Turns a switch of the page around the text. */
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
    if (this.active !== null) keepBranches(this);
  }

  /** Its figure leaves the page; the session stays. */
  close() {
    this.rest();
    this.cancel();
  }

  /** The run as a file of some kind; where no engine writes them, the page does. @returns {Promise<string>} */
  file(kind) {
    const { header } = this.state;
    const link = linkOf({ ...header, address: header.address || `model=${this.facts.model.name}` }).slice(1);
    if (this.engine.file === undefined) {
      const facts = /** @type {PageFacts} */ (this.facts);
      return Promise.resolve(kind === "csv" ? toCsv(header, facts) : toJson(header, facts, link));
    }
    const { prompt, chat, choices, columns } = this.active;
    const passes = Object.fromEntries(OF_PASS.map((name) => [name, columns[name] ?? []]));
    const forced = choices.map((choice) => choice.forced);
    const run = { format: kind, prompt, chat, draws: alike(choices), forced, passes, link };
    return this.engine.file(this.said(this.active), { ...run, presenter: this.switches.presenter });
  }

  // ---- how it begins

  /** Opens what the tab kept over a reload, else the text of the link, else what can be. */
  async open() {
    this.facts = await this.engine.open();
    const link = readLink(this.query, this.facts);
    const kept = lostBranches();
    const isKept = kept?.model === this.facts.model.name;
    if (isKept && (await this.restore(kept))) return;
    if (kept !== null && !isKept) this.host.wantsModel?.(kept.model);
    await this.begin(link);
  }

  /** Begins the text of a link; where it asks too much, says so and begins what can be. */
  async begin(link) {
    const { has_chat_template: hasTemplate, name } = this.facts.model;
    const problems = [...link.problems];
    const isOther = link.model !== name && !(this.host.isModel?.(link.model) ?? false);
    if (isOther && this.host.otherModel) problems.push(this.host.otherModel(link.model));
    if (link.chat && !hasTemplate)
      problems.push(`${name} has no chat template: the prompt stands as it was written.`);
    let choices = isOther ? [] : link.choices;
    this.controls = link.controls;
    const { prompt, seed } = link;
    const ways = [{ prompt, chat: false }, { prompt: this.facts.prompt, chat: false }];
    if (link.chat && hasTemplate) ways.unshift({ prompt, chat: true }); // it may refuse
    for (const way of ways) {
      try {
        await this.start(way.prompt, seed, way);
        break;
      } catch (error) {
        if (way === ways.at(-1) || error.name === "AbortError") throw error;
        problems.push(error.message);
        choices = [];
      }
    }
    await this.write(link, choices, problems);
    if (link.chat === undefined) this.tellOfChat();
  }

  /** Takes back the texts that the tab kept; false where they cannot be read. @param {TabRecord} record */
  async restore(record) {
    try {
      const texts = record.branches.map((kept) => this.readText(kept));
      const active = texts.find(({ id }) => id === record.active);
      this.controls = readControls(record.controls, this.facts);
      await this.read(active);
      this.texts = texts;
      this.active = active;
      this.nBegun = Math.max(...texts.map(({ id }) => id)) + 1;
      await this.showDraft(active.prompt);
      return true;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.say("The branches that this tab kept cannot be read: go on with the text that is here.", "error");
      return false;
    }
  }

  /** A text as the tab kept it. @param {TabRecord["branches"][number]} kept */
  readText({ id, query, ids, columns, joined }) {
    const { prompt, seed, chat, choices, problems } = readWhole(query, this.facts);
    if (problems.length > 0) throw new RangeError(problems[0]);
    const needed = choices.length > 0 ? OF_RECORD.map((name) => columns[name]) : [];
    for (const column of [...needed, ...Object.values(columns)])
      if (column.length !== choices.length || !Array.isArray(column))
        throw new RangeError("a column is missing");
    const text = new Text({ id, prompt, seed, chat: Boolean(chat) }, ids, ids.length - choices.length);
    text.choices = choices.map((choice, i) => this.choiceOf(choice, ids[text.nPrompt + i], choice.forced));
    return Object.assign(text, { columns: { ...columns }, joined: { ...joined } });
  }

  // ---- what the engine is asked

  /** A text, and how it goes on, as an engine is told. @param {Text} text @returns {TextRequest} */
  said(text, ids = text.ids, seed = text.seed) {
    const { id: number, nPrompt: n_prompt } = text;
    const memory = text.memoryAfter(ids.length - n_prompt);
    return { number, ids, n_prompt, memory, controls: this.controls, seed };
  }

  /** What `next_id` depends on besides the text. @param {Text} text */
  readingKey(text) {
    return JSON.stringify([text.seed, this.controls]);
  }

  /** Has a text read as it stands. @param {Text} text */
  async read(text) {
    text.adopt(await this.engine.read(this.said(text)), this.readingKey(text));
  }

  /** Writes tokens of one kind: drawn, or one that is forced. @returns {Promise<number>} how many */
  async step(forcedId = null, count = 1) {
    const { active: text, controls } = this;
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

  choiceOf({ seed, controls }, tokenId, forced) {
    return { seed, controls, tokenId, forced, how: writeHow({ seed, controls }, this.facts) };
  }

  /** Writes the tokens of a link again: drawn by their pointers, or forced as they were. */
  async replay(choices) {
    for (let i = 0; i < choices.length && !this.active.finished;) {
      const { seed, controls, tokenId, forced } = choices[i];
      this.controls = controls;
      this.active.seed = seed;
      const isAlike = (other) => !other.forced && other.seed === seed && other.controls === controls;
      const end = choices.findIndex((other, at) => at >= i && (!isAlike(other) || at - i === MAX_COUNT));
      const count = forced ? 1 : (end < 0 ? choices.length : end) - i;
      i += await this.step(forced ? tokenId : null, count);
    }
  }

  /** Writes the run of a link, and says what was not as it asks. */
  async write(link, choices, problems) {
    try {
      await this.replay(choices);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      problems.push(`The link's run was followed in part: ${error.message}`);
    }
    this.controls = link.controls;
    this.reseed(link.seed);
    await this.refresh();
    if (problems.length > 0) this.say(asManyAsFit([...new Set(problems)], MAX_SENTENCE, " "), "error");
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

  /** Draws with other pointers from here on; what is written stays. */
  reseed(seed) {
    this.active.seed = seed;
    this.active.undone = [];
  }

  /** Does what the page asks. @param {LoopEvent} event */
  async handle(event) {
    const { kind, branch } = event;
    this.notice = null;
    if (!BRANCHLESS.includes(kind) && (branch ?? this.active.id) !== this.active.id)
      return this.say("That was meant for another text: press again.");
    if (!QUIET.includes(kind)) this.guess = this.inspection = null;
    await this.attempt(async () => {
      if (!Object.hasOwn(ON, kind)) throw new RangeError(`The page asked for “${kind}”: reload the page.`);
      if (event.controls) this.controls = readControls(event.controls, this.facts);
      await ON[kind].call(this, event);
    });
    await this.attempt(() => this.refresh()); // what was done in part has a next token, too
    this.host.changed?.(this);
  }

  /** Does something; if it fails, says why. @param {() => Promise<void>} act */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.say(error.message, "error");
    }
  }

  async rewind(nTokens) {
    const { active } = this;
    const before = active.ids.slice(0, active.ids.length - nTokens);
    const reading = await this.engine.read(this.said(active, before));
    active.takeBack(nTokens);
    this.controls = reading.controls ?? this.controls;
    active.adopt(reading, this.readingKey(active));
    if (reading.notice) this.say(reading.notice);
  }

  /** Whether nothing can follow, and says why. */
  isFinished() {
    const { finished } = this.active;
    if (finished) this.say(`The text is finished, ${ENDS[finished]}: press Back or Reset.`);
    return finished !== null;
  }

  tokensFrom(position) {
    const nTokens = this.active.ids.length - position;
    if (nTokens > 0 && nTokens <= this.active.choices.length) return nTokens;
    throw new RangeError("Only generated tokens can be taken back: choose one after the prompt.");
  }

  checkId(id) {
    const { name, vocab_size: size } = this.facts.model;
    if (Number.isInteger(id) && id >= 0 && id < size) return;
    throw new RangeError(`${id} is no token of ${name}: use ids from 0 to ${size - 1}.`);
  }

  /** Takes the text in the prompt's field apart; it is not yet the prompt. */
  async showDraft(text) {
    const { pieces } = await this.takeApart(text, this.active.chat);
    this.draftPieces = pieces;
    this.draft = text;
  }

  /** A text as its tokens; one that was just taken apart is not asked about again. */
  async takeApart(text, chat) {
    if (this.apart?.text !== text || this.apart.chat !== chat || this.apart.name !== this.facts.model.name) {
      const { name } = this.facts.model;
      this.apart = { text, chat, name, ...(await this.engine.tokenise(text, chat)) };
    }
    return this.apart;
  }

  /**
   * Begins another text; the one on the page stays as a branch if anything was written.
   * @param {string} prompt
   * @param {number} seed
   * @param {{keep?: boolean, chat?: boolean}} how keep: it stays though it is but a prompt
   */
  async start(prompt, seed, how = {}) {
    const { keep = false, chat = this.active?.chat ?? false } = how;
    const { ids, pieces } = await this.takeApart(prompt, chat);
    const text = new Text({ id: this.nBegun, prompt, seed, chat }, ids);
    await this.read(text);
    this.controls = text.reading.controls ?? this.controls;
    if (keep || this.active?.choices.length > 0) this.makeRoom();
    else this.texts = this.texts.filter((other) => other !== this.active);
    this.add(text);
    this.draftPieces = pieces;
    this.draft = prompt;
  }

  /** @param {Text} text */
  add(text) {
    this.texts = [...this.texts, text];
    this.active = text;
    this.nBegun += 1;
  }

  /** Opens the text of a link beside what is on the page. */
  async openBeside(link, keep = false) {
    const chat = Boolean(link.chat) && this.facts.model.has_chat_template;
    await this.start(link.prompt, link.seed, { keep, chat });
    await this.write(link, link.choices, [...link.problems]);
  }

  /** Lets the oldest other text go. */
  makeRoom() {
    if (this.texts.length < MAX_BRANCHES) return;
    const oldest = this.texts.find((text) => text !== this.active);
    this.texts = this.texts.filter((text) => text !== oldest);
    this.say(`${MAX_BRANCHES} texts are kept: the oldest branch was let go.`);
  }

  /** Says that a chat model continues plain text here, and where it can be asked instead. */
  tellOfChat() {
    const { has_chat_template: hasTemplate, name } = this.facts.model;
    if (!hasTemplate || this.active.chat || this.notice !== null) return;
    this.say(
      `${name} was trained on chats as well. Here it continues your prompt as plain text; ` +
        `“Plain text · seed ${this.active.seed}” above turns its chat template on.`,
    );
  }

  /** @param {string} text @param {Notice["kind"]} kind */
  say(text, kind = "info") {
    this.notice = { kind, text };
  }
}

/** How many tokens were drawn alike, and how. @param {Choice[]} choices */
function alike(choices) {
  const runs = [];
  choices.forEach(({ how, seed, controls }, i) => {
    if (how === choices[i - 1]?.how) runs.at(-1).count += 1;
    else runs.push({ count: 1, seed, controls });
  });
  return runs;
}

/** What each kind of event does. @type {Record<string, (this: Session, event: any) => Promise<void>|void>} */
const ON = {
  settings() {
    if (this.engine.fixed) this.say(this.engine.fixed);
  },
  async next() {
    if (!this.isFinished()) await this.step();
  },
  async force({ token_id: id }) {
    if (this.isFinished()) return;
    this.checkId(id);
    await this.step(id);
  },
  async finish({ count }) {
    if (this.isFinished()) return;
    const [begun, wanted] = [performance.now(), Math.max(1, Math.min(count, MAX_COUNT))];
    for (let written = 0; written < wanted && !this.active.finished;) {
      if (written > 0 && performance.now() - begun > MAX_FINISH_MS) {
        const seconds = MAX_FINISH_MS / 1000;
        return this.say(`Wrote ${written} of ${wanted} tokens in ${seconds} s: press again to go on.`);
      }
      written += await this.step(null, wanted - written);
    }
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
    if (text === undefined) throw new RangeError("That branch is gone: choose one of those shown.");
    await this.read(text);
    this.active = text;
    await this.showDraft(text.prompt);
  },
  prompt({ text }) {
    return this.start(text, this.active.seed);
  },
  async tokenise({ text }) {
    if (text.length > MAX_DRAFT) {
      const [n, most] = [text.length, MAX_DRAFT].map((count) => count.toLocaleString("en"));
      throw new RangeError(
        `The text has ${n} characters: its tokens are shown up to ${most}; press Enter to try it whole.`,
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
  /** Draws with the pointers of another seed. */
  seed({ seed }) {
    this.reseed(seed);
  },
  /** Starts the prompt again, with or without the model's chat template. */
  chat({ chat }) {
    const { prompt, seed } = this.active;
    return this.start(prompt, seed, { chat: chat && this.facts.model.has_chat_template });
  },
  say({ text }) {
    this.say(text, "error");
  },
  /** Opens the texts of some links, side by side. */
  async open({ texts }) {
    for (const { query, keep } of texts) {
      const link = readLink(Object.fromEntries(new URLSearchParams(query)), this.facts);
      await this.openBeside(link, keep);
    }
  },
  /** Opens a run that was saved; one of another model waits until that is here. */
  async "open run"({ text }) {
    const link = readSaved(text, this.facts, this.host.wantsModel !== undefined);
    if (link.model === this.facts.model.name) return await this.openBeside(link);
    this.waitingLink = { model: link.model, query: link.query };
    this.host.wantsModel(link.model);
  },
  /** Goes on with another model: the same prompt, or a link that waited for it. */
  async model() {
    const { name, dtype } = this.facts.model;
    const facts = await this.engine.open();
    if (facts.model.name === name && facts.model.dtype === dtype) return;
    const { active, controls, waitingLink } = this;
    const { prompt, seed, chat } = active;
    Object.assign(this, { facts, texts: [], active: null, waitingLink: null });
    if (waitingLink?.model === facts.model.name) {
      await this.begin(readWhole(waitingLink.query, facts));
      return;
    }
    const usual = { model: facts.model.name, choices: [], problems: [] };
    const isAsked = chat && facts.model.has_chat_template;
    await this.begin({ ...usual, prompt, seed, chat: isAsked || undefined, controls });
  },
};

/** What the token at a position was drawn from, or what the prompt's is held against. */
async function lookBack(session, position) {
  const { active, settings, facts } = session;
  const { described, arrays } = await session.engine.logitsAt(session.said(active), position);
  const step = position - active.nPrompt;
  const of = (name, otherwise) => step < 0 ? otherwise : active.columns[name][step];
  const choice = active.choices[step];
  return {
    header: {
      ...described,
      position,
      token_id: active.ids[position],
      coin: of("coin", null),
      forced: of("forced", false),
      memory: of("memory", { target: 0, mu: 0 }),
      settings: choice ? activeSettings(choice.controls, facts.orders) : settings,
    },
    arrays,
  };
}
