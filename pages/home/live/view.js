// What the figures are given to draw: one plain record, made from a payload and what the person has
// done with it since. Knows nothing of the wire, so that a recorded payload is drawn the same way.

import { NO_MEMORY } from "../../frame/live/memory.js";
import { activeSettings } from "./controls.js";

const NOTHING = {
  distribution: null,
  pointer: null,
  chosenId: null,
  forced: false,
  memory: NO_MEMORY,
  settings: null,
};
const DRAWING_STEPS = ["next", "force"]; // the steps that append

/**
 * Chooses which position the figures show: a past one that is looked at, the next one, or, when the
 * text has ended, the one that its end was drawn from.
 * @param {import("./live.js").Live} live
 * @returns {Position}
 */
function choosePosition({ header, present, inspected, finished, step, inspecting, ids, isLit }) {
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

/** Makes the record. @param {import("./live.js").Live} state @returns {View} */
export function buildView(state) {
  const { header, controls, ids, step, player } = state;
  const shown = choosePosition(state);
  const settings = (state.isWhatIf ? null : shown.settings) ?? activeSettings(controls, header.orders);
  const isNext = shown.distribution !== null && shown.distribution === state.present;
  const isGreedy = settings.temperature === 0; // the bars say it all: there is no draw to wait for
  const isBeforeDraw = isNext && !DRAWING_STEPS.includes(step?.kind ?? "") && !state.isPeeking && !isGreedy;
  state.beats.note(header);
  const isBack = step?.kind === "back";
  const isAtPresent = shown.position >= ids.length - (isBack ? 0 : 1);
  return {
    header,
    ids,
    controls,
    orders: header.orders,
    ...shown,
    pointer: isBeforeDraw ? null : shown.pointer,
    toss: shown.pointer ?? 0, // what XTC tosses with is known before the draw
    isBeforeDraw,
    isPeeking: state.isPeeking,
    isHolding: state.finished.isHeld,
    lastDrawn: state.finished.drawn,
    isDrawn: shown.chosenId !== null && state.inspecting === null,
    settings,
    contextIds: header.ids.slice(0, shown.position),
    nPrompt: header.n_prompt,
    nConfirmed: isBack ? ids.length : header.ids.length,
    labels: state.labels,
    label: state.label,
    stage: state.beats.stage ?? state.light.stage,
    beat: state.beats.beat,
    isSlow: state.beats.isSlow,
    guess: state.beats.guessAt(shown.position),
    asksNewcomer: state.isFirstGuess,
    isPaced: player.isPaced,
    inspecting: shown.position === state.inspecting ? state.inspecting : null,
    isWhatIf: state.isWhatIf,
    hidden: state.asksFirst && !state.isRevealed && isAtPresent && shown.chosenId === null,
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
