// The text of the game, tinted by what it cost the model, with a blank at its end; and the tiles of
// the newest round, one for everyone who was scored.

import { el, setAttribute } from "../../frame/live/dom.js";
import { inOrder } from "../../frame/live/stale_updates.js";
import { adoptStyles, detectTheme } from "../../frame/live/theme.js";

const DEEPEST = 14; // bits at which the tint is full

/**
 * Mounts or updates the text, or the tiles where the data has some.
 * @param {{data: {presenter: boolean, shown?: string[], bits?: (number|null)[], n_hidden?: number,
 *   newest?: number, tiles?: {name: string, now: string, mean: string, best: boolean,
 *   role: string}[]}, parentElement: ShadowRoot}} component
 */
export const mountGuess = inOrder(({ data, parentElement }) => {
  adoptStyles(parentElement);
  detectTheme(parentElement);
  const box = el("div", { class: "game" }, data.tiles ? tiles(data.tiles) : text(data));
  setAttribute(box, "data-presenter", data.presenter ? "" : null);
  const old = parentElement.querySelector(".game");
  if (old) old.replaceWith(box);
  else parentElement.append(box);
  box.firstChild.scrollTop = box.firstChild.scrollHeight; // a long text shows its end
});

function text(data) {
  const parts = data.shown.map((part, i) => token(part, i, data));
  return el("p", { class: "text" }, ...parts, data.n_hidden > 0 ? blank(data.n_hidden) : null);
}

function tiles(all) {
  return el(
    "ul",
    { class: "tiles", "aria-label": "Bits of everyone for the newest token" },
    ...all.map(({ name, now, mean, best, role }) =>
      el(
        "li",
        { class: best ? "tile is-best" : "tile", "data-role": role },
        el("span", { class: "name", textContent: best ? `${name}, best` : name }),
        el("span", { class: "now", textContent: now }),
        el("span", { class: "mean", textContent: `mean ${mean}` }),
      )
    ),
  );
}

function token(part, place, { bits, newest }) {
  const cost = bits[place];
  if (cost === null || cost === undefined) return el("span", { textContent: part });
  const lead = part.length - part.trimStart().length;
  const node = el("span", {
    class: place === newest ? "asked is-newest" : "asked",
    title: `${cost.toFixed(1)} bits for the model`,
    textContent: part.slice(lead),
  });
  node.style.setProperty("--depth", Math.min(1, cost / DEEPEST).toFixed(3));
  // the space before a word is not tinted: it would look like a part of the one before
  return el("span", {}, part.slice(0, lead), node);
}

function blank(nHidden) {
  return el(
    "span",
    {},
    el("span", { class: "blank", role: "img", "aria-label": "the hidden token", textContent: "?" }),
    el("span", {
      class: "more",
      textContent: nHidden > 1 ? `and ${nHidden - 1} more tokens hidden` : "the last token",
    }),
  );
}
