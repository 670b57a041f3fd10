// How far this browser has come in each guided lesson: kept as scenes are opened, shown on the list.

import { find } from "../../frame/live/dom.js";
import { localStore, readJson } from "../../frame/live/storage.js";

const STORED_AS = "ott-lessons";

const DONE = "done";

/** The scene that was reached last in each lesson, or that it is done, by its name. */
const reached = () => readJson(localStore, STORED_AS) ?? {};

/** Keeps that a scene of a lesson was opened. @param {string} lesson @param {number | "done"} scene */
export const keepReached = (lesson, scene) => {
  localStore.write(STORED_AS, JSON.stringify({ ...reached(), [lesson]: scene }));
};

/** @param {HTMLElement} card @param {number | "done"} scene @param {LessonList} data */
const paint = (card, scene, data) => {
  const links = /** @type {HTMLAnchorElement[]} */ ([...card.querySelectorAll("ol a")]);
  const next = scene === DONE ? undefined : links[scene - 1];
  const start = /** @type {HTMLAnchorElement} */ (card.querySelector(".is-next"));
  const way = /** @type {HTMLElement} */ (card.querySelector(".tour-way"));
  const isDone = scene === DONE;
  if (start === null || way === null || !isDone && (scene < 2 || next === undefined)) return;
  start.textContent = isDone ? data.again : `${data.onwards}: scene ${scene} of ${links.length}`;
  if (next !== undefined) start.href = next.getAttribute("href") ?? start.href;
  way.hidden = false;
  find(way, ":scope > *").style.width = isDone ? "100%" : `${100 * scene / links.length}%`;
};

export default (/** @type {Component<LessonList>} */ { data }) => {
  if (data.ended) keepReached(data.ended, DONE);
  for (const [lesson, scene] of Object.entries(reached())) {
    const card = document.getElementById(`tour-${lesson}`);
    if (card !== null && (scene === DONE || Number.isInteger(scene))) paint(card, scene, data);
  }
};
