// What a scene of a guided lesson does to the page that it is about: parts of which it speaks are lit, the others
// left out, and what holds the answer to a question that is still open is covered.

import { _ } from "./words.js";

const COVERED = _("Answer first: then this shows");
/** A page of many tokens at once: they have their room, and the button that writes them stays under the finger. */
const MANY =
  '.ott:has(.pointer[data-tour="dimmed"]):has(.seldom:is([data-tour="lit"], [data-tour="covered"]))';
/** The draw bar by itself: it has the width of the page, and its words have room. */
const BAR_ALONE = '.ott:has(tbody[data-tour="dimmed"]):has(.pointer[data-tour="lit"])';
/** Left out, and without room; "display: none" froze WebKit. */
const HIDDEN =
  `position: absolute !important; width: 0 !important; height: 0 !important; min-height: 0 !important;
  padding: 0 !important; border: 0 !important; overflow: hidden !important; visibility: hidden !important;`;
/** The style of the marks, for the document or the shadow root in which the parts are. */
export const RULES = `
[data-tour="dimmed"], .ott:has([data-tour="dimmed"]) :is(.bars-foot, .more-toggle, .rest-toggle) {
  ${HIDDEN} }
.ott:has(.thumb[data-tour="dimmed"]) :is(.pointer-line, .speed) { ${HIDDEN} } /* it speaks of Next */
.desk:has([data-tour="dimmed"]):not(:has(.side :is([data-tour="lit"], [data-tour="covered"]))) {
  grid-template: "choice" / minmax(0, 1fr);
  & .side { ${HIDDEN} }
}
${BAR_ALONE} .bars:not([data-comparing]) {
  --label: 1em; --number: 1.4em; --rows: 0px !important;
  & .cut-edge { ${HIDDEN} }
}
/* what is left has the room of the rest */
${BAR_ALONE} .bars:not([data-comparing]) .draw-bar {
  --high: 5.4em; height: var(--high);
  & .draw-segment { line-height: var(--high); }
}
${BAR_ALONE}:has(.thumb[data-tour="dimmed"]) .bars .draw-bar { --high: 26dvh; }
@media (min-width: 641px) {
  ${BAR_ALONE} .bars .draw-bar { --high: max(6.5em, 28dvh); }
  ${BAR_ALONE} .bars:not([data-comparing]) :is(.draw-bar, .draw-segment > span) { font-size: var(--size-row); }
}
.ott:has(tbody[data-tour="dimmed"]):has(.pointer[data-tour="dimmed"]) .bars-table { ${HIDDEN} }
.settings:has(> .setting[data-tour="dimmed"]) { grid-template-columns: minmax(0, 1fr); }
.thumb { bottom: calc(var(--tour-way, 0px) - var(--fade, 0px)); }
.ott.ott [data-tour="lit"] .strip-scroll { height: auto; min-height: 3.4em; max-height: 28em; }
.ott.ott [data-tour="lit"] .strip-list { font-size: var(--size-row); line-height: 1.4; }
@media (min-width: 641px) {
  .ott.ott:has(tbody[data-tour="dimmed"]):not(:has(.seldom:is([data-tour="lit"], [data-tour="covered"])))
    [data-tour="lit"] .strip-list { font-size: var(--size-text); }
  ${MANY} [data-tour="lit"] .strip-list { font-size: calc(0.8 * var(--size-text)); }
  .ott.ott:has(tbody[data-tour="dimmed"]):has(.pointer[data-tour="dimmed"]):has(.seldom[data-tour="dimmed"])
    [data-tour="lit"] .strip-list { font-size: calc(1.5 * var(--size-text)); }
}
${MANY} {
  & { display: flex; flex-direction: column; } /* its button stands above the text, whose room is drawn */
  & .desk { display: block; order: -1; }
  & .strip-scroll {
    min-height: 14em; padding: .5em .7em; border: 1px dashed var(--muted); border-radius: .5em; align-content: start;
  }
  & .side { max-width: 26em; }
  & :is(.choice, .settings) { ${HIDDEN} }
}
@media (max-width: 640px) { .thumb[data-tour="covered"] { position: sticky; } }
.token.token[data-tour="joined"] {
  margin: 0; padding: 0; min-width: 0; border-radius: 0; pointer-events: none; /* a word, not its pieces */
}
[data-tour="covered"] { position: relative; }
:is([data-tour="covered"], [data-tour="hidden"]) > * { visibility: hidden !important; }
[data-tour="covered"]::after {
  content: "${COVERED}"; position: absolute; inset: 0; display: grid; place-content: center;
  border-radius: .5em; background: var(--raised); color: var(--muted); }
/* of the bars that are asked for: where they will stand, and nothing of how long they are */
.guess[data-tour="covered"] { background: none; box-shadow: none; }
.guess[data-tour="covered"]::after { inset: auto; padding: .3em .8em; border: 1px solid var(--line); background: var(--paper); }
.choice:has(.guess[data-tour="covered"]) .bars[data-covered] :is(.bars-row [data-col="active"] .bar-track, .draw-bar) {
  visibility: visible; border: 1.5px dashed var(--muted); border-radius: .2em; background: none; box-shadow: none;
  & * { visibility: hidden; }
}
[data-press] { outline: 3px solid var(--ink); outline-offset: 4px; border-radius: .5em; }
.seldom[data-press] { outline: none; & > .speed + .button { background: var(--ink); color: var(--paper); } }
.ott:has(tbody[data-tour="covered"]) [data-tour="covered"]:not(tbody)::after { content: ""; } /* said once */`;

/**
 * Marks the nodes of a page.
 * @param {Element[]} all that may be marked
 * @param {{ lit: Element[], covered: Element[], pressed?: Element[], lines: string }} scene `lines` matches what has
 *   no room for a note
 */
export function markNodes(all, { lit, covered, pressed = [], lines }) {
  /** @param {Element} node */
  const isLit = (node) => lit.some((one) => one.contains(node) || node.contains(one));
  for (const node of all) {
    node.toggleAttribute("data-press", pressed.includes(node));
    const isCovered = covered.includes(node);
    const look = lit.length === 0 ? null : isLit(node) ? "lit" : "dimmed";
    const state = node.matches(".token")
      ? isCovered && isPiece(node) ? "joined" : null
      : isCovered
      ? node.matches(lines) ? "hidden" : "covered"
      : look;
    if (node.getAttribute("data-tour") === state) continue;
    if (state === null) node.removeAttribute("data-tour");
    else node.setAttribute("data-tour", state);
  }
}

/** Whether a token is one of several of a word. @param {Element} token */
function isPiece(token) {
  /** @param {Element|null} node */
  const goesOn = (node) =>
    node !== null && node.matches(".token:not(.is-special, .is-special + *)") &&
    !node.querySelector(".space");
  return goesOn(token) || goesOn(token.nextElementSibling);
}
