// What a scene of a guided lesson does to the page that it is about: parts of which it speaks are lit, the others
// dimmed, and what holds the answer to a question that is still open is covered.

import { _ } from "./words.js";

const COVERED = _("Answer first: then this shows");
/** A page of many tokens at once: they have their room, and the button that writes them stays under the finger. */
const MANY = '.ott:not([data-presenter]):has(.pointer[data-tour="dimmed"]):has(.seldom[data-tour="lit"])';
/** The style of the marks, for the document or the shadow root in which the parts are. */
export const RULES = `
[data-tour="dimmed"]:not(.thumb), .thumb[data-tour="dimmed"] > * { opacity: .3; } /* it covers what is below it */
.ott[data-presenter] [data-tour="dimmed"] :is(.bars-row:nth-child(n + 3), .bars-tail) { display: none; }
.ott[data-presenter] .bars:has([data-tour="dimmed"] .bars-row) { --n-rows: 2 !important; }
@container ott (max-width: 34em) { /* a phone: what is lit is nearer */
  [data-tour="dimmed"]:is(.strip, .bars-top, .loop, .settings, .seldom, .switches) { display: none !important; }
  [data-tour="dimmed"] :is(.bars-row:nth-child(n + 6), .bars-tail) { display: none; }
  .bars:has([data-tour="dimmed"] .bars-row) { --n-rows: 5 !important; }
  .ott:has(.pointer[data-tour="lit"]) tbody[data-tour="dimmed"] { opacity: .8; } /* the same shares, by name */
  .ott:not(:has(.pointer[data-tour="lit"])) {
    & [data-tour="dimmed"] .bars-row:nth-child(n + 3) { display: none; }
    & .bars:has([data-tour="dimmed"] .bars-row) { --n-rows: 2 !important; }
  }
  ${MANY} .choice { display: none; }
  .bars:has(.settings[data-tour="dimmed"]) [data-tour="lit"] .bars-active { display: block !important; }
}
.ott.ott [data-tour="lit"] .strip-scroll { height: auto; min-height: 4.2em; max-height: 28em; }
${MANY} .strip-scroll { min-height: 19em; align-content: start; }
${MANY} .settings { display: none; }
@container ott (max-width: 34em) { ${MANY} .strip-scroll { min-height: 16em; max-height: 16em; } }
.ott.ott [data-tour="lit"] .strip-list { font-size: var(--size-row); line-height: 1.4; }
.ott[data-presenter] .extras:has([data-tour="dimmed"]) { display: none; }
[data-tour="covered"] { position: relative; }
:is([data-tour="covered"], [data-tour="hidden"]) > * { visibility: hidden !important; }
[data-tour="covered"]::after {
  content: "${COVERED}"; position: absolute; inset: 0; display: grid; place-content: center;
  border-radius: .5em; background: var(--raised); color: var(--muted); }
.ott:has(tbody[data-tour="covered"]) [data-tour="covered"]:not(tbody)::after { content: ""; } /* said once */`;

/**
 * Marks the nodes of a page.
 * @param {Element[]} all that may be marked
 * @param {{ lit: Element[], covered: Element[], lines: string }} scene `lines` matches what has no room for a note
 */
export function markNodes(all, { lit, covered, lines }) {
  /** @param {Element} node */
  const isLit = (node) => lit.some((one) => one.contains(node) || node.contains(one));
  for (const node of all) {
    const cover = node.matches(lines) ? "hidden" : "covered";
    const look = lit.length === 0 ? null : isLit(node) ? "lit" : "dimmed";
    const state = covered.includes(node) ? cover : look;
    if (node.getAttribute("data-tour") === state) continue;
    if (state === null) node.removeAttribute("data-tour");
    else node.setAttribute("data-tour", state);
  }
}
