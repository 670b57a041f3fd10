// The page of a phone: joins a room, shows its text and question, sends one answer, and shows how it came out.
// Asks the server once a second. The browser keeps the phone's token, so that a reload keeps its place, and what
// was answered, for the pupil's own record; nothing else is kept.

import { createButton, el, find, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { replaceAddress } from "../../frame/live/page_address.js";
import { createLanguagePicker } from "../../frame/live/language_picker.js";
import { keepAnswer, keepRemembered } from "../../frame/live/record.js";
import { required } from "../../frame/live/required.js";
import { localStore, readJson } from "../../frame/live/storage.js";
import { _, numeral, translateMarkup } from "../../frame/live/words.js";
import { drawCells } from "../../frame/live/cells.js";
import { drawBar, drawPicture, lineOf } from "./drawn.js";
import {
  ask,
  byId,
  closingInWords,
  codeInAddress,
  drawOutcome,
  isOfTokens,
  keepAsking,
  pointerInWords,
  rangeOf,
  Refusal,
  ROOMS,
  secondsLeft,
  tagLanguage,
  trouble,
  writeAsked,
  writePremise,
  writeText,
} from "./room.js";
import { answerOf, sentInWords } from "./sent.js";

const POLL_MS = 1000;
const EMBLEM = ["pppg", "ppppg", "pppppg"]; // one token at a time, in cells
const SOON = 10; // seconds before the end, when it is said once
const MOST = 100; // characters of the text: what came before them is not asked about
const LONG = 14; // characters of an answer that needs a row of its own
const FEW = 3; // answers that fill the screen below each other
const MANY = 5; // answers that have room as they are
/** @type {[string, number][]} */
const SURENESS = [[_("a guess"), 0.2], [_("fairly"), 0.5], [_("very"), 0.9]];

/** Before the first answer, and once the room is over. @type {PhoneState} */
const NO_STATE = {
  version: "",
  text: "",
  scene: null,
  question: null,
  outcome: null,
  revealed: "",
  explained: "",
  closing: null,
  right: "",
  link: "",
};
let code = codeInAddress();
let view = NO_STATE;
let since = 0; // when it came
let sureness = 0.5;
let sureOf = 0; // the number of the question for which it was said
let soon = ""; // what the ear was told of the time that is left
let isLost = false; // the last question to the server was not answered: what was refused stays until one writes again
let hasJoined = false; // just now, by the form: the question takes the focus
/** @type {string|null} */
let painted = null; // the question whose answers are on the screen: its number, and whether it is open

const key = () => `one-token-room-${code.toUpperCase()}`;
/** Whether this phone was right, by the question. @returns {Record<string, boolean>} */
const isRightOf = () => readJson(localStore, `${key()}-right`) ?? {};
/** Says what went wrong: while one writes, directly below the field, where a keyboard does not hide it. @param {string} words */
function say(words) {
  const isWriting = !byId("room").hidden && !byId("write").hidden;
  setText(byId("refused"), isWriting ? words : "");
  setText(byId("error"), isWriting ? "" : words);
}
/** @param {string} path @param {Record<string, unknown>} [body] */
const asking = (path, body) =>
  ask(`${encodeURIComponent(code)}/${path}`, { "x-phone": localStore.read(key()) ?? "" }, body);

const poll = keepAsking(async () => {
  try {
    const told = await asking(`state?version=${view.version}`);
    if (told !== null) {
      [view, since] = [told, performance.now()];
      paint();
    } else paintTime();
    if (isLost) say("");
    isLost = false;
  } catch (error) {
    isLost = true;
    say(trouble(error));
    if (!(error instanceof Refusal)) return true;
    return showJoin(); // the room was lost, or forgot this phone
  }
  return view.closing === null; // what a lesson came to stays
}, POLL_MS);

/** A phone that has not joined: whoever comes after the end is told so, in place of the form. */
async function arrive() {
  if (code === "") return showJoin();
  try {
    const { closing } = await ask(`${encodeURIComponent(code)}/projector/state`);
    if (closing !== null) return poll();
  } catch (error) {
    say(trouble(error));
  }
  showJoin();
}

function showJoin() {
  view = NO_STATE;
  setShown(byId("room"), false);
  setShown(byId("join"), true);
  byId("code").value = code.toUpperCase();
  (code ? byId("name") : byId("code")).focus();
  return false;
}

/**
 * Puts the focus on the question, or on what says that one will come: it is read out by that, as a live region it
 * would be so twice.
 */
function focusQuestion() {
  const place = byId(view.question === null ? "waiting" : "ask");
  setAttribute(place, "aria-live", "off");
  place.focus();
}

function paint() {
  for (const id of ["ask", "waiting"]) setAttribute(byId(id), "aria-live", "polite");
  // what the model drew is said in a sentence: the bars were read out before its row joined them
  const wasReadOut = view.revealed !== "" && !byId("outcome").hidden;
  setAttribute(byId("read-out"), "aria-live", wasReadOut ? "off" : "polite");
  setShown(byId("join"), false);
  setShown(byId("room"), true);
  const { question, scene, outcome } = view;
  setText(byId("scene"), view.closing === null || hasJoinedOnce() ? scene?.title ?? "" : "");
  tagLanguage(byId("scene"), scene?.spoken);
  tagLanguage(byId("ask"), question?.spoken);
  tagLanguage(byId("waiting"), scene?.spoken);
  const isOfText = question === null ? scene === null : isOfTokens(question);
  writeText(byId("text"), isOfText ? view.text : "", "", MOST);
  byId("room").className = question === null ? "is-waiting" : "";
  writePremise(view);
  const waiting = wordsToWait();
  writeAsked(byId("ask"), question === null ? "" : wordsOf(question));
  if (question === null) writeAsked(byId("waiting"), waiting, hasJoinedOnce() ? scene : null, isRightOf());
  else writeAsked(byId("waiting"), "");
  if (scene?.is_end && hasJoinedOnce()) keepRemembered({ place: "room", sentences: scene.remembered });
  paintTime();
  const isOpen = question !== null && question.is_open;
  paintBar(question);
  paintOptions(question, isOpen);
  paintField(question, isOpen);
  paintSureness(question, isOpen);
  paintSent(question);
  drawOutcome(byId("outcome"), outcome, question);
  keep(question);
  setText(byId("revealed"), view.explained === "" ? view.revealed : ""); // the answer that is right is marked
  setText(byId("explained"), view.explained);
  tagLanguage(byId("explained"), question?.spoken);
  const isDrawn = scene !== null && !scene.is_end && !isOpen && question?.kind !== "sampler";
  paintPicture(isDrawn ? scene.picture : null);
  paintLink(isOpen);
  if (hasJoined) focusQuestion();
  hasJoined = false;
}

const hasJoinedOnce = () => localStore.read(key()) !== null;

/** What stands there as long as nothing is asked. */
function wordsToWait() {
  const { scene, closing } = view;
  if (closing !== null)
    return hasJoinedOnce() ? closingInWords(closing) : _("This lesson is over: its room is closed.");
  return scene?.words ?? _("You are in. The next question comes by itself.");
}

/** The projector's picture, small. @param {RoomPicture|null} picture */
function paintPicture(picture) {
  const areVotes = view.question !== null && view.explained === "" && Boolean(picture?.outcome);
  const shown = areVotes ? null : picture;
  const place = byId("picture");
  if (!shown?.outcome) return drawPicture(place, shown, false);
  drawOutcome(place, shown.outcome, null);
  if (place.querySelector(".of") === null) place.prepend(...shown.lines.map((line) => lineOf(line, "of")));
}

/** @param {PhoneQuestion} question */
function wordsOf({ words, pointer }) {
  if (pointer === null) return words;
  return `${words} ${_("It is at {pointer}.", { pointer: pointerInWords(pointer) })}`;
}

/** The countdown, for the eye; the ear is told once near its end, and at the end. */
function paintTime() {
  const left = secondsLeft(view.question, since);
  setShown(byId("left"), left !== null);
  setText(byId("left"), left === null ? "" : _("{n} s left", { n: left }));
  const isUp = view.question?.seconds_left === 0 || left === 0;
  if (isUp || left === null || left > SOON) soon = isUp ? _("Time is up.") : "";
  else if (soon === "") soon = _("{n} s left", { n: left });
  setText(byId("soon"), soon);
}

/** @param {PhoneQuestion|null} question */
function paintSent(question) {
  const said = question === null ? [] : sentInWords(question, view.outcome, sureOf === question.number);
  if (byId("sent").textContent === said.join(" ")) return;
  byId("sent").replaceChildren(...said.flatMap((words, i) => [i === 0 ? "" : " ", el("span", {}, words)]));
}

/** Keeps what was answered for the pupil's own record, in this browser. @param {PhoneQuestion|null} question */
function keep(question) {
  if (question === null || question.is_open || isOfTokens(question)) return;
  const { words, is_right: isRight } = question;
  if (isRight !== null)
    localStore.write(`${key()}-right`, JSON.stringify({ ...isRightOf(), [words]: isRight }));
  const title = _("In class");
  keepAnswer({ place: "room", title, question: words, said: answerOf(question), right: view.right, isRight });
}

/**
 * The answers on offer: made once for a question, so that none is taken from under a finger.
 * @param {PhoneQuestion|null} question
 * @param {boolean} isOpen
 */
function paintOptions(question, isOpen) {
  const place = byId("options");
  const shown = question === null ? null : `${question.number} ${isOpen}`;
  if (painted !== shown) {
    const hadFocus = place.contains(document.activeElement);
    painted = shown;
    byId("word").value = ""; // what was written to another question
    if (!isLost) say(""); // and refused
    paintAnswers(place, isOpen ? question : null);
    const isLong = question?.options.some((words, _, { length }) => words.length > LONG || length <= FEW);
    const isBar = question?.kind === "sampler";
    const isMany = (question?.options.length ?? 0) > MANY;
    place.className = isBar ? "draw" : `${isLong ? "long" : ""} ${isMany ? "many" : ""}`;
    if (hadFocus) focusQuestion();
  }
  if (!isOpen || question === null) return;
  place.querySelectorAll("button").forEach((button, i) =>
    setAttribute(button, "aria-pressed", String(question.mine?.option === i))
  );
  const { kind, mine, pointer } = question;
  if (kind !== "sampler" || mine === null || pointer === null || place.querySelector(":scope > b")) return;
  const mark = el("b"); // it falls once the pupil has said where
  mark.style.left = `${100 * pointer}%`;
  place.append(mark);
}

/**
 * The answers of a question that is open: buttons, or the segments of the bar on which the pointer falls.
 * @param {HTMLElement} place
 * @param {PhoneQuestion|null} question
 */
function paintAnswers(place, question) {
  setShown(place, question !== null && question.options.length > 0); // an empty group would say the question again
  if (question === null) return place.replaceChildren();
  if (question.kind !== "sampler") {
    return place.replaceChildren(...question.options.map((_, i) => optionOf(question, i)));
  }
  place.className = "draw";
  drawBar(place, question, [], (words, option) => {
    const button = createButton("", words, () => send({ option, confidence: 1 }));
    setAttribute(button, "aria-label", `${words}, ${rangeOf(question, option)}`); // the eye has the bar
    return button;
  });
}

/** @param {PhoneQuestion} question @param {number} option */
function optionOf(question, option) {
  const { options, kind } = question;
  const answer = () => send({ option, confidence: kind === "next" ? sureness : 1 });
  const button = createButton("", null, answer);
  const { spoken } = question;
  button.append(
    el("b", { textContent: options[option], dir: "auto", ...spoken, translate: !isOfTokens(question) }),
  );
  return button;
}

/** How sure one is, once something was answered. @param {PhoneQuestion|null} question @param {boolean} isOpen */
function paintSureness(question, isOpen) {
  const isAsked = isOpen && question?.kind === "next" && question.mine !== null;
  const hadFocus = byId("sure").contains(document.activeElement);
  setShown(byId("sure"), isAsked);
  if (hadFocus && !isAsked) focusQuestion();
  const row = find(byId("sure"), ".row");
  if (row.children.length === 0) {
    row.append(...SURENESS.map(([words, value]) => createButton("", words, () => choose(value))));
  }
  [...row.children].forEach((button, i) =>
    setAttribute(button, "aria-pressed", String(SURENESS[i][1] === sureness))
  );
}

/** @param {number} value */
function choose(value) {
  sureness = value;
  const { option, word } = required(view.question?.mine, "answer yet");
  send({ option, word, confidence: value }, true);
}

/** @param {PhoneQuestion|null} question @param {boolean} isOpen */
function paintField(question, isOpen) {
  const isNumber = question?.kind === "number"; // a phone then shows its digits; the server reads what they mean
  const hadFocus = byId("write").contains(document.activeElement);
  const isShown = isOpen && question !== null && question.may_write;
  setShown(byId("write"), isShown);
  if (hadFocus && !isShown) focusQuestion();
  setAttribute(byId("word"), "inputmode", isNumber ? "decimal" : null);
  const isOwn = isOpen && question !== null && question.options.length > 0;
  setText(byId("own"), isNumber ? _("Your number") : isOwn ? _("or a word of your own") : _("Your word"));
}

/** @param {PhoneQuestion|null} question */
function paintBar(question) {
  const isDrawn = question !== null && question.kind === "sampler" && !question.is_open; // else it is the answers
  setShown(byId("bar"), isDrawn);
  setShown(byId("ends"), question !== null && question.kind === "sampler" && question.is_open);
  byId("ends").replaceChildren(...[0, 50, 100].map((at) => el("span", {}, numeral(`${at}\u202f%`))));
  if (isDrawn) drawBar(byId("bar"), question, question.pointer === null ? [] : [question.pointer]);
}

/** The way to the page that is spoken of, on this phone. @param {boolean} isOpen */
function paintLink(isOpen) {
  const { scene, question } = view;
  const isThere = scene !== null && (scene.is_page_shown || scene.is_end);
  const ofText = question !== null && view.link ? `./${view.link}` : ""; // who waits is not sent away
  const link = scene === null ? ofText : isThere ? scene.address : "";
  setShown(byId("over"), Boolean(link) && !isOpen);
  if (!link) return;
  byId("over").href = ROOMS.replace(/room$/, link.slice(2));
  const of = view.scene === null ? _("Go on with this text by yourself") : _("Open this page");
  const toRecord = hasJoinedOnce() ? _("What I answered, and where to go on") : _("Go on by yourself");
  setText(byId("over"), view.scene?.is_end ? toRecord : of);
}

/** @param {Partial<RoomAnswer> & {confidence: number}} answer @param {boolean} [isSure] whether it says how sure */
async function send(answer, isSure = false) {
  try {
    await asking("answer", { number: required(view.question, "question").number, ...answer });
    const { option = null, word = "", confidence } = answer;
    if (isSure) sureOf = view.question?.number ?? 0;
    if (view.question) view.question.mine = { option, word, confidence };
    say("");
    paint();
  } catch (error) {
    isLost = !(error instanceof Refusal);
    say(trouble(error));
  }
}

byId("word").addEventListener("input", () => say(""));
byId("write").addEventListener("submit", (event) => {
  event.preventDefault();
  const word = byId("word").value.trim();
  if (word) send({ option: null, word, confidence: view.question?.kind === "next" ? sureness : 1 });
});
byId("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  code = byId("code").value.trim();
  try {
    const { token } = await asking("join", { name: byId("name").value });
    localStore.write(key(), token);
    replaceAddress(`${ROOMS}/${encodeURIComponent(code.toUpperCase())}`);
    say("");
    hasJoined = true;
    await poll();
  } catch (error) {
    say(trouble(error));
  }
});
translateMarkup(document);
byId("join").prepend(drawCells(EMBLEM));
byId("join").append(createLanguagePicker());
if (code && hasJoinedOnce()) poll();
else arrive();
