// What a page owes to who cannot see it, or has no pointer: a press's outcome is said, the sentences that
// changed, once they rest; what scrolls in a frame of its own is reached by Tab; the keyboard meets all in the
// order in which it is seen, and keeps its place.

import { announced } from "./live/announced.js";
import { find, isScriptRunning } from "./live/dom.js";
import { keepFocus } from "./live/focus.js";
import { holdFigures } from "./live/hold_figures.js";
import { holdHeight } from "./live/hold_height.js";
import { keepScroll } from "./live/scroll.js";
import { _ } from "./live/words.js";

const LOOK = 300; // milliseconds between two looks
const REST = 1200; // without a change: longer than a step of Play
const MAX_SAID = 3; // sentences at once
// captions, measured numbers, and what is said to an answer, but not the question nor the room that is kept for it
const OUTCOMES = `.stMain :is([data-testid="stCaptionContainer"], [data-testid="stMetric"],
  [class*="_reply"] .stMarkdown):not([class*="_asked"] *, [class*="_room"] *)`;
// of Streamlit's Markdown: its text is the icon's name, and so is its label until it is renamed
const ICON = "[role=img][aria-label$=' icon']";
const RENAMED = "data-icon";
/** In English and in the reader's language; others stand beside their words. @type {Record<string, string[]>} */
const ICONS = { "check_circle icon": ["done", _("done")], "circle icon": ["to do", _("to do")] };
const PRESSES = ["click", "change"];

const outcomes = () =>
  [...document.querySelectorAll(OUTCOMES)].flatMap((one) => heardOf(one).trim().split(/(?<=[.:]) /));

/** An element's text without the names of its icons. @param {Element} place */
const heardOf = (place) => {
  const icons = `${ICON}, [${RENAMED}]`;
  if (place.querySelector(icons) === null) return place.textContent ?? "";
  const copy = /** @type {Element} */ (place.cloneNode(true));
  for (const icon of copy.querySelectorAll(icons)) icon.remove();
  return copy.textContent ?? "";
};
const isAtWork = () => isScriptRunning() || document.querySelector(".stMain .stProgress") !== null;

/** What a page shows now and did not show before. @param {string[]} before */
const news = (before) => {
  const known = new Set(before);
  return outcomes().filter((words) => words !== "" && !known.has(words)).slice(0, MAX_SAID);
};

/** @param {HTMLElement} region */
const listen = (region) => {
  /** @type {string[]|null} */
  let before = null; // what stood on the page at the first press that was not answered yet
  let last = "";
  let since = 0;
  const look = () => {
    const now = outcomes().join(" ");
    if (isAtWork() || now !== last) {
      last = now;
      since = performance.now();
    }
    if (performance.now() - since < REST) {
      setTimeout(look, LOOK);
      return;
    }
    const words = news(before ?? []).join(" ");
    before = null;
    if (words !== "") region.textContent = words; // hidden: it is said beside the component
  };
  const press = () => {
    if (!region.isConnected) { for (const kind of PRESSES) removeEventListener(kind, press, true); }
    since = performance.now();
    if (!region.isConnected || before !== null) return;
    before = outcomes();
    setTimeout(look, LOOK);
  };
  for (const kind of PRESSES) addEventListener(kind, press, true);
};

const CONTENT = ".stMain :is(.stPlotlyChart, .stHtml > *, pre)"; // that a frame may be too small for
const FOCUSABLE = "a, button, input, select, textarea, summary, [tabindex]";
const SCROLLS = ["Scrolls with the arrow keys", _("Scrolls with the arrow keys")];
const SCROLLED = { tabindex: "0", role: "group", "data-scrolls": "" };
/** The words in the language of a place: pages of the laboratory are in English. @param {Element} place @param {string[]} words */
const saidAt = (place, [english, own]) =>
  place.closest("[lang]")?.getAttribute("lang") === "en" ? english : own;
/** @param {Element} frame */
const isScrolled = (frame) => {
  const isWider = frame.scrollWidth > frame.clientWidth + 1; // what is rounded is no overflow
  const isHigher = frame.scrollHeight > frame.clientHeight + 1;
  if (!isWider && !isHigher) return false;
  const { overflowX, overflowY } = getComputedStyle(frame);
  return isWider && overflowX === "auto" || isHigher && overflowY === "auto";
};

/** A browser may lead Tab to what scrolls, or not; and a window may be turned. */
const letTabReach = () => {
  const before = new Set(document.querySelectorAll("[data-scrolls]"));
  for (const content of document.querySelectorAll(CONTENT)) {
    /** @type {Element|null} */
    let frame = content;
    while (frame !== null && !frame.matches(".stMain") && !isScrolled(frame)) frame = frame.parentElement;
    if (frame === null || frame.matches(".stMain") || before.delete(frame)) continue;
    if (frame.querySelector(FOCUSABLE) !== null || frame.matches(FOCUSABLE)) continue;
    const named = { ...SCROLLED, "aria-label": saidAt(frame, SCROLLS) };
    for (const [name, value] of Object.entries(named)) frame.setAttribute(name, value);
  }
  for (const frame of before) {
    for (const name of ["aria-label", ...Object.keys(SCROLLED)]) frame.removeAttribute(name);
  }
};

/** What Streamlit draws and no browser may translate: code, tokens in figures and tables, names of models. */
const VERBATIM =
  ":is(pre, code, .stPlotlyChart, .stTable td, [class*='_model '], [class$='_model']):not([translate])";
const keepWords = () => {
  for (const node of document.querySelectorAll(VERBATIM)) node.setAttribute("translate", "no");
};

/** A figure is told once, in its label; screen readers would read its axes number by number. */
const TOLD = ".stPlotlyChart[aria-label] .main-svg:not([aria-hidden])";
const keepTold = () => {
  for (const icon of document.querySelectorAll(ICON)) {
    const said = ICONS[icon.getAttribute("aria-label") ?? ""];
    icon.setAttribute(RENAMED, "");
    if (said) icon.setAttribute("aria-label", saidAt(icon, said));
    else icon.setAttribute("aria-hidden", "true");
  }
  for (const drawing of document.querySelectorAll(TOLD)) drawing.setAttribute("aria-hidden", "true");
};

/** What stands in the reader's language on a page that is in English. */
const OWN = ":is(.st-key-head, .claim, .remember, .term-note, .st-key-summary, .st-key-neighbours)";
/** A figure of the laboratory on a page in the reader's language. */
const ENGLISH = "[class*='_in_english']";
/** A page that stays English says so, around what is in the reader's language. @param {boolean} isEnglish */
const keepLanguage = (isEnglish) => {
  const { lang, dir } = document.documentElement;
  const main = document.querySelector(".stMainBlockContainer");
  if (lang === "en" || main === null) return;
  const written = { lang: "en", dir: "ltr" };
  if (!isEnglish) {
    for (const name of ["lang", "dir"]) main.removeAttribute(name);
    for (const node of main.querySelectorAll(`${ENGLISH}:not([lang])`)) Object.assign(node, written);
    return;
  }
  for (const [name, value] of Object.entries(written)) main.setAttribute(name, value);
  for (const node of main.querySelectorAll(`${OWN}:not([lang])`)) Object.assign(node, { lang, dir });
};

/** @param {HTMLElement} region */
const keepReached = (region) => {
  let isDue = false;
  const look = () => {
    isDue = false;
    if (region.isConnected) {
      letTabReach();
      keepWords();
      keepTold();
      keepLanguage(region.dataset.english === "true");
    } else {
      added.disconnect();
      resized.disconnect();
    }
  };
  const ask = () => {
    if (!isDue) requestAnimationFrame(look);
    isDue = true;
  };
  const added = new MutationObserver(ask);
  const resized = new ResizeObserver(ask);
  added.observe(document.body, { childList: true, subtree: true });
  resized.observe(document.body);
};

/**
 * Dialogs stand outside the app: they take its scheme too. Figures are painted by Python: ask for them
 * anew. `data-theme` is the theme that they were painted for.
 * @param {HTMLElement} region
 * @param {{ theme: string, english: boolean, large: boolean }} data
 * @param {Component["setTriggerValue"]} setTriggerValue
 */
const follow = (region, data, setTriggerValue) => {
  const { backgroundColor: paper, colorScheme } = getComputedStyle(find(document, ".stApp"));
  document.documentElement.style.colorScheme = colorScheme;
  if (region.dataset.paper && region.dataset.paper !== paper) setTriggerValue("theme", paper);
  Object.assign(region.dataset, { paper, theme: data.theme, english: data.english });
  keepLanguage(data.english);
  if (!data.large) document.querySelector("style[data-large]")?.remove();
};

export default (
  /** @type {Component<{ theme: string, english: boolean, large: boolean }>} */ {
    data,
    parentElement,
    setTriggerValue,
  },
) => {
  const present = parentElement.querySelector("p");
  if (present) {
    follow(present, data, setTriggerValue);
    return;
  }
  const region = document.createElement("p");
  region.hidden = true;
  parentElement.append(region);
  follow(region, data, setTriggerValue);
  listen(announced(region));
  keepFocus();
  keepScroll();
  keepReached(region);
  holdHeight();
  holdFigures();
};
