// What the figures are given to draw, and when: one plain record a frame, made from what the session said and
// what the person has done since. Knows nothing of where answers come from.

import { labelsAt } from "../../frame/live/labels.js";
import { NO_MEMORY } from "../../frame/live/memory.js";
import { activeSettings } from "./controls.js";
import { activeResult, drawnToken } from "../../frame/live/strategies.js";
import { afterThisFrame } from "./timings.js";

const NOTHING = {
  distribution: null,
  pointer: null,
  chosenId: null,
  forced: false,
  memory: NO_MEMORY,
  settings: null,
};
/** What a frame draws, the least first. */
const SCOPES = ["stage", "token", "all"];
const DRAWING_STEPS = ["next", "force"]; // the steps that append

/** Asks for one frame at a time, and has it drawn. */
export class Frames {
  /** What to fill in when it is painted. @type {[Timing, string][]} */
  marks = [];
  /** @type {Labels} */
  labels = {};
  frame = 0; // that was asked for
  scope = -1; // of it, an index of SCOPES
  isPrinting = false; // no frame is waited for

  /** @param {import("./live.js").Live} live */
  constructor(live) {
    this.live = live;
    this.label = (/** @type {number} */ id) => this.labels[id] ?? (id < 0 ? "…" : `id ${id}`);
  }

  /**
   * Asks for a frame, which draws all, or the text, or the light of the loop alone.
   * @param {string} [scope]
   * @param {[Timing, string]} [mark] what to fill in then
   */
  schedule(scope = "all", mark) {
    const { isOpen, layout, notice, session } = this.live;
    if (mark) this.marks.push(mark);
    if (!isOpen) return layout.sayAlone(notice?.text ?? session.trouble ?? null);
    this.scope = Math.max(this.scope, SCOPES.indexOf(scope));
    if (this.isPrinting) return this.paint(performance.now());
    if (this.frame === 0) this.frame = requestAnimationFrame((frame) => this.paint(frame));
  }

  /** On paper stands what is so when it is printed. @param {boolean} isPrinting */
  print(isPrinting) {
    this.isPrinting = isPrinting;
    if (isPrinting && this.live.isOpen) this.paint(performance.now());
  }

  /** Draws what has changed, in the frame that began at that time. @param {number} frame */
  paint(frame) {
    const { live } = this;
    this.frame = 0;
    const labels = labelsAt(live.header.model.labels, () => this.schedule());
    if (labels === null) return;
    this.labels = labels;
    const { isLit } = live;
    const scope = SCOPES[this.scope] ?? "all";
    live.layout.update(buildView(live), scope);
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
    if (this.live.queue.isIdle) this.live.player.beat();
  }

  cancel() {
    cancelAnimationFrame(this.frame);
  }
}

/**
 * Chooses which position the figures show: a past one that is looked at, the next one, or, when the
 * text has ended, the one that its end was drawn from.
 * @param {import("./live.js").Live} live
 * @returns {Position}
 */
function choosePosition({ header, present, inspected, finished, step, hand: { inspecting }, ids, isLit }) {
  /** @type {Position|null} */
  let past = null;
  if (header.inspect && inspected !== null) {
    const { token_id: chosenId, ...inspect } = header.inspect;
    past = { ...inspect, distribution: inspected, chosenId };
  }
  if (past !== null && inspecting === past.position) return past;
  const end = ids.length - 1;
  const asEnd = { chosenId: ids[end], forced: header.steps.forced[end - header.n_prompt] ?? false };
  if (present !== null && isLit && finished.drawn !== null) return { ...finished.drawn, ...asEnd };
  if (present !== null) {
    const forced = step?.kind === "force";
    const { pointer, memory } = header;
    const next = { distribution: present, position: header.ids.length, pointer, memory };
    return { ...next, chosenId: step?.id ?? null, forced, settings: null };
  }
  if (past?.position === end) return past;
  if (finished.drawn?.position === end) return { ...finished.drawn, ...asEnd, settings: null };
  return { ...NOTHING, position: ids.length };
}

/**
 * The token that a place of the next bar hits, whatever bar is still on the screen; null: none that the page knows.
 * @param {import("./live.js").Live} live
 * @param {number} at from 0 to 1
 */
export function hitAt({ header, present, hand }, at) {
  if (present === null) return null;
  const { ids, n_prompt: nPrompt, orders, pointer, memory } = header;
  const settings = activeSettings(hand.controls, orders);
  const view = { distribution: present, contextIds: ids, nPrompt, settings, toss: pointer ?? 0, memory };
  return drawnToken(activeResult(view), at)?.id ?? null;
}

/** Makes the record. @param {import("./live.js").Live} state @returns {View} */
export function buildView(state) {
  const { header, hand, frames, ids, step, player } = state;
  const shown = choosePosition(state);
  const settings = (hand.isWhatIf ? null : shown.settings) ?? activeSettings(hand.controls, header.orders);
  const isNext = shown.distribution !== null && shown.distribution === state.present;
  const isGreedy = settings.temperature === 0; // the bars say it all: there is no draw to wait for
  const isBeforeDraw = isNext && !DRAWING_STEPS.includes(step?.kind ?? "") && !hand.isPeeking && !isGreedy;
  state.beats.note(header);
  const isBack = step?.kind === "back";
  const isAtPresent = shown.position >= ids.length - (isBack ? 0 : 1);
  return {
    header,
    ids,
    controls: hand.controls,
    orders: header.orders,
    ...shown,
    pointer: isBeforeDraw ? null : shown.pointer,
    toss: shown.pointer ?? 0, // what XTC tosses with is known before the draw
    isBeforeDraw,
    isPeeking: hand.isPeeking,
    isHolding: state.finished.isHeld,
    lastDrawn: state.finished.drawn,
    drawnSteps: state.finished.steps,
    isDrawn: shown.chosenId !== null && hand.inspecting === null,
    settings,
    contextIds: header.ids.slice(0, shown.position),
    nPrompt: header.n_prompt,
    nConfirmed: isBack ? ids.length : header.ids.length,
    labels: frames.labels,
    label: frames.label,
    stage: state.beats.stage ?? state.light.stage,
    beat: state.beats.beat,
    isTold: state.beats.isTold,
    isSlow: state.beats.isSlow,
    guess: state.beats.guessAt(shown.position),
    asksNewcomer: hand.isFirstGuess,
    isPaced: player.isPaced,
    inspecting: shown.position === hand.inspecting ? hand.inspecting : null,
    isWhatIf: hand.isWhatIf,
    hidden: state.asksFirst && !hand.isRevealed && isAtPresent && shown.chosenId === null,
    reasonAgainstNext: state.reasonAgainstNext,
    isPlaying: player.isPlaying,
    speed: player.speed,
    notice: state.notice,
    waitingFor: {
      ...state.queue.waitingFor,
      trouble: state.session.trouble ?? null,
      reading: state.queue.isIdle ? null : state.session.reading ?? null,
    },
  };
}
