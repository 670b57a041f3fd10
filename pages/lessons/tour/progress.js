// How far this browser has come in each guided lesson: kept as scenes are opened, shown on the list.

import { localStore, readJson } from "../../frame/live/storage.js";

const STORED_AS = "ott-lessons";

/** The scene that was reached last in each lesson, by its name. */
const reached = () => readJson(localStore, STORED_AS) ?? {};

/** Keeps that a scene of a lesson was opened. */
export const keepReached = (lesson, scene) => {
  localStore.write(STORED_AS, JSON.stringify({ ...reached(), [lesson]: scene }));
};

const paint = (card, scene, words) => {
  const links = /** @type {HTMLAnchorElement[]} */ ([...card.querySelectorAll("ol a")]);
  const next = links[scene - 1];
  const start = /** @type {HTMLAnchorElement} */ (card.querySelector(".is-next"));
  const way = card.querySelector(".tour-way");
  if (scene < 2 || next === undefined || start === null || way === null) return;
  start.textContent = `${words}: scene ${scene} of ${links.length}`;
  start.href = next.getAttribute("href") ?? start.href;
  way.hidden = false;
  way.firstElementChild.style.width = `${100 * scene / links.length}%`;
};

export default ({ data }) => {
  for (const [lesson, scene] of Object.entries(reached())) {
    const card = document.getElementById(`tour-${lesson}`);
    if (card !== null && Number.isInteger(scene)) paint(card, scene, data.onwards);
  }
};
