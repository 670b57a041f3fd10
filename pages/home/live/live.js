// The page's side of the loop: it holds what Python last said and what the person has done since.
// Python says which token comes next before it is asked for, so that a press shows it at once; the
// page waits only where its sliders say something that Python has not answered yet.
// Knows nothing of how anything is drawn: the figures are given one record and draw it.

import { createActions } from "./actions.js";
import { showLink } from "./address.js";
import { activeSettings, sameControls } from "./controls.js";
import { EventQueue } from "./event_queue.js";
import { FinishedStep } from "./finished_step.js";
import { listenForKeys } from "./keys.js";
import { createLayout } from "./layout.js";
import { NavigationGuard } from "./navigation_guard.js";
import { labelsAt } from "../../frame/live/labels.js";
import { readDistribution } from "../../frame/live/payload.js";
import { Player, StageLight } from "./player.js";
import { Replica } from "./replica.js";
import { Step } from "./step.js";
import { keepBranches, lostBranches } from "./tab_record.js";
import { rememberAll } from "../../frame/live/strategies.js";
import { afterThisFrame } from "./timings.js";
import { buildView } from "./view.js";

const SETTLE_AFTER_MS = 250;
const QUIET_EVENTS = ["tokenise", "inspect", "guess", "resend"];
/** Their own places speak. */
const SILENT_EVENTS = ["tokenise", "guess", "settings", "restore", "resend"];
const MAX_SPOKEN_SPEED = 2; // tokens per second; a faster run is read out on Pause
const STEP_EVENTS = ["next", "force", "back"];
const EVENTS_WITH_CONTROLS = ["next", "force", "finish", "settings"];
/** Why Next cannot be pressed. */
const REASONS = {
  eos: "The model wrote its end token. Go back, or click another bar.",
  length: "The text has reached its length limit. Go back or reset.",
  recorded: "The recording ends here. Go back or reset.",
};
/** @type {Labels} */

/** One live component in the page. */
export class Live {
  // as Streamlit and Python gave it
  component = null; // the newest call's setters
  data = null; // the newest message, as it came
  ahead = null; // the newest that was sent ahead, as it came
  replica = new Replica(); // what they say
  version = null; // of the answer that is shown; null while what was sent ahead is
  header = null; // of what is shown
  present = null; // the distribution of the next token; null once the text has ended
  inspected = null; // the distribution of a past position
  prefetched = null; // {header, arrays, distribution} as Next will bring them
  notice = null; // {kind, text} that stands until it is dismissed or the next thing happens
  labels = /** @type {Labels} */ ({});
  // what the hand holds
  controls = null; // sliders and switches; ahead of Python's while they are moved
  isDragging = false;
  inspecting = null; // the past position that is looked at
  isWhatIf = false; // a slider was moved while looking at the past
  isRevealed = false; // in predict mode: the bars of this position may show
  isPeeking = false; // the coin of the next position is shown before it is tossed
  step = new Step(); // what is shown and not yet confirmed
  // the next frame
  ids = []; // on the screen
  marks = []; // [timing, name] pairs to fill in when it is painted
  frame = 0;
  isLightOnly = true; // nothing but the light of the loop has changed
  // what waits
  held = null; // a payload, for its stage of a paced beat
  heldTimer = 0;
  showAt = 0; // when a held payload may show
  settleTimer = 0;

  /** @param {ShadowRoot} parentElement */
  constructor(parentElement) {
    this.label = (id) => this.labels[id] ?? (id < 0 ? "…" : `id ${id}`);
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.guard = new NavigationGuard(() => this.queue.pump(), signal);
    this.queue = new EventQueue({
      send: (event) => this.send({ ...event, holds: this.replica.versions }),
      complete: (entry) => this.complete(entry),
      isReady: (entry) => this.isReady(entry),
      mayLeave: () => this.step.isPainted && !this.guard.isSilent,
    });
    this.player = new Player({
      press: () => this.actions.next(performance.now()),
      changed: () => this.playChanged(),
    });
    this.light = new StageLight(() => this.schedule(true));
    this.finished = new FinishedStep(() => this.schedule());
    this.actions = createActions(this);
    this.layout = createLayout(this.actions, parentElement);
    listenForKeys(this.actions, signal);
    document.addEventListener("ott-prefetched", () => this.takePrefetched(), { signal });
    globalThis.addEventListener("pagehide", () => this.keep(), { signal });
    globalThis.addEventListener("beforeprint", () => this.paint(performance.now()), { signal });
  }

  // ---- what Python says

  /** Called by Streamlit with new data, or with the same data and a new theme. */
  receive(component) {
    this.component = component;
    if (component.data && component.data !== this.data) this.take(component.data);
    this.schedule();
  }

  take(data) {
    this.data = data;
    const payload = this.replica.take("answer", data);
    if (payload === null) this.queue.askAgain();
    if (!payload) return;
    const wait = this.isHeldBack(payload.header) ? this.showAt - performance.now() : 0;
    clearTimeout(this.heldTimer);
    this.held = payload;
    if (wait > 0) this.heldTimer = setTimeout(() => this.release(), wait);
    else this.release();
  }

  /** Applies the payload that waits, if one does. */
  release() {
    const payload = this.held;
    this.held = null;
    clearTimeout(this.heldTimer);
    if (payload !== null) this.apply(payload);
  }

  /** When Play is paced for the eye, an answer waits for its stage of the loop. */
  isHeldBack(header) {
    const sent = this.queue.inFlight;
    return this.player.isPaced && sent?.entry.kind === "next" && header.ack >= sent.body.n;
  }

  apply({ version, header, arrays }) {
    const before = this.header;
    const lost = lostBranches(header, before);
    if (lost !== null && before !== null) {
      this.askBack(lost); // what is on the screen is what comes back
      return;
    }
    const entry = this.queue.acknowledge(header.ack);
    this.step.confirm(entry);
    if (entry !== null) this.settle(entry, header);
    else if (before !== null && header.link !== before.link) this.planSettle();
    this.prefetched = null; // what follows this answer comes behind it, or has overtaken it
    this.version = version;
    this.show(header, arrays, readDistribution(header.distribution, arrays, "", this.present));
    if (header.notice || !QUIET_EVENTS.includes(entry?.kind)) this.notice = header.notice;
    this.adopt(before, entry);
    if (header.finished || header.notice?.kind === "error") this.stop();
    this.queue.pump();
    this.schedule();
    this.takePrefetched();
    if (lost !== null) this.askBack(lost);
  }

  /** Asks a server that has lost the branches to take them back; what was under way is dropped. */
  askBack(record) {
    this.player.pause();
    this.queue.close();
    this.step.end("idle");
    this.light.rest();
    this.actions.restore(record);
  }

  /** Makes a header and its distributions what the page holds. */
  show(header, arrays, distribution) {
    this.finished.follow(header, distribution);
    this.header = header;
    this.present = header.finished ? null : distribution;
    this.inspected = readDistribution(header.inspect, arrays, "inspect_", this.inspected);
    this.ids = this.step.idsAfter(header.ids);
  }

  /** Takes what Next will bring; if it has been pressed meanwhile, shows it. */
  takePrefetched() {
    const data = globalThis.__ottPrefetched;
    const isNew = data?.length && data !== this.ahead;
    if (isNew && this.replica.take("ahead", data)) this.ahead = data;
    const { ahead } = this.replica.held; // where it builds on an answer that is yet to come, an old one
    if (this.version === null || ahead?.follows !== this.version) return;
    const { header, arrays } = ahead;
    const distribution = readDistribution(header.distribution, arrays, "", null);
    this.prefetched = { header, arrays, distribution };
    this.showPrefetched();
    if (this.prefetched !== null) setTimeout(() => this.rememberPrefetched());
  }

  /** Computes in a quiet moment what the figures will ask of the distribution that Next brings. */
  rememberPrefetched() {
    if (this.prefetched === null || this.prefetched.header.finished) return;
    const { controls, prefetched: { distribution, header } } = this;
    const settings = activeSettings(controls, header.orders);
    const { ids: contextIds, n_prompt: nPrompt, coin } = header;
    rememberAll({ distribution, settings, controls, contextIds, nPrompt, coin, toss: coin ?? 0 });
  }

  /** Shows what Next brings without waiting for the answer, once its token is on the screen. */
  showPrefetched() {
    const { prefetched, step } = this;
    if (prefetched === null || step.state !== "shown" || this.player.isPaced) return;
    if (step.kind !== "next" || prefetched.header.ids.at(-1) !== step.id) return;
    this.marks.push([step.entry.timing, "painted_distribution"]);
    step.confirm(step.entry);
    this.prefetched = this.version = null;
    this.isRevealed = false;
    this.show(prefetched.header, prefetched.arrays, prefetched.distribution);
    this.schedule();
  }

  /** Takes over from Python what the hand is not holding just now. */
  adopt(before, entry) {
    const { header } = this;
    const isFree = this.queue.isIdle && !this.isDragging;
    const isOther = this.controls === null || !sameControls(this.controls, header.controls);
    if (isFree && isOther) this.controls = header.controls;
    if (before === null || entry?.kind === "inspect") {
      const isEnd = header.finished && header.inspect?.position === header.ids.length - 1;
      this.inspecting = header.inspect && !isEnd ? header.inspect.position : null;
      this.isWhatIf = false;
    }
    if (header.guess) this.isRevealed = true;
    else if (before?.ids.length !== header.ids.length) this.isRevealed = false;
  }

  /** Takes the answer to one event. */
  settle({ kind, timing }, header) {
    const isNew = timing && timing.painted_distribution === undefined; // it was not prefetched
    if (isNew) this.marks.push([timing, "painted_distribution"]);
    if (STEP_EVENTS.includes(kind)) this.light.answered(this.beat, this.player.isPlaying);
    else if (kind === "finish") this.light.rest();
    const isTooFast = this.player.isPlaying && this.player.speed > MAX_SPOKEN_SPEED;
    if (!SILENT_EVENTS.includes(kind) && !isTooFast) this.layout.announce(kind, header, this.label);
    if (!QUIET_EVENTS.includes(kind)) this.planSettle();
  }

  // ---- what leaves for Python

  send(event) {
    this.guard.send((e) => this.component.setTriggerValue("event", e), event);
  }

  /**
   * Whether an event can be completed: once the one before it is answered, and a step once that is on
   * the screen too. A step behind a step need not wait for the answer, only for its payload.
   */
  isReady({ kind }) {
    const { inFlight } = this.queue;
    if (!STEP_EVENTS.includes(kind)) return inFlight === null;
    const isBehindStep = inFlight === null || STEP_EVENTS.includes(inFlight.entry.kind);
    return this.step.state === "idle" && isBehindStep;
  }

  /** Completes an event at the moment it may leave; null drops it. */
  complete(entry) {
    const { kind, timing: _, ...fields } = entry;
    if (STEP_EVENTS.includes(kind) && !this.beginStep(entry)) return null;
    if (kind === "finish") this.light.hold("run");
    const controls = EVENTS_WITH_CONTROLS.includes(kind) ? { controls: this.controls } : {};
    return { ...fields, ...controls, branch: this.header?.branch ?? null };
  }

  /** Shows a step in the next frame; false where there is none to take. */
  beginStep(entry) {
    const { header, step } = this;
    if (entry.kind === "back" ? header.ids.length <= header.n_prompt : header.finished) return false;
    step.press(entry, this.idAfter(entry));
    this.inspecting = null;
    this.ids = step.idsAfter(header.ids);
    this.marks = [[entry.timing, "painted_token"]]; // what was not seen yet is cut short
    if (entry.kind !== "back") {
      const { ids, coin, orders } = header;
      const settings = activeSettings(this.controls, orders);
      const drawn = { distribution: this.present, position: ids.length, coin, settings };
      this.finished.light(drawn, this.player.isPlaying);
      this.showAt = performance.now() + StageLight.holdOf(this.beat ?? 0);
      this.light.pressed(this.beat, this.player.isPlaying);
    }
    this.schedule(); // what pumps the queue may have asked for no frame: Play would wait for ever
    return true;
  }

  /** The id that a step appends; null while the sliders say what Python has not answered yet. */
  idAfter({ kind, token_id: forcedId }) {
    if (kind !== "next") return forcedId ?? null;
    return sameControls(this.controls, this.header.controls) ? this.header.next_id : null;
  }

  /** Play was started or stopped: what was held back for its pace need wait no longer. */
  playChanged() {
    if (!this.player.isPlaying) {
      this.release();
      this.layout.announce("pause", this.header, this.label);
    }
    this.schedule();
  }

  /** Drops what was pressed and not sent, and stops Play. */
  stop() {
    this.player.pause();
    this.queue.drop("next", "force", "finish");
    this.step.withdraw(this.queue.withdraw());
    this.ids = this.step.idsAfter(this.header.ids);
    this.dim();
  }

  /** Puts the light of the loop out where no answer will. */
  dim() {
    if (this.queue.inFlight === null) this.light.rest();
  }

  /** Once the hand has rested, the link is brought up to date. */
  planSettle() {
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => {
      if (this.player.isPlaying) return;
      if (this.isBusy() || this.guard.isSilent) this.planSettle();
      else if (this.header !== null) {
        showLink(this.header.link);
        this.keep();
      }
    }, SETTLE_AFTER_MS);
  }

  /** Keeps in the tab what the server may lose. */
  keep() {
    if (this.header !== null) keepBranches(this.header);
  }

  // ---- what is seen

  /** One beat of Play in milliseconds where its stages are paced for the eye, else null. */
  get beat() {
    return this.player.isPaced ? this.player.interval : null;
  }

  /** Whether the finished step is shown: Python has answered, and nothing waits to be pressed. */
  get isLit() {
    const { waiting } = this.queue;
    if (this.inspecting !== null || this.step.isUnderWay || waiting.length > 0) return false;
    return this.finished.isLitAt(this.ids.length - 1);
  }

  isBusy() {
    return !this.queue.isIdle || this.step.state !== "idle";
  }

  /** Why Next cannot be pressed, in words; null where it can. */
  get reasonAgainstNext() {
    return (this.layout.prompt.isChanged ? null : REASONS[this.header.finished]) ?? null;
  }

  /** Asks for one frame; where only the light of the loop has moved, little is drawn anew. */
  schedule(isLightOnly = false) {
    if (this.header === null) return;
    this.isLightOnly &&= isLightOnly;
    if (this.frame === 0) this.frame = requestAnimationFrame((frame) => this.paint(frame));
  }

  /** Draws what has changed, in the frame that began at that time. */
  paint(frame) {
    this.frame = 0;
    const labels = labelsAt(this.header.model.labels, () => this.schedule());
    if (labels === null) return;
    this.labels = labels;
    const { isLit, step: { state } } = this;
    const scope = state === "pressed" ? "token" : this.isLightOnly ? "stage" : "all";
    this.layout.update(buildView(this), scope);
    this.isLightOnly = true;
    const isLate = ([, name]) => isLit && name === "painted_distribution";
    const marks = this.marks.filter((mark) => !isLate(mark));
    this.marks = this.marks.filter(isLate);
    for (const [timing, name] of marks) timing[`${name}_in`] = frame;
    if (marks.length > 0 || !this.step.isPainted)
      afterThisFrame((now) => this.painted(now, marks, state));
  }

  painted(now, marks, state) {
    for (const [timing, name] of marks) timing[name] = now;
    this.step.painted(state);
    if (state === "pressed") {
      this.showPrefetched();
      this.schedule(); // the rest, in the next frame
    }
    this.queue.pump();
    if (this.queue.isSent && !this.step.isUnderWay) this.player.beat();
  }

  close() {
    this.abort.abort();
    this.keep();
    this.queue.close();
    this.player.pause();
    this.light.rest();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settleTimer);
    clearTimeout(this.heldTimer);
    this.finished.cutShort();
  }
}
