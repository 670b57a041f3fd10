// What the figures are given to draw: one plain record, made from the state of the page.

import { settingsInForce } from "./protocol.js";

/**
 * Chooses which position the figures show: a past one that is looked at, the next one, or, when the
 * text has ended, the one that its end was drawn from.
 * @returns {{distribution: object|null, position: number, coin: number|null, chosenId: number|null,
 *   forced: boolean, settings: object|null}}
 */
function choosePosition({
  header,
  present,
  inspected,
  last,
  optimistic,
  inspecting,
  ids,
  forcedPositions,
}) {
  const past = pastPosition(header, inspected);
  if (past !== null && inspecting === past.position) return past;
  if (present !== null) {
    const isDrawn = optimistic?.kind === "next" || optimistic?.kind === "force";
    return {
      distribution: present,
      position: header.ids.length,
      coin: header.coin,
      chosenId: isDrawn ? optimistic.id : null,
      forced: isDrawn && optimistic.kind === "force",
      settings: null,
    };
  }
  const end = ids.length - 1;
  if (past?.position === end) return past;
  if (last?.position === end)
    return { ...last, chosenId: ids[end], forced: forcedPositions.has(end), settings: null };
  return {
    distribution: null,
    position: ids.length,
    coin: null,
    chosenId: null,
    forced: false,
    settings: null,
  };
}

function pastPosition({ inspect }, inspected) {
  if (!inspect || inspected === null) return null;
  return {
    distribution: inspected,
    position: inspect.position,
    coin: inspect.coin,
    chosenId: inspect.token_id,
    forced: inspect.forced,
    settings: inspect.settings,
  };
}

/** The ids on screen: Python's, with what the page has done since and Python has not yet said. */
export function shownIds(ids, optimistic) {
  if (optimistic?.kind === "back") return ids.slice(0, -1);
  if (optimistic === null) return ids;
  return [...ids, optimistic.id ?? -1];
}

/** Why Next cannot be pressed, in words; null where it can. */
export function reasonAgainstNext({ header, isPromptChanged }) {
  if (isPromptChanged) return null;
  if (header.finished === "eos") {
    return "The model wrote its end token. Go back, or click another bar.";
  }
  if (header.finished === "length") {
    return "The text has reached its length limit. Go back or reset.";
  }
  return header.distribution ? null : "Nothing to continue yet: write a prompt and press Enter.";
}

/**
 * Makes the record.
 * @param {object} state the Live's fields
 */
export function buildView(state) {
  const { header, controls, ids, optimistic, player, queue } = state;
  const shown = choosePosition(state);
  const isPast = shown.settings !== null && !state.isWhatIf;
  const isAtPresent = shown.position >= ids.length - (optimistic?.kind === "back" ? 0 : 1);
  const reason = reasonAgainstNext(state.readiness());
  return {
    header,
    ids,
    controls,
    orders: header.orders,
    ...shown,
    settings: isPast ? shown.settings : settingsInForce(controls, header.orders),
    contextIds: state.contextOf(shown.position),
    nPrompt: header.n_prompt,
    nConfirmed: optimistic?.kind === "back" ? ids.length : header.ids.length,
    forcedPositions: state.forcedPositions,
    labels: state.labels,
    label: state.label,
    stage: state.light.stage,
    isPaced: player.isPaced,
    inFlight: queue.inFlight !== null,
    inspecting: shown.position === state.inspecting ? state.inspecting : null,
    isWhatIf: state.isWhatIf,
    hidden: header.hide_bars && !state.isRevealed && isAtPresent && shown.chosenId === null,
    theme: state.theme,
    canNext: { isAllowed: reason === null, reason },
    isPlaying: player.isPlaying,
    isFinishing: queue.inFlight?.entry.kind === "finish",
    isLate: queue.isLate,
    message: state.message,
    notice: state.notice,
    speed: player.speed,
    nQueued: queue.waiting.filter(({ kind }) => kind === "next").length,
  };
}
