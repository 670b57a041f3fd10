// Two texts, token by token: above what was written, below what follows the wrong token.

import { el, setAttribute } from "../../frame/live/dom.js";
import { inOrder } from "../../frame/live/stale_updates.js";
import { adoptStyles, detectTheme } from "../../frame/live/theme.js";

const DEEPEST = 10; // nats at which the tint is full

/**
 * Mounts or updates the strip.
 * @param {{data: {prompt: string, right: string[], wrong: (string|null)[], kl: (number|null)[],
 *   same: boolean[], place: number, presenter: boolean}, parentElement: ShadowRoot,
 *   setTriggerValue: Function}} component
 */
export const mountStrip = inOrder(({ data, parentElement, setTriggerValue }) => {
  adoptStyles(parentElement);
  detectTheme(parentElement);
  const box = el(
    "div",
    { class: "strip" },
    el("p", { class: "prompt", textContent: data.prompt }),
    ...data.right.map((_, i) => pair(i, data, setTriggerValue)),
  );
  setAttribute(box, "data-presenter", data.presenter ? "" : null);
  const old = parentElement.querySelector(".strip");
  const focused = parentElement.activeElement?.dataset.place;
  if (old) old.replaceWith(box);
  else parentElement.append(box);
  if (focused !== undefined) box.querySelector(`[data-place="${focused}"]`)?.focus();
});

function pair(i, data, setTriggerValue) {
  const isPlace = i === data.place;
  const column = el("div", { class: "pair" }, top(i, isPlace, data, setTriggerValue));
  if (data.wrong.length === 0) return column;
  const wrong = data.wrong[i];
  const kind = isPlace ? "wrong is-forced" : data.same[i] ? "wrong is-same" : "wrong";
  const isEmpty = i < data.place || wrong === null || wrong === undefined;
  column.append(
    el("span", { class: isEmpty ? "wrong is-empty" : kind, textContent: isEmpty ? " " : wrong }),
  );
  const bar = el("span", { class: "gap" });
  const kl = data.kl[i];
  if (typeof kl === "number") {
    bar.style.setProperty("--depth", Math.min(1, kl / DEEPEST).toFixed(3));
    column.title = `KL ${kl.toFixed(2)} nats`;
  }
  column.append(bar);
  return column;
}

function top(i, isPlace, { right }, setTriggerValue) {
  if (right[i] === "") return el("span", { class: "right is-empty", textContent: " " });
  const button = el("button", {
    class: isPlace ? "right is-place" : "right",
    type: "button",
    textContent: right[i],
    "aria-pressed": String(isPlace),
    "aria-label": `Token ${i + 1}, ${right[i]}: force another here`,
  });
  button.dataset.place = String(i);
  button.addEventListener("click", () => setTriggerValue("place", i + 1));
  return button;
}
