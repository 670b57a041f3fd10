// One reader's texts in the page: the branches, what was taken back, and the controls; the twin of
// pages/home/session.py. Every event either does what it says or leaves everything as it was and sets
// `notice` to one sentence.

import { textQuery } from "../live/link.js";
import { activeSettings } from "../live/controls.js";
import { drawToken } from "../../frame/live/masks.js";
import { NO_MEMORY } from "../../frame/live/memory.js";
import { asManyAsFit } from "./fields.js";
import { Generation } from "./generation.js";
import { weighGuess } from "./guess.js";
import { readControls, readSaved, readWhole, writeHow } from "./link.js";
import { uniformAt } from "../../frame/live/pointer.js";

const MAX_BRANCHES = 8;
const MAX_FINISH_MS = 3000; // that "+20 tokens" may keep the page waiting
const MAX_SEED = 2 ** 31 - 1;
const MAX_SENTENCE = 300; // characters of what a reader is told at once
/** Events of no text in particular. */
const BRANCHLESS = ["state", "switch", "settings", "tokenise", "restore", "seed", "open run"];
/** Events after which what was looked at stays. */
const QUIET = ["state", "inspect", "tokenise", "settings", "guess", "seed"];

export class Session {
  /** @type {Notice|null} */
  notice = null;
  /** @type {Guess|null} */
  guess = null;
  inspection = null; // the position that is looked back at
  branches = [];
  nBegun = 0; // branches, those that are gone included

  /**
   * Opens the text of a link; where it asks too much, says so and opens what can be.
   * @param {import("./llama.js").Llama} model
   * @param {import("./tokenizer.js").Tokenizer} tokenizer
   * @param {Facts} facts
   * @param {ReturnType<typeof import("./link.js").readLink>} link
   */
  constructor(model, tokenizer, facts, link) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.facts = facts;
    this.controls = link.controls;
    const { name } = facts.model;
    const problems = [...link.problems];
    const isOther = link.model !== name;
    if (isOther) problems.push(`This file holds ${name} alone: open the link in the app for ${link.model}.`);
    if (link.chat) problems.push(`${name} has no chat template: the prompt stands as it was written.`);
    this.begin(link, isOther ? [] : link.choices, problems);
  }

  /** Begins with the first prompt that can be read, and writes the run of the link. */
  begin(link, choices, problems) {
    for (const prompt of [link.prompt, this.facts.prompt]) {
      try {
        this.active = this.addBranch(prompt, link.seed, this.readPrompt(prompt, link.seed));
        break;
      } catch (error) {
        problems.push(error.message);
        choices = [];
      }
    }
    this.showDraft(this.active.prompt);
    this.write(link, choices, problems);
  }

  /** Opens a run that was saved; the text on the page stays as a branch if anything was written. */
  open(link) {
    this.start(link.prompt, link.seed);
    this.write(link, link.choices, [...link.problems]);
  }

  /** Writes the run of a link, and says what was not as it asks. */
  write(link, choices, problems) {
    try {
      this.replay(choices);
    } catch (error) {
      problems.push(`The link's run was followed in part: ${error.message}`);
    }
    this.controls = link.controls;
    this.reseed(link.seed);
    if (problems.length > 0) this.say(asManyAsFit([...new Set(problems)], MAX_SENTENCE, " "), "error");
  }

  get generation() {
    return this.active.generation;
  }

  get settings() {
    return activeSettings(this.controls, this.facts.orders);
  }

  /** What Next replays: the token taken back last, while no setting has changed. */
  get redo() {
    const again = this.active.undone.at(-1);
    if (again === undefined) return null;
    const before = activeSettings(again.controls, this.facts.orders);
    return JSON.stringify(before) === JSON.stringify(this.settings) ? again : null;
  }

  /** The pointer of the next position. */
  get pointer() {
    return uniformAt(this.redo?.seed ?? this.active.seed, this.generation.ids.length);
  }

  /** The id that Next will append as things stand; null where the text is finished. */
  get nextId() {
    const { generation, redo, pointer } = this;
    if (generation.finished) return null;
    if (redo?.forced) return redo.tokenId;
    return drawToken(generation.process(this.settings, pointer), pointer).id;
  }

  /** Draws with other pointers from here on; what is written stays. */
  reseed(seed) {
    this.active.seed = seed;
    this.active.undone = [];
  }

  /** Does what the page asks. @param {LoopEvent} event */
  handle(event) {
    const { kind, branch } = event;
    if (kind !== "state") this.notice = null;
    if (!BRANCHLESS.includes(kind) && (branch ?? this.active.id) !== this.active.id) {
      this.say("That was meant for another text: press again.");
      return;
    }
    if (!QUIET.includes(kind)) this.guess = this.inspection = null;
    try {
      if (event.controls) this.controls = readControls(event.controls, this.facts);
      ON[kind].call(this, event);
    } catch (error) {
      this.say(error.message, "error");
    }
  }

  // ---- how it is done

  step(forcedId = null) {
    const { active, controls, settings } = this;
    const again = forcedId === null ? this.redo : null;
    const seed = again?.seed ?? active.seed;
    active.generation.seed = seed;
    const step = active.generation.step(settings, again?.forced ? again.tokenId : forcedId);
    if (again) active.undone.pop();
    else active.undone = [];
    const choice = { seed, controls, tokenId: step.token_id, forced: step.forced };
    active.choices.push({ ...choice, how: writeHow(choice, this.facts) });
  }

  /** Writes the tokens of a link again: drawn by their pointers, or forced as they were. */
  replay(choices) {
    for (const { seed, controls, tokenId, forced } of choices) {
      if (this.generation.finished) break;
      this.controls = controls;
      this.active.seed = seed;
      if (forced) this.checkId(tokenId);
      this.step(forced ? tokenId : null);
    }
  }

  rewind(nTokens) {
    const { active } = this;
    active.generation.rewind(nTokens);
    const taken = active.choices.splice(active.choices.length - nTokens);
    active.undone.push(...taken.reverse());
  }

  /** Whether nothing can follow, and says why. */
  isFinished() {
    const { finished } = this.generation;
    const why = finished === "eos" ? "the model wrote its end token" : "its context is full";
    if (finished) this.say(`The text is finished, ${why}: press Back or Reset.`);
    return finished !== null;
  }

  tokensFrom(position) {
    const nTokens = this.generation.ids.length - position;
    if (nTokens > 0 && nTokens <= this.active.choices.length) return nTokens;
    throw new RangeError("Only generated tokens can be taken back: choose one after the prompt.");
  }

  checkId(id) {
    const size = this.facts.model.vocab_size;
    if (Number.isInteger(id) && id >= 0 && id < size) return;
    throw new RangeError(`${id} is no token of ${this.facts.model.name}: use ids from 0 to ${size - 1}.`);
  }

  /** Reads a prompt as a text of its own. */
  readPrompt(prompt, seed) {
    const ids = this.tokenizer.encode(prompt);
    const room = this.model.config.max_position_embeddings;
    if (ids.length <= room) return new Generation(this.model, ids, seed);
    const [n, excess, most] = [ids.length, ids.length - room, room].map((n) => n.toLocaleString("en"));
    throw new RangeError(
      `${n} tokens are ${excess} more than the ${most} that ${this.facts.model.name} reads: shorten the prompt.`,
    );
  }

  /** Takes the text in the prompt's field apart; it is not yet the prompt. */
  showDraft(text) {
    this.draftPieces = this.tokenizer.pieces(this.tokenizer.encode(text));
    this.draft = text;
  }

  /** Begins another text; the one on the page stays as a branch if anything was written. */
  start(prompt, seed) {
    const generation = this.readPrompt(prompt, seed);
    if (this.active.choices.length > 0) this.makeRoom();
    else this.branches = this.branches.filter((branch) => branch !== this.active);
    this.active = this.addBranch(prompt, seed, generation);
    this.showDraft(prompt);
  }

  addBranch(prompt, seed, generation, choices = []) {
    const branch = { id: this.nBegun++, prompt, seed, generation, choices, undone: [] };
    this.branches.push(branch);
    return branch;
  }

  /** What the token at a position was drawn from, or what the prompt's is held against. */
  lookBack(position) {
    const { ids, nPrompt, steps } = this.generation;
    if (!(position >= 0 && position < ids.length)) {
      throw new RangeError("There is no token at that position: choose one of those shown.");
    }
    if (position === 0) {
      throw new RangeError("Nothing stands before the first token, so nothing predicted it.");
    }
    const [step, choice] = [steps[position - nPrompt], this.active.choices[position - nPrompt]];
    return {
      position,
      token_id: ids[position],
      coin: step?.coin ?? null,
      forced: step?.forced ?? false,
      memory: step?.memory ?? NO_MEMORY,
      settings: choice ? activeSettings(choice.controls, this.facts.orders) : this.settings,
      logits: this.generation.logitsAt(position),
    };
  }

  /** Lets the oldest other branch go, as every branch keeps a cache of its own. */
  makeRoom() {
    if (this.branches.length < MAX_BRANCHES) return;
    const oldest = this.branches.find((branch) => branch !== this.active);
    this.branches = this.branches.filter((branch) => branch !== oldest);
    this.say(`${MAX_BRANCHES} texts are kept: the oldest branch was let go.`);
  }

  /** @param {Notice["kind"]} kind */
  say(text, kind = "info") {
    this.notice = { kind, text };
  }

  /** What brings back a text that is not on the screen. */
  queryOf({ prompt, seed, generation: { ids, nPrompt }, choices }) {
    const steps = {
      forced: choices.map(({ forced }) => forced),
      how: choices.map(({ how }) => how),
    };
    return textQuery(/** @type {any} */ ({ prompt, seed, chat: false, ids, n_prompt: nPrompt, steps }));
  }
}

/** What each kind of event does. @type {Record<string, (this: Session, event: any) => void>} */
const ON = {
  state() {},
  settings() {},
  next() {
    if (!this.isFinished()) this.step();
  },
  force({ token_id: id }) {
    if (this.isFinished()) return;
    this.checkId(id);
    this.step(id);
  },
  finish({ count }) {
    const begun = performance.now();
    for (let written = 0; written < count; written++) {
      if (written > 0 ? this.generation.finished : this.isFinished()) return;
      if (performance.now() - begun > MAX_FINISH_MS) {
        this.say(`Wrote ${written} of ${count} tokens in ${MAX_FINISH_MS / 1000} s: press again to go on.`);
        return;
      }
      this.step();
    }
  },
  back() {
    if (this.active.choices.length > 0) this.rewind(1);
  },
  reset() {
    this.rewind(this.active.choices.length);
    this.active.undone = [];
  },
  /** Writes what was taken back again: the rest of a text, each token as it came about. */
  again({ query }) {
    const { choices, problems } = readWhole(query, this.facts);
    if (problems.length > 0) throw new RangeError(problems[0]);
    const { active, controls } = this;
    const { seed } = active;
    try {
      this.replay(choices.slice(active.choices.length));
    } finally {
      this.controls = controls;
      active.seed = seed;
    }
  },
  rewind({ position }) {
    this.rewind(this.tokensFrom(position));
  },
  branch({ position }) {
    const nTokens = this.tokensFrom(position);
    this.makeRoom();
    const { prompt, seed, generation, choices } = this.active;
    const fork = generation.fork();
    fork.rewind(nTokens);
    const own = (seed + this.nBegun) % (MAX_SEED + 1);
    this.active = this.addBranch(prompt, own, fork, choices.slice(0, choices.length - nTokens));
  },
  switch({ id }) {
    const branch = this.branches.find((other) => other.id === id);
    if (branch === undefined) throw new RangeError("That branch is gone: choose one of those shown.");
    this.active = branch;
    this.showDraft(branch.prompt);
  },
  prompt({ text }) {
    this.start(text, this.active.seed);
  },
  tokenise({ text }) {
    this.showDraft(text);
  },
  inspect({ position }) {
    this.inspection = position === null ? null : this.lookBack(position);
  },
  "open run"({ text }) {
    this.open(readSaved(text, this.facts));
  },
  /** Draws with the pointers of another seed. */
  seed({ seed }) {
    this.reseed(seed);
  },
  guess({ text }) {
    this.guess = weighGuess(this.generation, this.tokenizer, text.trim());
  },
  /** Takes back the texts that the tab kept over a reload: each is written again. */
  restore({ record }) {
    const before = { ...this };
    try {
      this.branches = [];
      for (const { id, query } of record.branches) {
        const { prompt, seed, choices } = readWhole(query, this.facts);
        this.active = this.addBranch(prompt, seed, this.readPrompt(prompt, seed));
        this.replay(choices);
        Object.assign(this.active, { id, seed });
      }
      this.controls = readControls(record.controls, this.facts);
      this.active = this.branches.find(({ id }) => id === record.active);
      this.nBegun = Math.max(...this.branches.map(({ id }) => id)) + 1;
      this.showDraft(this.active.prompt);
    } catch {
      Object.assign(this, before);
      throw new RangeError(
        "The branches that this tab kept cannot be read: go on with the text that is here.",
      );
    }
  },
};
