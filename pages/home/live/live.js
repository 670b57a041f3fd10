// The page's side of the loop: it holds the state that its session answered last and what the person has
// done since. The session names the token that comes next before it is asked for, so that a press shows it
// at once; the page waits only if its sliders say something that has not been answered yet.
// Knows nothing of where answers come from, nor of how anything is drawn: the figures are given one record
// and draw it.

import { createActions } from "./actions.js";
import { showLink } from "./address.js";
import { Beats } from "./figures/beats.js";
import { activeSettings, sameControls } from "./controls.js";
import { EventQueue } from "./event_queue.js";
import { FinishedStep } from "./finished_step.js";
import { listenForKeys } from "./controls/keys.js";
import { createLayout } from "./layout.js";
import { labelsAt } from "../../frame/live/labels.js";
import { linkOf } from "./session/link.js";
import { readDistribution } from "../../frame/live/payload.js";
import { required } from "../../frame/live/required.js";
import { Player, StageLight } from "./controls/player.js";
import { isFirstVisit } from "./controls/preferences.js";
import { afterThisFrame, beginTiming } from "./timings.js";
import { Undo } from "./session/undo.js";
import { visible } from "./controls/stop_field.js";
import { buildView } from "./view.js";
import { _ } from "../../frame/live/words.js";

const SETTLE_AFTER_MS = 250;
const QUIET_EVENTS = ["state", "tokenise", "inspect", "guess", "word"];
/** Their own places speak. */
const SILENT_EVENTS = ["state", "tokenise", "guess", "word", "settings", "stop"];
const STEP_EVENTS = ["next", "force", "back"];
const UNKNOWN_ID = -1; // stands on the screen for a token that the session has not named yet
const EVENTS_WITH_CONTROLS = ["next", "force", "finish", "settings"];
/** What a frame draws, the least first. */
const SCOPES = ["stage", "token", "all"];
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
  /** @type {Labels} */
  labels = {};
  // what the hand holds
  /** @type {Controls|null} */
  #controls = null;
  isDragging = false;
  /** The past position that is looked at. @type {number|null} */
  inspecting = null;
  isWhatIf = false; // a slider was moved while looking at the past, or at a step that is held
  isRevealed = false; // in predict mode: the bars of this position may show
  isFirstGuess = isFirstVisit(); // the first question of a newcomer, until a token is written
  isFirstStep = false; // the first step of a newcomer, or on a projector, is played slowly
  isAnswered = false; // that question, be it by "Just reveal"
  hasStepped = false; // since the page was opened
  isPeeking = false; // the pointer of the next position is shown before the draw
  /** The press that is shown and not yet answered. @type {{kind: string, id: number|null}|null} */
  step = null;
  // the next frame
  /** On the screen. @type {number[]} */
  ids = [];
  /** What to fill in when it is painted. @type {[Timing, string][]} */
  marks = [];
  frame = 0;
  scope = -1; // index of SCOPES
  isPrinting = false; // no frame is waited for
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
    this.label = (/** @type {number} */ id) => this.labels[id] ?? (id < 0 ? "…" : `id ${id}`);
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.queue = new EventQueue({
      begin: (entry) => this.begin(entry),
      answer: (event) => this.ask(event),
      answered: (entry, state) => this.apply(entry, state),
      failed: (entry, error) => this.fail(entry, error),
    });
    this.player = new Player({
      press: () => this.actions.next(performance.now()),
      changed: () => this.playChanged(),
    });
    this.light = new StageLight(() => this.schedule("stage"));
    this.finished = new FinishedStep(() => this.schedule());
    this.beats = new Beats(() => this.schedule());
    this.undo = new Undo();
    this.actions = createActions(this);
    this.layout = createLayout(this.actions, parentElement);
    listenForKeys(this.actions, signal);
    globalThis.addEventListener("beforeprint", () => this.print(true), { signal });
    globalThis.addEventListener("afterprint", () => this.print(false), { signal });
    session.listen({
      changed: () => this.queue.push({ kind: "state" }),
      troubled: () => this.schedule(),
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

  /** Sliders and switches; ahead of the session's while they are moved. @returns {Controls} */
  get controls() {
    return required(this.#controls, "text yet");
  }

  set controls(controls) {
    this.#controls = controls;
  }

  // ---- from a press to its answer

  /** Completes an event as it leaves, and shows a step in the next frame; null: none. @param {Entry} entry */
  begin(entry) {
    if (!this.isOpen && entry.kind !== "state") return null; // there is no text yet
    if (entry.kind === "undo" && !this.undo.turn(entry)) return null;
    if (entry.controls) this.controls = entry.controls; // of an undo, or of a press that a reload cut off
    const { kind, timing: _, isUndo: __, ...fields } = entry;
    if (STEP_EVENTS.includes(kind) && !this.beginStep(entry)) return null;
    if (kind === "finish") this.light.hold("read");
    return this.complete({ kind, ...fields });
  }

  /** An event with the sliders and the text of this moment. @param {Entry} fields @returns {LoopEvent} */
  complete(fields) {
    const isWith = this.#controls !== null && EVENTS_WITH_CONTROLS.includes(fields.kind);
    const controls = isWith ? { controls: this.controls } : {};
    return { ...controls, ...fields, branch: this.#header?.branch ?? null };
  }

  /** @param {Entry} entry */
  beginStep(entry) {
    const { header } = this;
    if (entry.kind === "back" ? header.ids.length <= header.n_prompt : header.finished) return false;
    const isShown = header.presenter && this.finished.isHeld && !this.hasStepped; // on a projector
    this.isFirstStep = entry.kind === "next" && (this.isFirstGuess || isShown);
    this.hasStepped = true;
    this.isFirstGuess = this.isWhatIf = false;
    const id = this.idAfter(entry);
    this.step = { kind: entry.kind, id };
    this.inspecting = null;
    this.ids = entry.kind === "back" ? header.ids.slice(0, -1) : [...header.ids, id ?? UNKNOWN_ID];
    if (entry.timing) this.marks.push([entry.timing, "painted_token"]);
    if (entry.kind !== "back") {
      const { ids, pointer, memory, orders } = header;
      const settings = activeSettings(this.controls, orders);
      const drawn = { distribution: this.present, position: ids.length, pointer, memory, settings };
      const isSlow = entry.kind === "next" && this.beats.begin(this.isFirstStep, this.player.isPlaying);
      this.finished.light(drawn, this.player.isPlaying, isSlow);
      this.showAt = performance.now() + StageLight.holdOf(this.beat ?? 0);
      this.light.pressed(this.beat, this.player.isPlaying);
    }
    this.schedule("token");
    return true;
  }

  /** The id that a step appends; null if the session has not answered these sliders. @param {Entry} entry */
  idAfter({ kind, token_id: forcedId }) {
    if (kind !== "next") return forcedId ?? null;
    return sameControls(this.controls, this.header.controls) ? this.header.next_id : null;
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
    this.finished.follow(header, distribution);
    this.#header = header;
    this.ids = header.ids;
    this.present = header.finished ? null : distribution;
    this.inspected = readDistribution(header.inspect, arrays, "inspect_", this.inspected);
    if (header.notice || !QUIET_EVENTS.includes(entry.kind)) this.notice = header.notice;
    this.undo.note(entry, before, header);
    this.adopt(before, entry);
    this.settle(before, entry);
    if (header.finished || header.notice?.kind === "error") this.stop();
    if (before === null) {
      for (const { branch: _, ...press } of this.session.takeCutOff())
        this.queue.push({ ...press, timing: beginTiming(press.kind, performance.now()) });
    }
    this.schedule();
  }

  /** Takes over what the hand is not holding just now. @param {Header|null} before @param {Entry} entry */
  adopt(before, { kind }) {
    const { header } = this;
    const isHeld = this.isDragging || !this.queue.isIdle;
    if (this.#controls === null || (!isHeld && !sameControls(this.controls, header.controls))) {
      this.controls = header.controls;
    }
    if (before === null || kind === "inspect") {
      const isEnd = header.finished && header.inspect?.position === header.ids.length - 1;
      this.inspecting = header.inspect && !isEnd ? header.inspect.position : null;
      this.isWhatIf = false;
    }
    if (header.guess) this.isRevealed = true;
    else if (before?.ids.length !== header.ids.length) this.isRevealed = false;
  }

  /** Lights, says and marks what an event brought. @param {Header|null} before @param {Entry} entry */
  settle(before, { kind, timing }) {
    if (timing) this.marks.push([timing, "painted_distribution"]);
    if (STEP_EVENTS.includes(kind)) this.light.answered(this.beat, this.player.isPlaying);
    else if (kind === "finish") this.light.rest();
    if (SILENT_EVENTS.includes(kind)) this.layout.speaker.know(this.header);
    else this.layout.speaker.say(kind, this.header, this.label, this.player.isPlaying);
    if (kind === "state" ? before !== null : !QUIET_EVENTS.includes(kind)) this.planSettle();
  }

  /** Reports a failure; what was answered last stands. @param {Entry} _entry @param {Error} error */
  fail(_entry, error) {
    this.forget();
    if (error.name !== "AbortError") this.notice = { kind: "error", text: error.message };
    this.schedule();
  }

  /** Waits no longer for what was pressed. */
  cancel() {
    this.session.cancel?.();
    this.forget();
    this.schedule();
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
      if (this.queue.isIdle) this.layout.speaker.say("pause", this.header, this.label, false);
    }
    this.schedule();
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
    if (this.inspecting !== null || this.step !== null || this.queue.waiting.length > 0) return false;
    return this.finished.isLitAt(this.ids.length - 1);
  }

  /** Whether the reader is asked what comes next before the bars show it. */
  get asksFirst() {
    return this.header.hide_bars || (this.isFirstGuess && !this.isAnswered);
  }

  /** Whether something is under way, or not on the screen yet; a step that is held keeps nothing waiting. */
  isBusy() {
    return !this.queue.isIdle || (this.marks.length > 0 && !this.isLit);
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

  /** Asks for one frame, which draws all, or the text, or the light of the loop alone. */
  schedule(scope = "all") {
    if (!this.isOpen) return this.layout.sayAlone(this.notice?.text ?? this.session.trouble ?? null);
    this.scope = Math.max(this.scope, SCOPES.indexOf(scope));
    if (this.isPrinting) return this.paint(performance.now());
    if (this.frame === 0) this.frame = requestAnimationFrame((frame) => this.paint(frame));
  }

  /** On paper stands what is so when it is printed. @param {boolean} isPrinting */
  print(isPrinting) {
    this.isPrinting = isPrinting;
    if (isPrinting && this.isOpen) this.paint(performance.now());
  }

  /** Draws what has changed, in the frame that began at that time. @param {number} frame */
  paint(frame) {
    this.frame = 0;
    const labels = labelsAt(this.header.model.labels, () => this.schedule());
    if (labels === null) return;
    this.labels = labels;
    const { isLit } = this;
    const scope = SCOPES[this.scope] ?? "all";
    this.layout.update(buildView(this), scope);
    this.scope = -1;
    /** @param {[Timing, string]} mark */
    const isLate = ([, name]) => name === "painted_distribution" && (isLit || scope !== "all");
    const marks = this.marks.filter((mark) => !isLate(mark));
    this.marks = this.marks.filter(isLate);
    for (const [timing, name] of marks) timing[`${name}_in`] = frame;
    if (scope === "token") this.schedule(); // the rest, in the next frame
    afterThisFrame((now) => this.painted(now, marks));
  }

  /** @param {number} now @param {[Timing, string][]} marks */
  painted(now, marks) {
    for (const [timing, name] of marks) timing[name] = now;
    if (this.queue.isIdle) this.player.beat();
  }

  close() {
    this.abort.abort();
    this.queue.clear();
    this.session.close?.();
    this.player.pause();
    this.light.rest();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settleTimer);
    this.beats.end();
    this.finished.cutShort();
  }
}
