// An idea as a few cells in the page's colours, as `pages/frame/small_pictures.py` spells them: a letter is a cell.

import { el } from "./dom.js";

/** What a letter looks like, as a background. @type {Record<string, string>} */
export const LOOKS = {
  p: "var(--prompt)",
  g: "var(--generated)",
  k: "var(--kept)",
  c: "var(--chosen)",
  v: "var(--values)",
  d: "var(--stage)",
  e: "var(--error)",
  r: "var(--hatch)",
};

/**
 * Draws rows of cells, as large as their place; who hears the page has the words beside them.
 * @param {string[]} rows
 */
export function drawCells(rows) {
  const wide = Math.max(...rows.map((row) => row.length));
  const cells = rows.flatMap((row) =>
    [...row.padEnd(wide)].map((letter) => {
      const cell = el("i");
      cell.style.background = LOOKS[letter] ?? "none";
      return cell;
    })
  );
  const grid = el("div", { class: "cells", ariaHidden: "true" }, ...cells);
  grid.style.gridTemplateColumns = `repeat(${wide}, 1fr)`;
  grid.style.aspectRatio = `${wide} / ${rows.length}`;
  return grid;
}
