// Where everything stands on the page. Builds the parts once; every frame hands each its record.

import { announced } from "../../frame/live/announced.js";
import { createAskWord, createLogprobs } from "./controls/ask_word.js";
import { createBars } from "./figures/bars.js";
import { APPEND } from "./figures/beats.js";
import { isEmbedded } from "./controls/embed.js";
import { createBranches } from "./figures/branches.js";
import {
  createButton,
  el,
  named,
  setAttribute,
  setSentence,
  setShown,
  setText,
} from "../../frame/live/dom.js";
import { flyToStrip } from "./figures/flight.js";
import { createEarlier } from "./figures/earlier.js";
import { createGuess } from "./controls/guess.js";
import { letGoOfFocus, listenForClicks } from "./controls/keys.js";
import { createLoop } from "./figures/loop.js";
import { createLazySection } from "../../frame/live/lazy_section.js";
import { keepOrder } from "./order.js";
import { createPasses } from "./figures/passes.js";
import { createOwnLanguage } from "./figures/own_language.js";
import { createPieces } from "./figures/pieces.js";
import { showsAll } from "./controls/preferences.js";
import { createReading } from "./figures/reading.js";
import { createPrompt } from "./controls/prompt.js";
import { createSpeaker } from "./controls/speaker.js";
import { createStopField } from "./controls/stop_field.js";
import { createStrip } from "./figures/strip.js";
import { createTable } from "./figures/table.js";
import { createTransport } from "./controls/transport.js";
import { required } from "../../frame/live/required.js";
import { _, languageTag } from "../../frame/live/words.js";

/** Parts whose words may need another line at the next token. */
const WORDY = ".bars-top, .loop-band";

/** Builds the component inside its shadow root. @param {Actions} actions @param {ShadowRoot} shadowRoot */
export function createLayout(actions, shadowRoot) {
  const prompt = createPrompt(actions);
  const loop = createLoop();
  const bars = createBars(actions, loop.element);
  const parts = {
    prompt,
    transport: createTransport(actions, bars.switches),
    strip: createStrip(actions),
    loop,
    bars,
    guess: createGuess(actions),
    reading: createReading(),
    pieces: createPieces(),
    ownLanguage: createOwnLanguage(),
    earlier: createEarlier(),
    branches: createBranches(actions),
    table: createTable(),
    passes: createPasses(),
    askWord: createAskWord(actions),
    logprobs: createLogprobs(),
    stop: createStopField(actions),
    map: createLazySection(
      _("The sliders as a map: which token this pointer takes where"),
      "slider_map",
      ({ createSliderMap, startWorker }) => createSliderMap(startWorker, actions.setControls),
    ),
  };
  const lines = createLines(actions);
  const speaker = createSpeaker();
  const places = { typing: el("div", { class: "typing" }), settled: el("div", {}) };
  let nShown = 0; // tokens of the text when all was drawn last
  const root = el(
    "div",
    { class: "ott", lang: languageTag(), ariaBusy: "true" },
    ...lines.elements,
    parts.strip.element,
    parts.earlier.element,
    parts.branches.element,
    el(
      "div",
      { class: "desk" },
      el(
        "div",
        { class: "choice", tabIndex: -1 },
        parts.guess.verdict,
        bars.element,
        parts.reading.element,
        parts.guess.element,
      ),
      el(
        "div",
        { class: "side transport" },
        el("div", { class: "side-start" }),
        parts.transport.element,
        bars.settings,
        parts.transport.extras,
      ),
    ),
    el("div", { class: "prompt-place" }, prompt.element, parts.ownLanguage.element, places.typing),
    el(
      "div",
      { class: "below" },
      parts.stop.element,
      parts.map.element,
      parts.strip.sums,
      parts.table.element,
      parts.passes.element,
      parts.askWord.element,
      parts.logprobs.element,
      piecesSection(places.settled),
    ),
    speaker.element,
  );
  const isCalm = !showsAll() && !isEmbedded(); // what a newcomer needs first; the page's toolbar follows
  for (const node of [root, document.documentElement]) setAttribute(node, "data-calm", isCalm);
  bars.root();
  letGoOfFocus(root);
  noticeMouse(root);
  listenForClicks(root, actions);
  shadowRoot.querySelector(".ott")?.remove();
  shadowRoot.append(root);
  keepOrder(root);
  const hold = holdHeights(root.querySelectorAll(WORDY));
  return {
    root,
    prompt,
    speaker,
    /**
     * Draws all of it; or the light of the loop alone; or the text alone, and the rest later.
     * @param {View} view
     */
    update(view, scope = "all") {
      setAttribute(root, "data-stage", view.stage);
      const shown = asShown(view);
      if (scope === "stage") return parts.loop.update(view);
      if (scope !== "all") return parts.strip.update(shown);
      if (setAttribute(root, "data-presenter", view.header.presenter)) hold();
      for (const part of Object.values(parts)) part.update(part === parts.strip ? shown : view);
      root.ariaBusy = null;
      setShown(bars.element, view.distribution !== null);
      setAttribute(bars.element, "data-covered", view.hidden);
      setAttribute(root, "data-asking", view.hidden && (view.asksNewcomer ? "first" : "again"));
      document.documentElement.toggleAttribute("data-asks", view.hidden && view.asksNewcomer);
      const place = prompt.isTyping ? places.typing : places.settled;
      if (parts.pieces.element.parentNode !== place) place.append(parts.pieces.element);
      places.typing.classList.toggle("is-stale", view.header.pieces_of !== prompt.text);
      lines.update(view);
      const isTooFast = view.isPlaying && !view.isPaced; // a flight takes longer than a token
      if (view.isDrawn && view.position === nShown && !isTooFast && view.beat === 0) flyToStrip(root);
      nShown = view.ids.length;
    },
    /** A sentence while there is nothing else to show. @param {string|null} text */
    sayAlone: (text) => {
      if (text) root.ariaBusy = null;
      lines.update({ notice: text ? { kind: "error", text } : null, inspecting: null });
    },
  };
}

/**
 * A mouse that lies still marks no row that comes to lie under it, and opens no token's facts: where a button was that
 * was pressed, also outside the component, and where the page has moved under it.
 * @param {HTMLElement} root
 */
function noticeMouse(root) {
  const noticing = new AbortController();
  let place = "";
  /** @param {PointerEvent} event */
  const notice = ({ type, screenX, screenY }) => {
    if (!root.isConnected) return noticing.abort();
    const before = place;
    place = `${screenX} ${screenY}`;
    if (type === "pointerdown" || (type === "pointerover" && place === before))
      setAttribute(root, "data-still", true);
    else if (place !== before) setAttribute(root, "data-still", false);
  };
  for (const kind of /** @type {const} */ (["pointerdown", "pointerover", "pointermove"]))
    addEventListener(kind, notice, { capture: true, signal: noticing.signal });
}

const shownByView = new WeakMap(); // by the ids of the text

/**
 * The text as it is shown: while a step is played slowly its token joins with the last beat.
 * @param {View} view
 */
function asShown(view) {
  if (view.beat === 0 || view.beat === APPEND) return view;
  if (!shownByView.has(view.ids)) shownByView.set(view.ids, view.ids.slice(0, -1));
  return { ...view, ids: shownByView.get(view.ids) };
}

/**
 * Keeps parts as high as they once were at their width and type: with another word nothing below them moves.
 * @param {NodeListOf<HTMLElement>} parts
 */
function holdHeights(parts) {
  const looks = new WeakMap();
  /** @param {HTMLElement} part */
  const hold = (part) => {
    const look = `${part.clientWidth} ${getComputedStyle(part).fontSize}`;
    if (looks.get(part) !== look) part.style.minHeight = "";
    looks.set(part, look);
    part.style.minHeight = `${Math.floor(part.getBoundingClientRect().height)}px`;
  };
  const holdAll = () => requestAnimationFrame(() => parts.forEach(hold));
  const observer = new ResizeObserver(holdAll);
  parts.forEach((part) => observer.observe(part));
  return holdAll;
}

/** @param {HTMLElement} place */
function piecesSection(place) {
  const title = el("summary", { textContent: _("The prompt as its tokens: pieces, bytes and ids") });
  return el("details", { class: "section" }, title, place);
}

/**
 * The sentences that can stand above the strip: what went wrong, and which position is shown.
 * @param {Actions} actions
 */
function createLines(actions) {
  /** @type {string|null} */
  let dismissed = null;
  /** @type {string|null} */
  let shown = null;
  const message = announced(el("span"), { role: "alert" });
  const dismiss = createButton("quiet", _("Dismiss"), () => {
    dismissed = shown;
    notice.hidden = true;
    setText(message, "");
  });
  const notice = el("div", { class: "row notice", hidden: true }, message, dismiss);
  const where = el("span", {});
  const back = createButton("quiet", _("Back to now (Esc)"), () => actions.inspect(null));
  const banner = el("div", { class: "row where", hidden: true }, where, back);
  return {
    elements: [notice, banner],
    /** @param {Pick<View, "notice"> & ({inspecting: null} | LookedAt)} view */
    update(view) {
      shown = view.notice?.text ?? null;
      if (shown !== dismissed) dismissed = null;
      setShown(notice, shown !== null && dismissed === null);
      setText(message, dismissed === null ? shown ?? "" : "");
      setAttribute(notice, "data-kind", view.notice?.kind ?? null);
      setShown(banner, view.inspecting !== null);
      if (view.inspecting !== null) setSentence(where, whereWords(view));
    },
  };
}

/**
 * What is said of a position that is looked back at.
 * @typedef {Pick<View, "inspecting" | "chosenId" | "label" | "isWhatIf">} LookedAt
 */

/** @param {LookedAt} view */
function whereWords(view) {
  const said = {
    position: view.inspecting,
    token: named(view.label(required(view.chosenId, "token that was chosen"))),
  };
  return view.isWhatIf
    ? _(
      "You look at position {position} as it was, before {token} was chosen, under the settings below.",
      said,
    )
    : _(
      "You look at position {position} as it was, before {token} was chosen, under the settings of that step.",
      said,
    );
}
