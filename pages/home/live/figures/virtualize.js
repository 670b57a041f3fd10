// Keeps a long text fast: whole lines that have been left behind are put into blocks of their own,
// which the browser neither lays out nor paints while they are scrolled out of sight.

const KEPT_LOOSE = 320;
const MIN_BLOCK = 80;

/** Moves old lines into a block once enough tokens, or chips, are loose. @param {Chip[]} chips */
export function foldOldLines(chips) {
  const first = chips.findIndex((chip) => !chip.isFolded);
  if (first < 0 || chips.length - first <= KEPT_LOOSE) return;
  const start = lineStartBefore(chips, chips.length - KEPT_LOOSE / 2);
  if (start - first < MIN_BLOCK) return;
  const block = document.createElement("div");
  block.className = "lines";
  chips[first].node.before(block);
  // Everything between, line ends included, moves with its tokens.
  const { node: end } = chips[start];
  for (let next = block.nextSibling; next && next !== end; next = block.nextSibling) block.append(next);
  for (let i = first; i < start; i += 1) chips[i].isFolded = true;
}

/**
 * The last token at or before an index that begins a line and stands directly in the list.
 * @param {Chip[]} chips
 * @param {number} index
 */
function lineStartBefore(chips, index) {
  /** @param {number} i */
  const isDirect = (i) => chips[i].node.parentElement?.classList.contains("strip-list");
  for (let i = index; i > 0 && !chips[i].isFolded; i -= 1) {
    const isStart = chips[i].node.offsetLeft < chips[i - 1].node.offsetLeft;
    if (isStart && isDirect(i) && isDirect(i - 1)) return i;
  }
  return 0;
}

/**
 * Takes the last block apart again, as when the text was cut inside it.
 * @param {Chip[]} chips
 * @param {number} index
 */
export function unfoldFrom(chips, index) {
  const block = chips[index - 1]?.node.closest(".lines");
  if (!block) return;
  block.replaceWith(...block.childNodes);
  /** @param {Chip|undefined} chip */
  const isLoose = (chip) => chip?.isFolded && chip.node.closest(".lines") === null;
  for (let i = index - 1; isLoose(chips[i]); i -= 1) chips[i].isFolded = false;
}

/** Takes every block apart, as when the width has changed. @param {HTMLElement} list @param {Chip[]} chips */
export function unfoldAll(list, chips) {
  for (const block of list.querySelectorAll(".lines")) block.replaceWith(...block.childNodes);
  for (const chip of chips) chip.isFolded = false;
}
