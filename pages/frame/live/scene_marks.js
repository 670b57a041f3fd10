// What a scene of a guided lesson does to the page that it is about: parts of which it speaks are lit, the others
// left out, and what holds the answer to a question that is still open is covered.

import { findPhrase } from "./phrase.js";
import { _ } from "./words.js";

const COVERED = _("Answer first: then this shows");
/** A page of many tokens at once: they have their room, and the button that writes them stays under the finger. */
const MANY =
  '.ott:has(.pointer[data-tour="dimmed"]):has(.seldom:is([data-tour="lit"], [data-tour="covered"]))';
/** The draw bar by itself: it has the width of the page, and its words have room. */
const BAR_ALONE = '.ott:has(tbody[data-tour="dimmed"]):has(.pointer[data-tour="lit"])';
/** It, with what was drawn on it before. */
const DRAWS = `${BAR_ALONE}:has(.draws[data-tour="lit"])`;
/** Left out, and without room; "display: none" froze WebKit. */
const HIDDEN =
  `position: absolute !important; width: 0 !important; height: 0 !important; min-height: 0 !important;
  padding: 0 !important; border: 0 !important; overflow: hidden !important; visibility: hidden !important;`;
/** A scene about how a setting moves the shares, which cuts nothing. */
const NO_CUT =
  '.ott:has(.settings:is([data-tour="lit"], [data-tour="covered"])):not(:has(.cut-words[data-tour="lit"]))';
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
/* no legend of a cut, and at temperature 0 no pointer that decides nothing: the others have 0 % */
${NO_CUT} {
  & .bars-top, & .pointer-marker[data-idle], & .bar-ghost { ${HIDDEN} }
  & tr:not([data-none]) [data-state="rejected"] .bar-number {
    visibility: hidden;
    &::after { content: attr(data-none); visibility: visible; position: absolute; inset-inline-end: 0; }
  }
}
/* what is left has the room of the rest */
${BAR_ALONE} .bars:not([data-comparing]) .draw-bar {
  --high: 5.4em; height: var(--high);
  & .draw-segment { line-height: var(--high); }
}
${BAR_ALONE}:has(.thumb[data-tour="dimmed"]) .bars .draw-bar { --high: 26dvh; }
${DRAWS}:has(.thumb[data-tour="dimmed"]) .bars .draw-bar { --high: 18dvh; }
:is(.draws, .cut-words, .earlier)[data-tour="lit"]:not([hidden]), .end-flag[data-tour="lit"]:not([hidden]) { display: block; }
.ott:has(.end-flag[data-tour="lit"]) .bars .plot .pointer { margin-block-start: 1.2em; } /* its name has a line */
${DRAWS}:has(.thumb[data-tour="dimmed"]) .bars .plot .pointer { margin-block-end: .4em; }
/* the evidence is read from the last row */
@media (min-width: 641px) {
  .ott[data-presenter] .draws[data-tour="lit"] {
    & :is(.draws-name, .draws-where) { font-size: var(--size-body); }
    & :is(.draws-token, .draws-sentence) { font-size: var(--size-lead); line-height: 1.2; }
  }
  .ott[data-presenter]:has(.pointer[data-tour="lit"]):not(:has(tbody[data-tour="dimmed"])) .choice > .bars.bars {
    --row: 2em; --track: 1.5em; }
}
/* where there is room, the picture takes it */
@media (min-height: 790px) and (min-width: 641px) {
  .ott:has(tbody:is([data-tour="lit"], [data-tour="covered"])):has([data-tour="dimmed"]) .choice > .bars.bars:not([data-comparing]) {
    --row: calc(2.7em * var(--squeeze)); --track: calc(2em * var(--squeeze));
    & .draw-bar { height: 3.8em; }
  }
  .ott:not([data-presenter]) .guess[data-tour] { min-height: 17.8em; }
  /* rows alone, and a text of some words above them */
  .ott:has(tbody:is([data-tour="lit"], [data-tour="covered"])):has(.pointer[data-tour="dimmed"]) {
    & .choice > .bars.bars:not([data-comparing]) { --row: 3.1em; --track: 2.3em; --label: 9em; }
    & .bars-row :is(.bars-label, .bar-number) { font-size: var(--size-row); }
    &:not([data-presenter]) .guess[data-tour] { min-height: 22em; }
    & [data-tour="lit"] .strip-list.strip-list { font-size: var(--size-text); }
  }
  ${DRAWS} {
    & .plot .pointer { margin-block-start: -1.2em; } /* the bar is near the numbers of its scale */
    & .draws-list { grid-auto-rows: 2.1em; min-height: 8.4em; }
    & .draws-bar { height: 1.5em; }
    &:not(:has(.thumb[data-tour="dimmed"])) .bars .draw-bar.draw-bar { --high: 5.6em; } /* six passes below it */
    & :is(.draws-name, .draws-where) { font-size: var(--size-body); }
  }
}
@media (max-height: 790px) and (min-width: 641px) {
  .ott[data-presenter]:has([data-tour="dimmed"]) {
    & .choice:not(:has(> .verdict:not([hidden]))) .bars-top { ${HIDDEN} }
    &:not(:has(.pointer[data-tour="lit"])) .choice > .bars.bars { --row: 2.1em; --track: 1.6em; }
    &:not(:has(tbody[data-tour="dimmed"])):has(.pointer[data-tour="lit"]) {
      & .choice > .bars.bars { --row: 1.45em; --track: 1.1em; --label: 7em; --number: 5em; }
      & tbody :is(.bars-label, .bar-number) { font-size: var(--size-lead) !important; } /* whole, as high as a row */
      & .bars-row .bars-label { overflow: clip visible; } /* what hangs below its line, too */
      & .strip .strip-scroll { height: 2.9em; min-height: 0; }
    }
    &:has(.draws[data-tour="lit"]) {
      & .strip-list { font-size: var(--size-row) !important; }
      & .plot .pointer { margin-block-start: -1.2em; }
      & .pointer-line { ${HIDDEN} } /* each row says as much */
      & .bars .draw-bar { --high: 5em !important; }
      & .bars :is(.draw-bar, .draw-segment > span) { font-size: var(--size-lead) !important; }
      &:has(.thumb[data-tour="dimmed"]) .bars .draw-bar { --high: 6em !important; }
      & .draws-list { grid-auto-rows: 1.25em; min-height: 3.75em; }
    }
  }
}
@media (max-width: 640px) {
  .strip:has([data-tour="piece"], [data-tour="joined"]) .strip-list.strip-list { line-height: 2.6; }
  .ott:has(.cut-words[data-tour="lit"]) .bars-top { ${HIDDEN} }
  .settings:is([data-tour="lit"], [data-tour="covered"]) { margin-block-end: .6em; } /* for its frame */
  .cut-words { font-size: var(--size-body); }
  /* question, draws and Next are in sight above what is so */
  ${DRAWS} {
    & .pointer-line { ${HIDDEN} }
    & .draws-list { grid-auto-rows: 1.5em; min-height: 4.5em; }
  }
  ${DRAWS}:not(:has(.thumb[data-tour="dimmed"])) .bars:not([data-comparing]) .draw-bar { --high: 4.4em; }
  .ott:has(.pointer[data-tour="lit"]):has(.settings:is([data-tour="lit"], [data-tour="covered"])) .bars.bars { --row: 1.8em; }
  .ott.ott:has(.cut-words[data-tour="lit"]) .bars.bars { --row: 1.5em; --track: 1.2em; }
}
.ott:has(.draws[data-tour="lit"]) .token.is-forced { background-image: none; } /* all are: it says nothing */
@media (min-width: 641px) {
  ${BAR_ALONE} .bars .draw-bar { --high: max(6.5em, 28dvh); }
  ${DRAWS} .bars .draw-bar { --high: max(5.2em, 24dvh); }
  .guess[data-tour] { margin-block-start: 3.4em; } /* its frame lies below the axis */
  ${BAR_ALONE} .bars:not([data-comparing]) :is(.draw-bar, .draw-segment > span) { font-size: var(--size-row); }
}
.ott:has(tbody[data-tour="dimmed"]):has(.pointer[data-tour="dimmed"]) .bars-table { ${HIDDEN} }
.settings:has(> .setting[data-tour="dimmed"]) { grid-template-columns: minmax(0, 1fr); }
.thumb { bottom: calc(var(--tour-way, 0px) - var(--fade, 0px)); }
@media (max-width: 640px) { /* with its frame it stands above the way on */
  .thumb[data-tour] { bottom: calc(var(--tour-way, 0px) + 8px); padding-bottom: .4em; }
}
.ott:has(.thumb[data-tour="covered"]) .pointer-line { visibility: hidden; } /* it says what cannot be pressed yet */
.ott.ott [data-tour="lit"] .strip-scroll { height: auto; min-height: 3.4em; max-height: 28em; }
.ott.ott [data-tour="lit"] .strip-list { font-size: var(--size-row); line-height: 1.4; }
@media (min-width: 641px) {
  .ott.ott:has(tbody[data-tour="dimmed"]):not(:has(.seldom:is([data-tour="lit"], [data-tour="covered"])))
    [data-tour="lit"] .strip-list { font-size: var(--size-text); }
  ${MANY} {
    & [data-tour="lit"] .strip-list { font-size: calc(0.8 * var(--size-text)); }
    & .strip-scroll.strip-scroll { min-height: 44dvh; }
    @media (min-height: 790px) {
      & [data-tour="lit"] .strip-list { font-size: var(--size-text); }
      & .strip { --size-text: 2.5rem; }
      & .strip-scroll.strip-scroll { min-height: 56dvh; }
    }
    @media (max-height: 790px) { & [data-tour="lit"] .strip-list { font-size: var(--size-row); } }
  }
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
/* two texts, one below the other */
${MANY}:has(.earlier[data-tour="lit"]) .strip-scroll.strip-scroll { min-height: 5.6em; }
@media (max-width: 640px) { .thumb[data-tour="covered"] { position: sticky; } }
/* the pieces of a word, counted */
@media (min-width: 641px) {
  .token.token:is([data-tour="piece"], [data-tour="joined"]) { font-size: calc(1.5 * var(--size-text)); }
  .strip:has([data-tour="piece"], [data-tour="joined"]) { margin-block-start: .6em; } /* off the rule above */
  @media (max-height: 790px) { /* all in one line */
    .token.token:is([data-tour="piece"], [data-tour="joined"]) { font-size: var(--size-text); }
  }
  @media (min-height: 790px) {
    .strip:has([data-tour="piece"], [data-tour="joined"]) { --size-text: 2.6rem; margin-block: 2.4em 1.6em; }
    .ott:has([data-tour="piece"], [data-tour="joined"]) .prompt :is(.prompt-name, .prompt-box) { font-size: var(--size-row); }
    .token[data-tour="piece"]::after { font-size: var(--size-text) !important; }
  }
}
.token[data-tour="piece"] {
  position: relative; margin: 0 .05em; line-height: 1.2; border: 2px solid var(--prompt); border-radius: .15em;
  background: color-mix(in srgb, var(--prompt) 12%, var(--paper)); counter-increment: piece;
  &::after {
    content: counter(piece); position: absolute; top: 100%; inset-inline: 0; text-align: center;
    font: 600 var(--size-row) / 1.3 var(--sans); color: var(--prompt); }
}
.token:not([data-tour="piece"]) { counter-reset: piece; }
.strip:has([data-tour="piece"], [data-tour="joined"]) .strip-scroll { padding-bottom: 2.2em; }
/* a phrase that returns: each time it begins, a line stands before it */
.ott:has([data-tour="again"], [data-tour="begins"]) .token.of-model { background: var(--generated-tint); }
.ott .strip .token.token:is([data-tour="again"], [data-tour="begins"]) {
  background: color-mix(in srgb, var(--generated) 34%, var(--paper)); border-bottom-style: solid; }
.ott .strip .token.token[data-tour="begins"] { border-inline-start: 4px solid var(--generated); }
.token.token[data-tour="joined"] {
  margin: 0; padding: 0; min-width: 0; border-radius: 0; pointer-events: none; /* a word, not its pieces */
}
[data-tour="covered"] { position: relative; }
:is([data-tour="covered"], [data-tour="hidden"]) > * { visibility: hidden !important; }
[data-tour="covered"]::after {
  content: "${COVERED}"; position: absolute; inset: 0; display: grid; place-content: center;
  border-radius: .5em; background: var(--raised); color: var(--muted); }
/* of the bars that are asked for: where they will stand, and nothing of how long they are */
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
 * @param {{ lit: Element[], covered: Element[], pressed?: Element[], lines: string, names?: readonly string[] }} scene
 *   `lines` matches what has no room for a note; `names` are the parts that are lit
 */
export function markNodes(all, { lit, covered, pressed = [], lines, names = [] }) {
  const again = names.includes("repeats") ? phraseOf(all.filter((node) => node.matches(".token"))) : null;
  /** @param {Element} node */
  const isLit = (node) => lit.some((one) => one.contains(node) || node.contains(one));
  /** A flag within what is lit is brought up by its own name. @param {Element} node */
  const isUnasked = (node) => node.matches(".end-flag") && !names.includes("end");
  for (const node of all) {
    node.toggleAttribute("data-press", pressed.includes(node));
    const isCovered = covered.includes(node);
    const look = lit.length === 0 || isUnasked(node) ? null : isLit(node) ? "lit" : "dimmed";
    const state = node.matches(".token")
      ? isCovered && isPiece(node)
        ? "joined"
        : names.includes("pieces") && isPiece(node)
        ? "piece"
        : again?.get(node) ?? null
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

/** The last one that was found, by the words of its text. @type {{words: string, marks: Map<Element, string>}} */
let found = { words: "", marks: new Map() };

/**
 * The phrase that returns most, as marks of its tokens: of all phrases the one whose returns are the most tokens, and
 * of several the shortest.
 * @param {Element[]} nodes
 */
function phraseOf(nodes) {
  const tokens = [...new Set(nodes)];
  const words = tokens.map((node) => node.textContent ?? "");
  const text = words.join("\n");
  if (text === found.words && tokens.every((node) => node.isConnected)) return found.marks;
  const { starts, n } = findPhrase(words);
  /** @type {Map<Element, string>} */
  const marks = new Map();
  for (const start of starts)
    for (let i = 0; i < n; i += 1) marks.set(tokens[start + i], i === 0 ? "begins" : "again");
  found = { words: text, marks };
  return marks;
}
