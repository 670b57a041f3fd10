// Nothing to see: brings a scene's heading below the bar, tells who cannot see what scene it is, lights the
// parts of the page that it speaks of, and covers those that hold the answer to a question still open.

import { keepAnswer } from "../../frame/live/record.js";
import { markNodes, RULES } from "../../frame/live/scene_marks.js";
import { isStill } from "../../frame/live/motion.js";
import { keepStory } from "./kept_story.js";
import { keepReached } from "./progress.js";
import { find, setAttribute } from "../../frame/live/dom.js";

const PATIENCE_MS = 30_000; // that a page may take until it has the heading
const BEGUN = performance.now();
const HANDS = ["wheel", "touchmove", "pointerdown", "keydown"];
const MARGIN = 6; // pixels around what is brought into view
const EVIDENCE = ".kv-total"; // what another page comes to: it is seen beside what is so
/** What has no room for that note. */
const LINES = ".stMarkdown, .stMetric, .stAlert, [data-testid='stCaptionContainer'], .bars-top";
/** What shows something on a page of Streamlit's: what is pressed stays. */
const SHOWN = ".stPlotlyChart, .stHtml, .stTable, .stDataFrame, .stMarkdown, .stMetric, .stAlert, " +
  "[data-testid='stCaptionContainer'], [class*='_on_clock']";
/** The bar, the head and the foot of a page, and what speaks. */
const ABOUT = ".st-key-above, .st-key-head, .st-key-neighbours, .st-key-announcer";
/** @type {string | null} */
let shown = null; // the scene that was brought into view, before its answer or with it: once is enough

/** @type {string | null} */
let explained = null; // the scene whose answer was brought into view

/** @param {string} text */
const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
const headings = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("h2, h3")]);
/** @param {string} wanted */
const headingOf = (wanted) => headings().find((one) => slug(one.textContent) === wanted);

/** What holds the bar, and stands where it is while the page is scrolled. */
const place =
  () => /** @type {HTMLElement | null} */ (document.querySelector(".st-key-above")?.parentElement ?? null);

/** @param {string} title */
const dressBar = (title) => {
  const bar = /** @type {HTMLElement} */ (document.querySelector(".st-key-tour"));
  if (bar === null) return;
  bar.setAttribute("role", "region");
  bar.setAttribute("aria-label", title);
  bar.tabIndex = -1;
  const { lang, dir } = document.documentElement; // also on a page that is in English
  setLanguage(bar, lang, dir);
  // it stands above what is scrolled below it, in either theme
  const paper = getComputedStyle(find(document, ".stApp")).backgroundColor;
  place()?.style.setProperty("background", paper);
  if (document.activeElement === document.body) bar.focus({ preventScroll: true });
};

/** What the lesson says of a scene, and what the app says among it. */
const OF_LESSON =
  ":is(.st-key-tour_words, .st-key-tour_reply, [class*='st-key-tour_task'], .st-key-tour_answer)";
const OF_APP = ":is(.st-key-tour_said, [class*='st-key-tour_told'], .tour-more, .stFormSubmitButton)";

/** Has the texts of a lesson that is not in the page's language bear their own. @param {Scene} given */
const tagLanguages = ({ lang, dir }) => {
  const { documentElement: root } = document;
  for (const node of document.querySelectorAll(OF_LESSON)) setLanguage(node, lang, dir);
  for (const node of document.querySelectorAll(OF_APP))
    setLanguage(node, lang && root.lang, lang && root.dir);
};

/** @param {Element} node @param {string} lang @param {string} dir */
const setLanguage = (node, lang, dir) => {
  for (const [name, said] of Object.entries({ lang, dir })) setAttribute(node, name, said || null);
};

/** Whether what a question is about is there: it takes an answer only then. @param {Scene} given */
const isThere = ({ page }) => {
  if (page === "") return live()?.querySelector(".strip .token") !== null && live() !== null;
  const app = /** @type {HTMLElement|null} */ (document.querySelector("[data-testid='stApp']"));
  return app?.dataset.testScriptState === "notRunning" &&
    document.querySelector("[data-testid='stSkeleton']") === null;
};

/** Lets the bar take an answer once there is something to answer on, or after a while in any case. */
const openAnswers = (started = performance.now()) => {
  const bar = document.querySelector(".st-key-tour");
  if (scene === null || bar === null) return;
  const isReady = isThere(scene) || performance.now() - started > PATIENCE_MS;
  if (isReady) bar.setAttribute("data-ready", "");
  else setTimeout(openAnswers, 100, started);
};

/** Whether the bar stays in view; on a phone it does not, so that its question is read before the page moves. */
const isSticky = (bar = place()) => bar !== null && getComputedStyle(bar).position === "sticky";

/**
 * Keeps the bar as high as its question was: an answer is shorter, and what stands below it stays.
 * @param {Event} event
 */
const holdHeight = (event) => {
  const { target } = event;
  const bar = place();
  if (bar === null || !scene?.is_open || !(target instanceof Element) || !target.closest(".st-key-tour"))
    return;
  bar.style.minHeight = getComputedStyle(bar).height;
};
const releaseHeight = () => {
  place()?.style.removeProperty("min-height");
  document.querySelector(".st-key-above")?.removeAttribute("style");
};
for (const kind of ["click", "keydown"]) addEventListener(kind, holdHeight, true);
addEventListener("resize", releaseHeight);

/** @param {string} wanted */
const bringUp = (wanted) => {
  const bar = place();
  const heading = headingOf(wanted);
  if (heading === undefined) return;
  heading.style.scrollMarginTop = `${(bar && isSticky(bar) ? bar.offsetHeight : 0) + 8}px`;
  heading.scrollIntoView();
};

/** Does something now, and again while the page is still drawn, until a hand moves. @param {() => void} act */
const follow = (act) => {
  const observer = new ResizeObserver(act);
  const stop = () => {
    observer.disconnect();
    for (const kind of HANDS) removeEventListener(kind, stop, true);
  };
  observer.observe(find(document, ".stMainBlockContainer"));
  for (const kind of HANDS) addEventListener(kind, stop, true);
  setTimeout(stop, PATIENCE_MS);
};

/** The first page's component, whose parts stand in a shadow root. */
const live = () =>
  [...document.querySelectorAll(".st-key-live *")].map((node) => node.shadowRoot).find(Boolean) ?? null;

/** What a page of Streamlit's shows, below one heading or all of it. @param {string} heading */
const figures = (heading) => {
  const all = [...document.querySelectorAll(SHOWN)].filter((node) => node.closest(ABOUT) === null);
  const first = headingOf(heading) ?? null;
  const next = headings().find((one) => first && first.compareDocumentPosition(one) & 4);
  /** @param {Node} node @param {Node} other */
  const isBehind = (node, other) => Boolean(other.compareDocumentPosition(node) & 4);
  return all.filter((node) => (!first || isBehind(node, first)) && !(next && isBehind(node, next)));
};

/** The nodes of the parts that a scene names. @param {Scene} given @param {string[]} names */
const nodesOf = ({ page, heading, parts }, names) => {
  if (page !== "")
    return names.flatMap((name) => name === "figures" ? figures("") : figures(heading));
  const root = live();
  return root === null ? [] : names.flatMap((name) => [...root.querySelectorAll(parts[name])]);
};

/** @param {Scene} scene */
const mark = (scene) => {
  const root = scene.page === "" ? live() : document;
  if (root === null) return;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  const all = scene.page === "" ? nodesOf(scene, Object.keys(scene.parts)) : figures("");
  const lit = nodesOf(scene, scene.light);
  const covered = nodesOf(scene, scene.cover);
  markNodes(all, { lit, covered, pressed: nodesOf(scene, scene.press), lines: LINES, names: scene.light });
};

const sheet = new CSSStyleSheet();
sheet.replaceSync(RULES);
/** @type {Scene | null} */
let scene = null; // the one that is followed
/** @type {ShadowRoot | null} */
let watched = null; // the first page's component, once its parts are there
let isAwaited = false;
const watching = new MutationObserver(() => {
  if (scene !== null) {
    mark(scene);
    markAbove(scene);
    tagLanguages(scene);
    explain();
  }
  awaitLive();
});

/** Waits, frame by frame, for the first page's component to have its parts: none shows uncovered. */
const awaitLive = () => {
  const root = live();
  if (isAwaited || scene?.page !== "" || (watched !== null && watched === root)) return;
  watched = root?.querySelector(".strip") ? root : null;
  if (watched === null) {
    isAwaited = true;
    requestAnimationFrame(() => {
      isAwaited = false;
      awaitLive();
    });
    return;
  }
  watching.observe(watched, { childList: true, subtree: true });
  mark(scene);
};

/** Keeps the text that the reader wrote in this scene for the end of the lesson. */
addEventListener("pagehide", () => {
  const root = live();
  if (scene?.keeps && root !== null) keepStory(root);
});

/** Unfolds a scene's words on a phone. */
addEventListener("click", (event) => {
  const more = event.target instanceof Element ? event.target.closest(".tour-more") : null;
  if (more === null) return;
  const isOpen = find(document, ".st-key-tour_words").toggleAttribute("data-open");
  more.ariaExpanded = String(isOpen);
});

const MIN_PULL = 12; // pixels
let pulledFrom = 0;
/** The handle of what is so on a phone. @param {Event} event */
const gripOf = ({ target }) => target instanceof Element ? target.closest(".tour-grip") : null;
addEventListener("pointerdown", (event) => {
  if (gripOf(event)) pulledFrom = event.clientY;
});

/** Unfolds what is so below the sentence to remember, or folds it again: by a press, or as far as it was pulled. */
addEventListener("pointerup", (event) => {
  const way = event.clientY - pulledFrom;
  if (gripOf(event) && Math.abs(way) >= MIN_PULL) openAnswer(way < 0);
});
addEventListener("click", (event) => {
  if (gripOf(event) && (event.detail === 0 || Math.abs(event.clientY - pulledFrom) < MIN_PULL)) openAnswer();
});

/** @param {boolean} [isOpen] the other way round if it is not said */
const openAnswer = (isOpen) => {
  const why = find(document, ".st-key-tour_why");
  find(why, ".tour-grip").ariaExpanded = String(why.toggleAttribute("data-open", isOpen));
};

/**
 * Keeps the question at the upper edge while the room that its choices had is scrolled away below it: how much that is.
 * @param {number} above where the question stands now
 */
const stayAbove = (above) => {
  const bar = find(document, ".st-key-above");
  const top = Math.round(bar.getBoundingClientRect().top - above);
  bar.style.cssText = `flex: none; position: sticky; top: ${top}px`;
  const { bottom } = bar.getBoundingClientRect();
  return Math.max(0, (place()?.getBoundingClientRect().bottom ?? bottom) - MARGIN - bottom);
};

/**
 * On a phone what is so comes from below, and never over the picture: what stands above the question gives way upwards as
 * far as the picture needs it, then the question and the text, too; the answer unfolds by itself only where the picture leaves it room.
 */
const giveWay = () => {
  const sheet = document.querySelector(".st-key-tour > :has(> .st-key-tour_answer)");
  const asked = document.querySelector(".st-key-tour_asked");
  if (scene === null || !sheet || !asked || !isTold() || getComputedStyle(sheet).position !== "fixed") return;
  const lit = nodesOf(scene, scene.light).map((node) => node.getBoundingClientRect().bottom);
  const seen = [...document.querySelectorAll(EVIDENCE)]
    .map((node) => node.getBoundingClientRect().bottom);
  const end = scene.page === "" ? Math.max(...lit) : seen.length > 0 ? Math.max(...seen) : Infinity;
  const hiddenPart = () => end + MARGIN - sheet.getBoundingClientRect().top;
  const above = asked.getBoundingClientRect().top - MARGIN;
  openAnswer(true);
  if (hiddenPart() > above) openAnswer(false);
  const told = find(document, ".st-key-tour_reply [class*='st-key-tour_told']");
  const toldTop = told.getBoundingClientRect().top - MARGIN;
  const kept = seen.length > 0 && hiddenPart() > above ? toldTop : above; // what is at the upper edge of another page
  const tops = [asked, told, ...nodesOf(scene, scene.light.slice(1))] // all but the text, which is first
    .map((one) => one.getBoundingClientRect().top - MARGIN);
  const hidden = hiddenPart();
  const most = tops.find((top) => top >= hidden) ?? Math.max(...tops.slice(0, 3));
  const way = scene.page === "" ? Math.min(hidden, most) : kept + stayAbove(kept);
  if (way > 0) find(document, ".stMain").scrollBy({ top: way, behavior: isStill() ? "auto" : "smooth" });
};

/** Whether what is so is there to its end. */
const isTold = () =>
  document.querySelector(".st-key-tour_why:has(.tour-grip) .st-key-tour_remember p") !== null;

/** Once what is so is there, it is brought into view. */
const explain = () => {
  if (scene === null || explained === scene.title || !isTold()) return;
  if (!isThere(scene)) return; // a later change of the page brings it
  explained = scene.title;
  requestAnimationFrame(() => follow(giveWay));
};

/** Marks what a phone leaves out: all above the heading of a scene, and all until that is there. @param {Scene} given */
const markAbove = ({ heading }) => {
  const found = heading === "" ? undefined : headingOf(heading);
  const isLate = !found && heading !== "" && performance.now() - BEGUN < PATIENCE_MS;
  /** @type {Set<Element>} */
  const above = new Set(isLate ? find(document, ".stMainBlockContainer > *").children : []);
  for (
    let node = found;
    node && !node.matches(".stMainBlockContainer");
    node = node.parentElement ?? undefined
  )
    for (let one = node.previousElementSibling; one; one = one.previousElementSibling) above.add(one);
  unmarkAbove(above);
  for (const one of above)
    if (!one.matches(ABOUT) && one.querySelector(ABOUT) === null) setAttribute(one, "data-above", "");
  markBelow(found);
};
/** Marks what no scene speaks of: the sections below that of its heading. @param {HTMLElement} [heading] */
const markBelow = (heading) => {
  const next = headings().find((one) => heading && heading.compareDocumentPosition(one) & 4);
  let node = /** @type {Element|null|undefined} */ (next);
  while (node && heading && !node.parentElement?.contains(heading)) node = node.parentElement;
  for (; node; node = node.nextElementSibling) setAttribute(node, "data-below", "");
};
/** @param {Set<Element>} [but] */
const unmarkAbove = (but) => {
  for (const one of document.querySelectorAll("[data-above]"))
    if (!but?.has(one)) one.removeAttribute("data-above");
  const below = but ? [] : document.querySelectorAll("[data-below]");
  for (const one of below) one.removeAttribute("data-below");
};

export default (/** @type {Component<Scene>} */ { data }) => {
  scene = data;
  document.documentElement.setAttribute("data-guided", "");
  keepReached(data.lesson, data.number);
  if (data.answer !== null) keepAnswer(data.answer);
  dressBar(data.title);
  tagLanguages(data);
  openAnswers();
  mark(data);
  markAbove(data);
  watching.observe(document.body, { childList: true, subtree: true });
  if (watched !== null) watching.observe(watched, { childList: true, subtree: true });
  awaitLive();
  const state = `${data.title}${data.is_open ? "?" : ""}`; // the answer makes the bar higher
  if (shown !== state && data.heading !== "" && isSticky()) follow(() => bringUp(data.heading));
  shown = state;
  explain();
  return () => {
    watching.disconnect();
    mark({ ...data, light: [], cover: [], press: [] });
    scene = null;
    requestAnimationFrame(() => {
      if (scene !== null) return;
      unmarkAbove();
      releaseHeight(); // the lesson was left
      document.documentElement.removeAttribute("data-guided");
    });
  };
};
