// The page's side of the loop: it holds the state that its session answered last and what the person has
// done since. The session names the token that comes next before it is asked for, so that a press shows it
// at once; the page waits only if its sliders say something that has not been answered yet.
// Knows nothing of where answers come from, nor of how anything is drawn: the figures are given one record
// and draw it.

import { createActions, Hand } from "./actions.js";
import { showLink } from "./address.js";
import { Beats } from "./figures/beats.js";
import { activeSettings, sameControls } from "./controls.js";
import { EventQueue } from "./event_queue.js";
import { FinishedStep } from "./finished_step.js";
import { listenForKeys } from "./controls/keys.js";
import { createLayout } from "./layout.js";
import { linkOf } from "./session/link.js";
import { readDistribution } from "../../frame/live/payload.js";
import { required } from "../../frame/live/required.js";
import { Player, StageLight } from "./controls/player.js";
import { beginTiming } from "./timings.js";
import { Undo } from "./session/undo.js";
import { visible } from "./controls/stop_field.js";
import { Frames, hitAt } from "./view.js";
import { _ } from "../../frame/live/words.js";

const SETTLE_AFTER_MS = 250;
const QUIET_EVENTS = ["state", "tokenise", "inspect", "guess", "word"];
/** Their own places speak. */
const SILENT_EVENTS = ["state", "tokenise", "guess", "word", "settings", "stop"];
const STEP_EVENTS = ["next", "force", "back"];
const UNKNOWN_ID = -1; // stands on the screen for a token that the session has not named yet
const EVENTS_WITH_CONTROLS = ["next", "force", "finish", "settings"];
/** Why Next cannot be pressed. */
const REASONS = {
  eos: _("The model wrote its end token. Go back, or click another bar."),
  stop: _("The text has reached a stop string. Go back or reset."),
  length: _("The text has reached its length limit. Go back or reset."),
  recorded: _("The recording ends here. Go back or reset."),
};

/** One live component in the page. */
export class Live {
  // what the session said last
  /** @type {Header|null} */
  #header = null;
  /** The distribution of the next token; null once the text has ended. @type {Distribution|null} */
  present = null;
  /** The distribution of a past position. @type {Distribution|null} */
  inspected = null;
  /** Stands until it is dismissed or the next thing happens. @type {Notice|null} */
  notice = null;
  hasStepped = false; // since the page was opened
  /** The press that is shown and not yet answered. @type {{kind: string, id: number|null}|null} */
  step = null;
  /** On the screen. @type {number[]} */
  ids = [];
  // what waits
  showAt = 0; // when the answer to a paced beat may show
  release = () => {}; // shows it now
  settleTimer = 0;

  /**
   * @param {ShadowRoot} parentElement
   * @param {LiveSession} session what answers
   */
  constructor(parentElement, session) {
    this.session = session;
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.queue = new EventQueue(this);
    this.hand = new Hand();
    this.frames = new Frames(this);
    this.player = new Player({
      press: () => this.actions.next(performance.now()),
      changed: () => this.playChanged(),
    });
    this.light = new StageLight(() => this.frames.schedule("stage"));
    this.finished = new FinishedStep(() => this.frames.schedule());
    this.beats = new Beats(() => this.frames.schedule());
    this.undo = new Undo();
    this.actions = createActions(this);
    this.layout = createLayout(this.actions, parentElement);
    listenForKeys(this.actions, signal);
    globalThis.addEventListener("beforeprint", () => this.frames.print(true), { signal });
    globalThis.addEventListener("afterprint", () => this.frames.print(false), { signal });
    session.listen({
      changed: () => this.queue.push({ kind: "state" }),
      troubled: () => this.frames.schedule(),
      waiting: () => this.queue.waiting.map(({ timing: _, ...entry }) => this.complete(entry)),
    });
  }

  /** Whether the session has answered: there is a text. */
  get isOpen() {
    return this.#header !== null;
  }

  /** What the session said last. @returns {Header} */
  get header() {
    return required(this.#header, "text yet");
  }

  // ---- from a press to its answer

  /** Completes an event as it leaves, and shows a step in the next frame; null: none. @param {Entry} entry */
  begin(entry) {
    if (!this.isOpen && entry.kind !== "state") return null; // there is no text yet
    if (entry.kind === "undo" && !this.undo.turn(entry)) return null;
    if (entry.kind === "force" && entry.token_id === undefined) {
      const id = hitAt(this, required(entry.at, "place")); // of the bar that stands by now
      if (id === null) return null;
      entry.token_id = id;
    }
    if (entry.controls) this.hand.controls = entry.controls; // of an undo, or of a press that a reload cut off
    const { kind, timing: _, isUndo: __, ...fields } = entry;
    if (STEP_EVENTS.includes(kind) && !this.beginStep(entry)) return null;
    if (kind === "finish") this.light.hold("read");
    return this.complete({ kind, ...fields });
  }

  /** An event with the sliders and the text of this moment. @param {Entry} fields @returns {LoopEvent} */
  complete(fields) {
    const isWith = this.hand.hasControls && EVENTS_WITH_CONTROLS.includes(fields.kind);
    const controls = isWith ? { controls: this.hand.controls } : {};
    return { ...controls, ...fields, branch: this.#header?.branch ?? null };
  }

  /**
   * Shows what a step does to the text, as far as the session has said it. A press whose sliders have not been
   * answered keeps a place free.
   * @param {Entry} entry
   */
  beginStep({ kind, token_id: forcedId, at, timing }) {
    const { header, hand } = this;
    if (kind === "back" ? header.ids.length <= header.n_prompt : header.finished) return false;
    const isShown = header.presenter && this.finished.isHeld && !this.hasStepped; // on a projector
    const isFirst = kind === "next" && (hand.isFirstGuess || isShown);
    this.hasStepped = true;
    hand.goOn();
    const nextId = sameControls(hand.controls, header.controls) ? header.next_id : null;
    const id = kind === "next" ? nextId : forcedId ?? null;
    this.step = { kind, id };
    this.ids = kind === "back" ? header.ids.slice(0, -1) : [...header.ids, id ?? UNKNOWN_ID];
    if (kind !== "back") {
      const { ids, pointer, memory, orders } = header;
      const settings = activeSettings(hand.controls, orders);
      const drawn = { distribution: this.present, position: ids.length, pointer, memory, settings, at };
      const isSlow = kind === "next" && this.beats.begin(isFirst, this.player.isPlaying);
      this.finished.light(drawn, this.player.isPlaying, isSlow);
      this.showAt = performance.now() + StageLight.holdOf(this.beat ?? 0);
      this.light.pressed(this.beat, this.player.isPlaying);
    }
    this.frames.schedule("token", timing && [timing, "painted_token"]);
    return true;
  }

  /**
   * Asks the session; when Play is paced for the eye, the answer waits for its stage of the loop.
   * @param {LoopEvent} event
   */
  async ask(event) {
    const state = await this.session.answer(event);
    const wait = this.showAt - performance.now();
    if (event.kind !== "next" || !this.player.isPaced || wait <= 0) return state;
    return new Promise((resolve) => {
      this.release = () => resolve(state);
      setTimeout(this.release, wait);
    });
  }

  /** Makes a state what the page shows. @param {Entry} entry @param {State} state */
  apply(entry, { header, arrays }) {
    const before = this.#header;
    this.step = null;
    const distribution = readDistribution(header.distribution, arrays, "", this.present);
    if (before?.branch !== header.branch) this.finished.steps = [];
    this.finished.follow(header, distribution);
    this.#header = header;
    this.ids = header.ids;
    this.present = header.finished ? null : distribution;
    this.inspected = readDistribution(header.inspect, arrays, "inspect_", this.inspected);
    if (header.notice || !QUIET_EVENTS.includes(entry.kind)) this.notice = header.notice;
    this.undo.note(entry, before, header);
    this.hand.adopt(header, before, entry.kind, this.queue.isIdle);
    this.settle(before, entry);
    if (header.finished || header.notice?.kind === "error") this.stop();
    if (before === null) {
      for (const { branch: _, ...press } of this.session.takeCutOff())
        this.queue.push({ ...press, timing: beginTiming(press.kind, performance.now()) });
    }
    this.frames.schedule("all", entry.timing && [entry.timing, "painted_distribution"]);
  }

  /** Lights and says what an event brought. @param {Header|null} before @param {Entry} entry */
  settle(before, { kind }) {
    if (STEP_EVENTS.includes(kind)) this.light.answered(this.beat, this.player.isPlaying);
    else if (kind === "finish") this.light.rest();
    if (SILENT_EVENTS.includes(kind)) this.layout.speaker.know(this.header);
    else this.layout.speaker.say(kind, this.header, this.frames.label, this.player.isPlaying);
    if (kind === "state" ? before !== null : !QUIET_EVENTS.includes(kind)) this.planSettle();
  }

  /** Reports a failure; what was answered last stands. @param {Error} error */
  fail(error) {
    this.forget();
    if (error.name !== "AbortError") this.notice = { kind: "error", text: error.message };
    this.frames.schedule();
  }

  /** Waits no longer for what was pressed. */
  cancel() {
    this.session.cancel?.();
    this.forget();
    this.frames.schedule();
  }

  forget() {
    this.player.pause();
    this.queue.clear();
    this.light.rest();
    this.step = null;
    if (this.isOpen) this.ids = this.header.ids;
  }

  /** Play was started or stopped: what was held back for its pace need wait no longer. */
  playChanged() {
    if (!this.player.isPlaying) {
      this.release();
      // what is under way says the rest when it comes
      if (this.queue.isIdle) this.layout.speaker.say("pause", this.header, this.frames.label, false);
    }
    this.frames.schedule();
  }

  /** Drops what was pressed and not sent, and stops Play. */
  stop() {
    this.player.pause();
    this.queue.drop("next", "force", "finish");
    this.dim();
  }

  /** Puts the light of the loop out where no answer will. */
  dim() {
    if (this.queue.underWay === null) this.light.rest();
  }

  /** Once the hand has rested, the link is brought up to date. */
  planSettle() {
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => {
      if (this.player.isPlaying) return;
      if (this.isBusy()) return this.planSettle();
      showLink(linkOf(this.header));
      this.session.rest?.();
    }, SETTLE_AFTER_MS);
  }

  // ---- what is seen

  /** One beat of Play in milliseconds where its stages are paced for the eye, else null. */
  get beat() {
    return this.player.isPaced ? this.player.interval : null;
  }

  /** Whether the finished step is shown: it is answered, and nothing waits to be pressed. */
  get isLit() {
    if (this.hand.inspecting !== null || this.step !== null || this.queue.waiting.length > 0) return false;
    return this.finished.isLitAt(this.ids.length - 1);
  }

  /** Whether the reader is asked what comes next before the bars show it. */
  get asksFirst() {
    return this.header.hide_bars || (this.hand.isFirstGuess && !this.hand.isAnswered);
  }

  /** Whether something is under way, or not on the screen yet; a step that is held keeps nothing waiting. */
  isBusy() {
    return !this.queue.isIdle || (this.frames.marks.length > 0 && !this.isLit);
  }

  /** Why Next cannot be pressed, in words; null where it can. */
  get reasonAgainstNext() {
    const { finished, stopped_by: string } = this.header;
    if (this.layout.prompt.isChanged) return null;
    if (finished === "stop" && string)
      return _("The text has reached {string}. Go back, or take that stop string away.", {
        string: visible(string),
      });
    return finished === null ? null : REASONS[finished];
  }

  close() {
    this.abort.abort();
    this.queue.clear();
    this.session.close?.();
    this.player.pause();
    this.light.rest();
    this.frames.cancel();
    clearTimeout(this.settleTimer);
    this.beats.end();
    this.finished.cutShort();
  }
}
