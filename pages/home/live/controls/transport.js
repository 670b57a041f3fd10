// Next, Play, Back, Reset and the speed, with the one line that says why something cannot be pressed.

import { announced } from "../../../frame/live/announced.js";
import { createCopy } from "./copy.js";
import { addressOf, embedCode } from "./embed.js";
import { keepPreference } from "./preferences.js";
import { createButton, el, find, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatSetting } from "../../../frame/live/format.js";
import { createLanguagePicker } from "../../../frame/live/language_picker.js";
import { hasAddress } from "../../../frame/live/page_address.js";
import { createSwitch } from "./switch.js";
import { _, ngettext } from "../../../frame/live/words.js";

const SPEEDS = [0.5, 1, 2, 5, 10, Infinity];
const FINISH_COUNT = 20;

/**
 * The buttons that drive the loop, and behind "More" on a phone what is needed less often.
 * @param {Actions} actions
 * @param {HTMLElement[]} switches of the picture
 */
export function createTransport(actions, switches) {
  const next = button(_("Next"), "→", "is-primary", (event) => actions.next(event.timeStamp));
  const nextKey = find(next, "kbd");
  const play = button(_("Play"), _("space"), "", () => actions.togglePlay());
  const playWord = find(play, "span");
  setAttribute(playWord, "data-room", _("Pause")); // what else it says: it keeps its width
  const back = button(_("Back"), "←", "", () => actions.back());
  const reset = button(_("Reset"), null, "", () => actions.reset());
  const finish = button(`+${FINISH_COUNT}`, null, "", () => actions.finish(FINISH_COUNT));
  setAttribute(
    finish,
    "aria-label",
    ngettext("Write {n} token at once", "Write {n} tokens at once", FINISH_COUNT),
  );
  const speed = createSpeed(actions);
  const slowly = createSwitch(
    _("Slowly"),
    _("Every step in five beats; one alone: Shift and →"),
    actions.slow,
  );
  const more = createButton("button more-toggle", _("More"), () => {
    const isOpen = document.documentElement.toggleAttribute("data-more");
    more.ariaExpanded = String(isOpen);
    const place = more.closest(".ott");
    if (place) setAttribute(place, "data-more", isOpen);
  });
  more.ariaExpanded = "false";
  const rest = createButton("quiet rest-toggle", _("More"), ({ detail }) => {
    keepPreference("more", true);
    for (const node of [extras.closest(".ott"), document.documentElement]) node?.removeAttribute("data-calm");
    if (detail === 0) speed.focus({ preventScroll: true }); // by a key: after a press → writes
  });
  /** @type {Header} */
  let header;
  const whyNone = () =>
    hasAddress()
      ? _("too long for a link: save the JSON below")
      : _("no link opens this frame: save the JSON");
  const copy = createCopy(_("copy link"), () => addressOf(header), whyNone);
  const copyEmbed = createCopy(_("copy as HTML"), () => embedCode(header), whyNone);
  const whole = el("a", { class: "whole", target: "_blank", rel: "noopener" }, _("open the whole page"));
  const reason = announced(el("p", { class: "reason", id: "reason" }));
  const progress = el("progress", { hidden: true, "aria-label": _("How much of it is read") });
  const waiting = el(
    "span",
    { class: "row waiting", hidden: true },
    createButton("quiet", _("try now"), () => actions.retry()),
    createButton("quiet", _("stop waiting"), () => actions.cancel()),
  );
  const extras = el(
    "div",
    { class: "extras" },
    el("div", { class: "row seldom" }, speed, finish, reset),
    el("div", { class: "row muted switches" }, slowly.element, ...switches),
    rest,
    el("div", { class: "row foot" }, whole, copy, copyEmbed, createLanguagePicker()),
  );
  const drive = { class: "row buttons", role: "group", "aria-label": _("Drive the loop") };
  return {
    element: el(
      "div",
      { class: "thumb transport" },
      el("div", { class: "sheet", hidden: true }),
      el("div", drive, next, play, back, more),
      reason,
      progress,
      waiting,
    ),
    extras,
    /** @param {View} view */
    update(view) {
      header = view.header;
      setAttribute(whole, "href", addressOf(header) || null);
      const why = view.reasonAgainstNext;
      for (const node of [next, play, finish]) setDisabled(node, why !== null);
      setDisabled(back, view.ids.length <= view.nPrompt);
      const isBeating = view.beat > 0; // then space goes on, as Next does
      setAttribute(play, "data-beating", isBeating);
      setAttribute(next, "title", isBeating ? _("The next beat") : null);
      setText(nextKey, isBeating ? `→ · ${_("space")}` : "→");
      setText(playWord, view.isPlaying ? _("Pause") : _("Play"));
      speed.value = String(view.speed);
      slowly.set(view.isSlow);
      const { trouble, reading } = view.waitingFor;
      setText(reason, trouble ?? why ?? (reading ? readingInWords(reading) : waitingInWords(view)));
      setShown(progress, reading !== null);
      if (reading !== null && reading.share > 0) progress.value = reading.share;
      setShown(waiting, trouble !== null);
    },
  };
}

/**
 * A disabled button keeps its focus and says why, so it is marked rather than switched off.
 * @param {HTMLElement} node
 * @param {boolean} isDisabled
 */
function setDisabled(node, isDisabled) {
  setAttribute(node, "aria-disabled", isDisabled);
  setAttribute(node, "aria-describedby", isDisabled ? "reason" : null);
}

/** What a pass over a prompt is at; how far it is the bar beside it shows. @param {PassProgress} reading */
export function readingInWords({ nTokens }) {
  return nTokens === 0 ? _("Unpacking the model…") : ngettext(
    "The model reads the prompt, {n} token in one pass…",
    "The model reads the prompt, {n} tokens in one pass…",
    nTokens,
  );
}

/** @param {View} view */
function waitingInWords({ isPlaying, waitingFor: { isFinishing, nPressed } }) {
  if (isFinishing) return _("Writing several tokens at once…");
  if (nPressed === 0 || isPlaying) return "";
  return ngettext(
    "{n} more pressed, each waits for its distribution",
    "{n} more pressed, each waits for its distribution",
    nPressed,
  );
}

/**
 * @param {string} text
 * @param {string|null} key
 * @param {string} kind
 * @param {(event: MouseEvent) => void} onPress
 */
function button(text, key, kind, onPress) {
  const node = createButton(`button ${kind}`, el("span", {}, text), (event) => {
    if (node.getAttribute("aria-disabled") !== "true") onPress(event);
  });
  if (key) node.append(el("kbd", { "aria-hidden": "true" }, key));
  return node;
}

/** @param {Actions} actions */
function createSpeed(actions) {
  const options = SPEEDS.map((speed) => {
    const text = speed === Infinity
      ? _("fastest")
      : speed === 1
      ? _("1 token/s")
      : _("{number} tokens/s", { number: formatSetting(speed) });
    return el("option", { value: speed }, text);
  });
  const onchange = () => actions.setSpeed(Number(select.value));
  const select = el("select", { class: "speed", "aria-label": _("Speed of Play"), onchange }, ...options);
  return select;
}
