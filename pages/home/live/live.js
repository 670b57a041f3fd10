// The page's side of the loop: it holds what Python last said and what the person has done since,
// draws the next token at once from the logits it holds, and tells Python, whose word is final.
// Knows nothing of how anything is drawn: the figures are given one record and draw it.

import { createActions } from "./actions.js";
import { quote } from "../../frame/live/dom.js";
import { listenForKeys } from "./keys.js";
import { nextIdOf, presentResult } from "./draws.js";
import { createLayout } from "./layout.js";
import { LEAVING_MS, ON_ITS_WAY_MS, listenForLeaving } from "./navigation_guard.js";
import { Player, StageLight } from "./player.js";
import { decodePayload, readDistribution } from "../../frame/live/payload.js";
import { EventQueue, sameControls, settingsInForce } from "./protocol.js";
import { NO_LABELS, emptyState } from "./state.js";
import { rememberAll } from "../../frame/live/strategies.js";
import { detectTheme } from "../../frame/live/theme.js";
import { afterThisFrame } from "./timings.js";
import { buildView, shownIds } from "./view.js";

const SETTLE_AFTER_MS = 250;
const QUIET_EVENTS = ["tokenise", "inspect", "guess"];
const STEP_EVENTS = ["next", "force", "back"];

/** One live component in the page. */
export class Live {
  /** @param {ShadowRoot} parentElement */
  constructor(parentElement) {
    Object.assign(this, emptyState());
    this.host = parentElement;
    this.label = (id) => this.labels[id] ?? (id < 0 ? "…" : `id ${id}`);
    this.queue = new EventQueue({
      send: (event) => this.handOver((e) => this.component.setTriggerValue("event", e), event),
      prepare: (entry) => this.prepare(entry),
      isReady: (entry) => this.isReady(entry),
      // what is seen comes before what is sent
      mayLeave: () => this.isPainted && !this.isTokenDue && !this.isSilent,
    });
    this.player = new Player({
      press: () => this.actions.next(performance.now()),
      changed: () => this.playChanged(),
    });
    this.light = new StageLight(() => this.schedule(true));
    this.actions = createActions(this);
    this.layout = createLayout(this.actions, parentElement);
    this.abort = new AbortController();
    const { signal } = this.abort;
    listenForKeys(this.actions, signal);
    listenForLeaving(() => this.holdBack(), signal);
    document.addEventListener("ott-vocabulary", () => this.schedule(), { signal });
    document.addEventListener("ott-ahead", () => this.takeAhead(globalThis.__ottAhead), { signal });
  }

  // ---- what Python says

  /** Called by Streamlit with new data, or with the same data and a new theme. */
  receive(component) {
    this.component = component;
    this.theme = detectTheme(this.host);
    if (component.data && component.data !== this.data) this.take(component.data);
    this.schedule();
  }

  take(data) {
    this.data = data;
    const payload = decodePayload(data);
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

  apply({ header, arrays }) {
    const before = this.header;
    if (before?.link && header.ack < before.ack && header.link !== before.link) {
      location.replace(location.pathname + before.link); // forgotten by the server: begin from there
      return;
    }
    const settled = this.queue.acknowledge(header.ack);
    if (settled) this.settle(settled, header);
    else if (before !== null && header.link !== before.link) this.planSettle();
    this.ahead = null; // what follows this answer comes behind it
    this.show(header, arrays, readDistribution(header.distribution, arrays, "", this.present));
    if (header.notice || !QUIET_EVENTS.includes(settled?.entry.kind)) this.notice = header.notice;
    this.adopt(before, settled);
    if (header.finished || header.notice?.kind === "error") this.stop();
    this.queue.pump();
    this.schedule();
    if (before === null) this.takeAhead(globalThis.__ottAhead); // it may have come first
  }

  /** Makes a header and its distributions what the page holds. */
  show(header, arrays, distribution) {
    if (header.finished) this.keepLast(this.header, header, distribution);
    this.header = header;
    this.present = header.finished ? null : distribution;
    this.inspected = readDistribution(header.inspect, arrays, "inspect_", this.inspected);
    this.forcedPositions = new Set(header.forced);
    this.context = null;
    this.ids = shownIds(header.ids, this.optimistic);
    this.isPainted = false;
  }

  /** Takes what Next will bring; if it has been pressed meanwhile, shows it. */
  takeAhead(data) {
    this.ahead = null;
    if (!data?.length || this.header === null) return;
    const { header, arrays } = decodePayload(data);
    const distribution = readDistribution(header.distribution, arrays, "", null);
    this.ahead = { header, arrays, distribution };
    if (this.frame === 0) this.showAhead();
    if (this.ahead !== null) setTimeout(() => this.rememberAhead());
  }

  /** Computes in a quiet moment what the figures will ask of the distribution that Next brings. */
  rememberAhead() {
    if (this.ahead === null || this.ahead.header.finished) return;
    const { distribution, header } = this.ahead;
    const { controls } = this;
    const settings = settingsInForce(controls, header.orders);
    const place = { contextIds: header.ids, nPrompt: header.n_prompt, coin: header.coin };
    rememberAll({ distribution, settings, controls, ...place });
  }

  /** Shows what Next brings without waiting for Python, if it was told for just this press. */
  showAhead() {
    const { ahead, optimistic, header } = this;
    if (ahead === null || optimistic?.kind !== "next" || this.player.isPaced) return;
    const isNextOfThis =
      ahead.header.ack === header.ack &&
      ahead.header.ids.length === header.ids.length + 1 &&
      ahead.header.ids.at(-1) === optimistic.id &&
      sameControls(ahead.header.controls, this.controls);
    if (!isNextOfThis) return;
    optimistic.entry.isShown = true;
    this.marks.push([optimistic.entry.timing, "painted_distribution"]);
    this.ahead = null;
    this.optimistic = null;
    this.isRevealed = false;
    this.show(ahead.header, ahead.arrays, ahead.distribution);
    this.schedule();
  }

  /** Takes over from Python what the hand is not holding just now. */
  adopt(before, settled) {
    const { header } = this;
    const isFree = this.queue.isIdle && !this.isDragging;
    const isOther = this.controls === null || !sameControls(this.controls, header.controls);
    if (isFree && isOther) this.controls = header.controls;
    if (before === null || settled?.entry.kind === "inspect") {
      const isEnd = header.finished && header.inspect?.position === header.ids.length - 1;
      this.inspecting = header.inspect && !isEnd ? header.inspect.position : null;
      this.isWhatIf = false;
    }
    if (header.guess) this.isRevealed = true;
    else if (before?.ids.length !== header.ids.length) this.isRevealed = false;
  }

  /** When the text has ended no distribution follows: the bars keep the one its end was drawn from. */
  keepLast(before, { ids }, distribution) {
    const position = ids.length - 1;
    if (this.present !== null && before.ids.length === position) {
      this.last = { distribution: this.present, position, coin: before.coin };
    } else if (this.last?.position !== position) {
      this.last = { distribution, position, coin: null };
    }
  }

  /** Takes the answer to one event: did Python draw what the page drew? */
  settle({ entry, body }, header) {
    const isStep = STEP_EVENTS.includes(entry.kind);
    if (this.optimistic?.entry === entry) this.optimistic = null;
    this.message = entry.kind === "next" ? this.compare(body.token_id, header.ids[entry.base]) : null;
    if (entry.timing && !entry.isShown) this.marks.push([entry.timing, "painted_distribution"]);
    if (isStep) this.light.answered(this.beat, this.player.isPlaying);
    else if (entry.kind === "finish") this.light.rest();
    if (entry.kind === "next") this.layout.announce(header, this.label, this.player);
    if (!QUIET_EVENTS.includes(entry.kind)) this.planSettle();
  }

  compare(page, python) {
    if (page === null || page === undefined || python === undefined || page === python) return null;
    const [ours, theirs] = [page, python].map((id) => quote(this.label(id)));
    return `The page drew ${ours}, Python drew ${theirs}: Python’s stands.`;
  }

  // ---- what leaves for Python

  /**
   * Whether an event can be completed: a step once all before it is on screen, which for Next may be
   * before Python has confirmed it; anything else once it can leave.
   */
  isReady({ kind }) {
    const { inFlight } = this.queue;
    if (inFlight === null) return this.isPainted || !STEP_EVENTS.includes(kind);
    return kind === "next" && inFlight.entry.isShown === true && this.isPainted;
  }

  /** Completes an event at the moment it leaves; null drops it. */
  prepare(entry) {
    const { kind, timing, ...fields } = entry;
    if (timing) timing.sent = performance.now();
    if (kind === "next" || kind === "force") return this.prepareStep(entry);
    if (kind === "back") return this.prepareBack(entry);
    if (kind === "finish") this.light.hold("run");
    return kind === "settings" || kind === "finish"
      ? { ...fields, controls: this.controls }
      : fields;
  }

  prepareStep(entry) {
    if (this.present === null || this.header.finished) return null;
    const id = entry.kind === "force" ? entry.id : nextIdOf(this);
    entry.base = this.header.ids.length;
    this.showAtOnce({ kind: entry.kind, id }, entry);
    this.showAt = performance.now() + StageLight.holdOf(this.beat ?? 0);
    this.light.pressed(this.beat, this.player.isPlaying);
    return { token_id: id, controls: this.controls };
  }

  prepareBack(entry) {
    if (this.header.ids.length <= this.header.n_prompt) return null;
    this.showAtOnce({ kind: "back" }, entry);
    return {};
  }

  showAtOnce(optimistic, entry) {
    this.inspecting = null;
    this.optimistic = { ...optimistic, entry };
    this.ids = shownIds(this.header.ids, optimistic);
    this.isTokenDue = true;
    this.marks.push([entry.timing, "painted_token"]);
    this.schedule(); // what pumps the queue may have asked for no frame: Play would wait for ever
  }

  /** Play was started or stopped: what was held back for its pace need wait no longer. */
  playChanged() {
    if (!this.player.isPlaying) this.release();
    this.schedule();
  }

  /** Drops what was pressed and not sent, and stops Play. */
  stop() {
    this.player.pause();
    this.queue.drop("next", "force", "finish");
    const withdrawn = this.queue.withdraw();
    if (withdrawn !== undefined && withdrawn === this.optimistic?.entry) {
      this.optimistic = null;
      this.ids = shownIds(this.header.ids, null);
    }
    this.dim();
  }

  /** Gives Streamlit an event to send. */
  handOver(send, event) {
    this.handedOver = performance.now();
    send?.(event);
  }

  /** Sends nothing for a while, as the page may be about to go; returns for how long that waits. */
  holdBack() {
    const now = performance.now();
    this.silentUntil = now + LEAVING_MS;
    setTimeout(() => this.queue.pump(), LEAVING_MS + 20);
    return this.handedOver + ON_ITS_WAY_MS - now;
  }

  /** Whether a link was pressed a moment ago. */
  get isSilent() {
    return performance.now() < this.silentUntil;
  }

  /** Puts the light of the loop out where no answer will. */
  dim() {
    if (this.queue.inFlight === null) this.light.rest();
  }

  /** Once the hand has rested, the rest of the page and the link are brought up to date. */
  planSettle() {
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => {
      if (this.player.isPlaying) return;
      if (this.isBusy() || this.isSilent) this.planSettle();
      else if (this.header !== null) {
        showLink(this.header.link);
        this.handOver(globalThis.__ottRest, { n: this.header.ack, kind: "settle" });
      }
    }, SETTLE_AFTER_MS);
  }

  // ---- what is seen

  /** One beat of Play in milliseconds where its stages are paced for the eye, else null. */
  get beat() {
    return this.player.isPaced ? this.player.interval : null;
  }

  isBusy() {
    return !this.queue.isIdle || !this.isPainted;
  }

  /** What decides whether Next can be pressed. */
  readiness() {
    return { header: this.header, isPromptChanged: this.layout.prompt.isChanged };
  }

  contextOf(position) {
    if (this.context?.length !== position) this.context = this.header.ids.slice(0, position);
    return this.context;
  }

  /** Asks for one frame; where only the light of the loop has moved, little is drawn anew. */
  schedule(isStageOnly = false) {
    if (this.header === null) return;
    this.isStageOnly &&= isStageOnly;
    if (this.frame === 0) this.frame = requestAnimationFrame((frame) => this.paint(frame));
  }

  /** Draws what has changed, in the frame that began at that time. */
  paint(frame) {
    this.frame = 0;
    this.labels = globalThis.__ottVocabulary?.[this.header.model.name] ?? NO_LABELS;
    const isTokenOnly = this.isTokenDue && this.isPainted;
    this.isTokenDue = false;
    const scope = isTokenOnly ? "token" : this.isStageOnly ? "stage" : "all";
    this.layout.update(buildView(this), scope);
    this.isStageOnly = true;
    const marks = this.marks.splice(0);
    for (const [timing, name] of marks) timing[`${name}_in`] = frame;
    if (marks.length > 0 || !this.isPainted)
      afterThisFrame((now) => this.painted(now, marks, isTokenOnly));
  }

  painted(now, marks, isTokenOnly) {
    for (const [timing, name] of marks) timing[name] = now;
    this.isPainted = true;
    if (isTokenOnly) {
      this.showAhead();
      this.schedule(); // the rest, in the next frame
    }
    this.queue.pump();
    if (this.queue.isSent && this.optimistic === null) this.player.beat();
    setTimeout(() => this.present !== null && presentResult(this));
  }

  close() {
    this.abort.abort();
    this.queue.close();
    this.player.pause();
    this.light.rest();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settleTimer);
    clearTimeout(this.heldTimer);
  }
}

/** Writes the link into the address bar, so that a reload shows the same; none where it has none. */
function showLink(link) {
  if (link !== location.search) history.replaceState(history.state, "", location.pathname + link);
}
