// All that one live component holds, field by field.

/** Labels while the vocabulary has not come: ids are shown instead. */
export const NO_LABELS = Object.freeze([]);

/** The state before the first payload. */
export function emptyState() {
  return {
    // as Streamlit and Python gave it
    component: null, // the newest call's setters
    data: null, // the newest payload, as bytes
    header: null, // its header
    present: null, // the distribution of the next token; null once the text has ended
    ahead: null, // {header, arrays, distribution} as Next will bring them, sent before it is pressed
    inspected: null, // the distribution of a past position
    last: null, // {distribution, position, coin} that the end of the text was drawn from
    forcedPositions: new Set(),
    notice: null, // {kind, text} that stands until it is dismissed or the next thing happens
    labels: NO_LABELS,
    theme: "light",
    // what the hand holds
    controls: null, // sliders and switches; ahead of Python's while they are moved
    isDragging: false,
    inspecting: null, // the past position that is looked at
    isWhatIf: false, // a slider was moved while looking at the past
    isRevealed: false, // in predict mode: the bars of this position may show
    // drawn in the page and not yet confirmed
    optimistic: null, // {kind, id, entry}: the event that is to be answered, as it will end
    ids: [], // the ids on screen
    message: null, // what to say where Python drew something else
    // the next frame
    marks: [], // [timing, name] pairs to fill in when it is painted
    frame: 0,
    isStageOnly: true, // nothing but the light of the loop has changed
    isTokenDue: false, // a token was drawn: it is painted first, in a frame of its own
    isPainted: true, // the newest payload is on screen
    // timers and what is kept from one frame to the next
    held: null, // a payload that waits for its stage of a paced beat
    heldTimer: 0,
    showAt: 0, // when a held payload may show
    settleTimer: 0,
    silentUntil: 0, // nothing is sent before: a link was pressed
    handedOver: -Infinity, // when Streamlit was last given an event to send
    context: null, // ids before the position shown
  };
}
