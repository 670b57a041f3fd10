// Two texts, token by token: above the original, below what follows the chosen token.

import { spoken } from "../../frame/live/aloud.js";
import { el, setAttribute } from "../../frame/live/dom.js";
import { keyAlone } from "../../frame/live/keyboard.js";
import { inOrder } from "../../frame/live/stale_updates.js";

const MAX_NATS = 10; // at which the tint is full

/**
 * Mounts or updates the strip.
 */
export default inOrder((/** @type {Component<Strip>} */ { data, parentElement, setTriggerValue }) => {
  const box = el(
    "div",
    { class: "strip" },
    el("p", { class: "prompt", textContent: data.prompt }),
    ...data.original.map((_, i) => pair(i, data, setTriggerValue)),
  );
  setAttribute(box, "data-presenter", data.presenter ? "" : null);
  const old = parentElement.querySelector(".strip");
  const focused = parentElement.activeElement?.getAttribute("data-place");
  if (old) old.replaceWith(box);
  else parentElement.append(box);
  box.addEventListener("keydown", (event) => move(event, parentElement.activeElement));
  if (focused) stopAt(box.querySelector(`[data-place="${focused}"]`));
});

// One Tab stop for all tokens: the arrows go from one to the next.
/** @type {Record<string, number>} */
const STRIDES = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** @param {KeyboardEvent} event @param {Element | null} button */
function move(event, button) {
  const stride = STRIDES[keyAlone(event)];
  if (!stride || button === null) return;
  const buttons = [...button.closest(".strip")?.querySelectorAll("button") ?? []];
  const goal = buttons.findIndex((one) => one === button) + stride;
  stopAt(buttons[Math.max(0, Math.min(buttons.length - 1, goal))]);
  event.preventDefault();
}

/** @param {HTMLElement | null} button */
function stopAt(button) {
  if (!button) return;
  for (const other of button.closest(".strip")?.querySelectorAll("button") ?? []) other.tabIndex = -1;
  button.tabIndex = 0;
  button.focus();
}

/** @param {number} i @param {Strip} data @param {Component["setTriggerValue"]} setTriggerValue */
function pair(i, data, setTriggerValue) {
  const isPlace = i === data.place;
  const column = el("div", { class: "pair" }, top(i, isPlace, data, setTriggerValue));
  if (data.forced.length === 0) return column;
  const forced = data.forced[i];
  const kind = isPlace ? "forced is-slip" : data.same[i] ? "forced is-same" : "forced";
  const isEmpty = i < data.place || forced === null || forced === undefined;
  column.append(
    el("span", { class: isEmpty ? "forced is-empty" : kind, textContent: isEmpty ? " " : forced }),
  );
  const bar = el("span", { class: "gap" });
  const kl = data.kl[i];
  if (typeof kl === "number") {
    bar.style.setProperty("--depth", Math.min(1, kl / MAX_NATS).toFixed(3));
    column.title = `KL ${kl.toFixed(2)} nats`;
  }
  column.append(bar);
  return column;
}

/**
 * @param {number} i
 * @param {boolean} isPlace
 * @param {Strip} given
 * @param {Component["setTriggerValue"]} setTriggerValue
 */
function top(i, isPlace, { original }, setTriggerValue) {
  const button = el("button", {
    class: isPlace ? "original is-place" : "original",
    type: "button",
    tabIndex: isPlace ? 0 : -1,
    textContent: original[i],
    translate: false,
    "aria-pressed": String(isPlace),
    "aria-label": `Token ${i + 1}, ${spoken(original[i])}: put another here`,
  });
  button.dataset.place = String(i);
  button.addEventListener("click", () => setTriggerValue("place", i + 1));
  return button;
}
