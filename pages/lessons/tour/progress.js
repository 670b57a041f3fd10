// How far this browser has come in each guided lesson: kept as scenes are opened, shown on the list.

import { find } from "../../frame/live/dom.js";
import { localStore, readJson } from "../../frame/live/storage.js";
import { _ } from "../../frame/live/words.js";
import { playOnHover } from "./play.js";

const STORED_AS = "ott-lessons";

const DONE = "done";

/** The scene that was reached last in each lesson, or that it is done, by its name. */
const reached = () => readJson(localStore, STORED_AS) ?? {};

/** Keeps that a scene of a lesson was opened. @param {string} lesson @param {number | "done"} scene */
export const keepReached = (lesson, scene) => {
  localStore.write(STORED_AS, JSON.stringify({ ...reached(), [lesson]: scene }));
};

/** @param {HTMLElement} card @param {number | "done"} scene */
const paint = (card, scene) => {
  const links = /** @type {HTMLAnchorElement[]} */ ([...card.querySelectorAll("ol a")]);
  const next = scene === DONE ? undefined : links[scene - 1];
  const start = /** @type {HTMLAnchorElement} */ (card.querySelector(".is-next"));
  const way = /** @type {HTMLElement} */ (card.querySelector(".tour-way"));
  const isDone = scene === DONE;
  if (start === null || way === null || !isDone && (scene < 2 || next === undefined)) return;
  start.textContent = isDone
    ? _("Done. Once more")
    : _("Go on: scene {number} of {n_scenes}", { number: scene, n_scenes: links.length });
  if (next !== undefined) start.href = next.getAttribute("href") ?? start.href;
  way.hidden = false;
  find(way, ":scope > *").style.width = isDone ? "100%" : `${100 * scene / links.length}%`;
};

/**
 * Has what is read of a lesson bear its language, where that is not the page's.
 * @param {string} lesson its name; empty at the end of one
 * @param {{ lang: string, dir: string }} spoken
 */
const tag = (lesson, spoken) => {
  const card = document.getElementById(`tour-${lesson}`);
  const block = card?.closest(".stVerticalBlock");
  const found = lesson === ""
    ? document.querySelectorAll(".tour-kept a")
    : [...block?.querySelectorAll("h2, .stMarkdown") ?? [], ...card?.querySelectorAll("ol") ?? []];
  for (const node of found) Object.assign(node, spoken);
};

export default (/** @type {Component<LessonList>} */ { data }) => {
  if (data.ended) keepReached(data.ended, DONE);
  for (const card of document.querySelectorAll("[class*=st-key-tour_card]")) playOnHover(card);
  for (const [lesson, spoken] of Object.entries(data.foreign)) tag(lesson, spoken);
  for (const [lesson, scene] of Object.entries(reached())) {
    const card = document.getElementById(`tour-${lesson}`);
    if (card !== null && (scene === DONE || Number.isInteger(scene))) paint(card, scene);
  }
};
