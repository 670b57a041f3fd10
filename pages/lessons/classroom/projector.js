// The projector: shows the class what it is asked, how it answered, and how to join. It has no buttons.

import { el, setShown, setText } from "../../frame/live/dom.js";
import { formatProbability } from "../../frame/live/format.js";
import { _, translateMarkup } from "../../frame/live/words.js";
import { drawBar, drawPicture, lineOf } from "./drawn.js";
import {
  answeredInWords,
  ask,
  byId,
  codeInAddress,
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

const POLL_MS = 400;
const REFUSED_MS = 5000;
const OVER = "is-over"; // nothing of the room is shown any more
const END = "is-end"; // but what to remember
const MOST = 220; // characters of the text
const MOST_BESIDE = 48; // where an outcome stands below it: a line
const PAGE_WIDTH = 1370; // pixels that a scene's page has, with the column beside it, on every projector

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
      paint();
    } else if ([OVER, END].includes(document.body.className)) paint();
    else paintCounts();
    setText(byId("error"), "");
  } catch (error) {
    setText(byId("error"), trouble(error));
    const isOver = error instanceof Refusal;
    const over = view?.question === null && view.scene?.is_end ? END : OVER;
    document.body.className = isOver ? over : "";
    if (isOver) await new Promise((done) => setTimeout(done, REFUSED_MS));
  }
}, POLL_MS);

function paint() {
  const { question, scene, outcome } = view;
  const isLobby = !view.has_begun && scene === null && view.revealed === "";
  document.body.className = isLobby ? "is-lobby" : outcome === null ? "" : "has-outcome";
  paintPage(scene);
  setText(byId("scene"), scene?.title ?? "");
  tagLanguage(byId("scene"), scene?.spoken);
  tagLanguage(byId("ask"), (question ?? scene)?.spoken);
  tagLanguage(byId("explained"), question?.spoken);
  const isOfText = question === null ? scene === null : isOfTokens(question);
  writeText(byId("text"), isOfText ? view.text : "", begun, outcome === null ? MOST : MOST_BESIDE);
  writePremise(view);
  writeAsked(byId("ask"), (question ?? scene)?.words ?? "", question === null ? scene : null);
  byId("ask").className = question !== null ? "" : scene?.is_end ? "sentences" : "words";
  paintOpen(question);
  drawOutcome(byId("outcome"), outcome, question);
  setText(byId("revealed"), view.explained === "" ? view.revealed : ""); // the answer that is right is marked
  setText(byId("explained"), view.explained);
  paintPicture();
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
    const { options, shares, has_rest: hasRest, is_open: isOpen } = question;
    const names = options.map((words, i) => isOpen ? `${words}\n${formatProbability(shares[i])}` : words);
    drawBar(byId("bar"), { shares, options: names, has_rest: hasRest }, view.pointers);
  } else if (isListed) {
    const { options, spoken } = question;
    const translate = !isOfTokens(question);
    byId("options").replaceChildren(...options.map((words) => el("li", { ...spoken, translate }, words)));
  }
}

/** The picture of the scene: as long as no votes are drawn, and again beside what explains them. */
function paintPicture() {
  const { question, scene, outcome, explained } = view;
  const isBare = outcome === null || (outcome.bars.length === 0 && outcome.dots === null);
  const isDrawn = scene !== null && question?.kind !== "sampler" && (isBare || explained !== "");
  const picture = isDrawn && !scene.is_end ? scene.picture : null;
  if (!picture?.outcome) return drawPicture(byId("picture"), picture, !isBare);
  drawOutcome(byId("picture"), picture.outcome, null);
  if (byId("picture").querySelector(".of") === null) {
    byId("picture").prepend(...picture.lines.map((line) => lineOf(line, "of")));
  }
}

/**
 * The page of the scene, as large as it gets; who has the projector's mouse may press there.
 * @param {RoomScene|null} scene
 */
function paintPage(scene) {
  const page = byId("page");
  const isShown = scene !== null && scene.is_page_shown;
  setShown(page, isShown);
  let wanted = "about:blank";
  if (isShown) {
    const address = new URL(scene.address, new URL(ROOMS.replace(/room$/, ""), location.href));
    address.searchParams.set("present", "1");
    wanted = address.href;
  }
  if (page.dataset.shown === wanted) return;
  page.dataset.shown = wanted;
  page.src = wanted;
}

/** Lays a page out as on a large projector, and makes it as small as this one: its buttons are seen as well. */
function fitPage() {
  byId("page").style.setProperty("--scale", String(innerWidth / PAGE_WIDTH));
}

function paintCounts() {
  const left = secondsLeft(view.question, since);
  setText(byId("counts"), answeredInWords(view));
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
fitPage();
addEventListener("resize", fitPage);
poll();
