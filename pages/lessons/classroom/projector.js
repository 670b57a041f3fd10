// The projector: shows the class what it is asked, how it answered, and how to join. It has no buttons.

import { el, setShown, setText } from "../../frame/live/dom.js";
import { _, LANGUAGE, languageTag, translateMarkup } from "../../frame/live/words.js";
import {
  answeredInWords,
  ask,
  byId,
  closingInWords,
  codeInAddress,
  drawCrowd,
  drawOutcome,
  isOfTokens,
  keepAsking,
  Refusal,
  ROOMS,
  secondsLeft,
  tagLanguage,
  trouble,
  writeAsked,
  writePremise,
  writeText,
} from "./room.js";
import { drawSampler, drawScene } from "./seen.js";

const POLL_MS = 400;
const REFUSED_MS = 5000;
const OVER = "is-over"; // the room was lost: nothing of it is shown any more
const MOST = 220; // characters of the text
const MARK = "\u2060"; // around a number: has no width
const MOST_BESIDE = 48; // where an outcome stands below it: a line
const [OF_CLASS, TOLD] = ["class", "told"]; // in the address of a page: its answer is
const PATIENCE_MS = 20_000; // for a page that does not come
const IDLE = '.stApp[data-test-script-state="notRunning"]';
const UNDER_WAY = '[data-testid="stSkeleton"], [data-testid="stBidiComponentIsolated"]:not([data-drawn])';
// pixels that a scene's page has, with the column beside it, on every projector: the fewer, the larger all that it shows
const PAGE_WIDTHS = [1010, 1180, 1370];
const FILLED = .95; // of its height, at most: a text grows
const SETTLED_MS = 200; // between two looks at where it ends
const [SAME, MOST_LOOKS] = [3, 20]; // looks that agree: scripts that mark its parts are late

const FOR_THE_EAR = 1; // pixels of width of what nobody sees
const BARE = ":is(div, p, ol):empty"; // room that is kept, or the seat of a component
const VISIBLE = { visibilityProperty: true, opacityProperty: true };

const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

const code = codeInAddress().toUpperCase();
const join = `${location.origin}${ROOMS}/${code}`;
/** @type {ProjectorState} */
let view; // none before the first answer
let since = 0;
let begun = ""; // the text without what came last

const poll = keepAsking(async () => {
  try {
    const told = await ask(`${encodeURIComponent(code)}/projector/state?version=${view?.version ?? ""}`);
    if (told !== null) {
      if (view && view.text !== told.text) begun = view.text;
      [view, since] = [told, performance.now()];
      if (isOfAnotherLanguage(told.desk)) return false;
      paint();
    } else if (document.body.className === OVER) paint();
    else paintCounts();
    setText(byId("error"), "");
    return view.closing === null; // what a lesson came to stays
  } catch (error) {
    setText(byId("error"), trouble(error));
    const isOver = error instanceof Refusal;
    document.body.className = isOver ? OVER : "";
    if (isOver) await pause(REFUSED_MS);
  }
}, POLL_MS);

/**
 * Loads the page in the language of the desk: a class reads one. Whoever has chosen a language here keeps it.
 * @param {Spoken|null} desk
 */
function isOfAnotherLanguage(desk) {
  const query = new URLSearchParams(location.search);
  if (desk === null || desk.lang === languageTag() || query.has(LANGUAGE)) return false;
  query.set(LANGUAGE, desk.lang);
  location.search = String(query);
  return true;
}

function paint() {
  const { question, scene, outcome, closing } = view;
  const isLobby = !view.has_begun && scene === null && view.revealed === "";
  const isOf = closing !== null ? "is-closed" : outcome === null ? "" : "has-outcome";
  document.body.className = isLobby ? "is-lobby" : isOf;
  if (closing !== null) paintOnward();
  paintPage(scene);
  setText(byId("scene"), scene?.title ?? "");
  tagLanguage(byId("scene"), scene?.spoken);
  tagLanguage(byId("ask"), (question ?? scene)?.spoken);
  tagLanguage(byId("explained"), question?.spoken);
  const isOfText = question === null ? scene === null : isOfTokens(question);
  writeText(byId("text"), isOfText ? view.text : "", begun, outcome === null ? MOST : MOST_BESIDE);
  writePremise(view);
  const words = closing === null ? (question ?? scene)?.words ?? "" : closingInWords(closing);
  writeAsked(byId("ask"), words, question === null ? scene : null);
  byId("ask").className = question !== null ? "" : scene?.is_end ? "sentences" : "words";
  paintOpen(question);
  drawOutcome(byId("outcome"), outcome, question);
  setText(byId("revealed"), view.explained === "" ? view.revealed : ""); // the answer that is right is marked
  setText(byId("explained"), view.explained);
  drawScene(byId("picture"), view);
  drawCrowd(byId("crowd"), view, question !== null && question.is_open);
  paintCounts();
}

/**
 * The draw bar of the sampler, or the answers to choose from while a question is open.
 * @param {RoomQuestion|null} question
 */
function paintOpen(question) {
  const isDrawn = question !== null && question.kind === "sampler";
  setShown(byId("bar"), isDrawn);
  setShown(byId("ends"), isDrawn);
  const isListed = question !== null && !isDrawn && question.is_open && question.options.length > 0;
  setShown(byId("options"), isListed);
  if (isDrawn) {
    drawSampler(byId("bar"), byId("ends"), question, view.pointers);
  } else if (isListed) {
    const { options, spoken } = question;
    const translate = !isOfTokens(question);
    byId("options").replaceChildren(...options.map((words) => el("li", { ...spoken, translate }, words)));
  }
}

/**
 * The page of the scene, as large as it gets; who has the projector's mouse may press there. It is fetched once its
 * answer is told, and what the class looks at stays until it is drawn.
 * @param {RoomScene|null} scene
 */
function paintPage(scene) {
  const page = /** @type {HTMLIFrameElement} */ (byId("page"));
  const address = new URL(scene?.address ?? "", new URL(ROOMS.replace(/room$/, ""), location.href));
  const isShown = scene !== null && scene.is_page_shown;
  const isFetched = isShown || scene !== null && address.searchParams.get(OF_CLASS) === TOLD;
  address.searchParams.set("present", "1");
  const wanted = isFetched ? address.href : "about:blank";
  setShown(page, isFetched);
  page.classList.toggle("is-asked-for", isShown);
  if (page.dataset.shown === wanted) return;
  page.dataset.shown = wanted;
  page.classList.remove("is-drawn");
  page.src = wanted;
  page.onload = () => showOnceDrawn(page, wanted, performance.now() + PATIENCE_MS);
}

/**
 * Marks a page as drawn, or as one that was waited for long enough.
 * @param {HTMLIFrameElement} page
 * @param {string} wanted
 * @param {number} latest in milliseconds
 */
async function showOnceDrawn(page, wanted, latest) {
  const isWanted = () => page.dataset.shown === wanted; // until another one comes
  const isDrawn = () => {
    const drawn = page.contentDocument;
    return performance.now() > latest || drawn?.querySelector(IDLE) && !drawn.querySelector(UNDER_WAY);
  };
  while (isWanted() && !isDrawn()) await pause(POLL_MS);
  await fitPage(page);
  if (isWanted()) page.classList.add("is-drawn");
}

/** Lays a page out as on a large projector, as large as all of it is seen. @param {HTMLIFrameElement} page */
async function fitPage(page) {
  for (const width of PAGE_WIDTHS) {
    page.style.setProperty("--scale", String(innerWidth / width));
    if (await settledEnd(page) <= FILLED * page.clientHeight) return;
  }
}

/** Where all of a page ends, once it has been the same for a while. @param {HTMLIFrameElement} page */
async function settledEnd(page) {
  /** @type {number[]} */
  const ends = [];
  const isSettled = () => ends.length >= SAME && new Set(ends.slice(-SAME)).size === 1;
  do {
    await pause(SETTLED_MS);
    ends.push(page.contentDocument === null ? 0 : lowestOf(page.contentDocument));
  } while (!isSettled() && ends.length < MOST_LOOKS);
  return ends[ends.length - 1];
}

/** Where what is seen ends, the shadows of its components with it. @param {ParentNode} root @returns {number} */
function lowestOf(root) {
  const bottoms = [...root.querySelectorAll("*")].map((node) => {
    if (node.shadowRoot !== null) return lowestOf(node.shadowRoot);
    const { width, bottom } = node.getBoundingClientRect();
    const room = Math.min(width, node.parentElement?.getBoundingClientRect().width ?? width);
    const isSeen = room > FOR_THE_EAR && node.childElementCount === 0 && !node.matches(BARE);
    return isSeen && node.checkVisibility(VISIBLE) ? bottom : 0;
  });
  return Math.max(0, ...bottoms);
}

/** Once the room is closed: where to go on, in place of how to join. */
function paintOnward() {
  const onward = new URL(ROOMS.replace(/room$/, "tour#record"), location.href);
  byId("qr").src = `${ROOMS}/${encodeURIComponent(code)}/projector/qr.svg?at=${
    encodeURIComponent(onward.href)
  }`;
  byId("qr").alt = _("QR code of {address}", { address: onward.href });
  byId("address").replaceChildren(onward.host, el("wbr"), onward.pathname);
  setText(byId("how"), _("Go on by yourself"));
}

function paintCounts() {
  const left = secondsLeft(view.question, since);
  const parts = answeredInWords(view, MARK).split(MARK); // the number is read from the last row
  byId("counts").replaceChildren(...parts.map((words, i) => i === 1 ? el("strong", {}, words) : words));
  if (left !== null) byId("counts").append(el("b", {}, ` ${_("{n} s left", { n: left })}`));
}

translateMarkup(document);
setText(byId("code"), code);
byId("code").style.setProperty("--letters", String(code.length));
const path = `${ROOMS}/${code}`;
byId("address").replaceChildren(location.host, el("wbr"), path);
byId("address").style.setProperty("--letters", String(Math.max(location.host.length, path.length)));
byId("qr").src = `${ROOMS}/${encodeURIComponent(code)}/projector/qr.svg?at=${encodeURIComponent(join)}`;
byId("qr").alt = _("QR code of {address}", { address: join });
addEventListener("resize", () => fitPage(/** @type {HTMLIFrameElement} */ (byId("page"))));
poll();
