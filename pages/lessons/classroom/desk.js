// The teacher's desk: what is asked, who has answered, what is right, and the next press. The room's key stands behind
// the # of its link, goes into this browser's store or else stays in the address, and is sent in a header.

import { copyText, REFUSED } from "../../frame/live/clipboard.js";
import { createButton, el, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { replaceAddress } from "../../frame/live/page_address.js";
import { createLanguagePicker } from "../../frame/live/language_picker.js";
import { localStore, setCookie } from "../../frame/live/storage.js";
import { numberTyped } from "../../frame/live/typed.js";
import { _, listed, ngettext, pgettext, translateMarkup } from "../../frame/live/words.js";
import { paceInWords } from "./pace.js";
import {
  answeredInWords,
  ask,
  byId,
  closingInWords,
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
} from "./room.js";
import { drawSeen } from "./seen.js";

const POLL_MS = 700;
const LATE = _("That was pressed before, here or at another desk: this is what came of it.");
const KEEP_SECONDS = 7200; // as long as a room that nobody touches

const code = codeInAddress().toUpperCase();
const STORED_AS = `one-token-desk-${code}`;
const key = takeKey();
/** @type {DeskState} */
let view; // none before the first answer
let since = 0;
let drawn = ""; // the script that is listed
let nPressed = 0;
let handsOf = 0; // the question whose fields for hands are there
let openedFor = 0; // and the one for which they were opened, as no phone answered it
let openRow = -1; // the row of the script that the lesson has come to
let isLost = false; // the last answer did not come

/** The key, out of the address, which may be on a projector by mistake; where nothing else keeps it, it stays. */
function takeKey() {
  const given = location.hash.slice(1) || (localStore.read(STORED_AS) ?? "");
  if (given === "") return "";
  if (localStore.write(STORED_AS, given)) replaceAddress(location.pathname + location.search);
  const path = ROOMS.replace(/room$/, "");
  setCookie(`one_token_room=${code}.${given}; path=${path}; max-age=${KEEP_SECONDS}; SameSite=Strict`);
  return given;
}

/** @param {string} path @param {Record<string, unknown>} [body] */
const asking = (path, body) => ask(`${encodeURIComponent(code)}/desk/${path}`, { "x-desk": key }, body);

const poll = keepAsking(async () => {
  try {
    const before = nPressed;
    const told = await asking(`state?version=${view?.version ?? ""}`);
    if (before !== nPressed) return true; // the answer to a press is newer
    if (told !== null) show(told);
    else paintCounts();
    if (isLost) setText(byId("error"), "");
    isLost = false;
  } catch (error) {
    isLost = true;
    const isOver = error instanceof Refusal;
    setText(byId("error"), trouble(error));
    if (isOver) setShown(byId("desk"), false);
    return !isOver;
  }
  return view.closing === null;
}, POLL_MS);

/**
 * Presses a button of the desk; what cannot be is said in one sentence.
 * @param {string} what
 * @param {Record<string, unknown>} [more]
 */
async function press(what, more = {}) {
  const seconds = Math.round(numberTyped(valueOf("seconds")) ?? 0);
  const how = { seconds, may_write: byId("may-write").checked };
  nPressed += 1;
  try {
    // a press sent twice, or after one at another desk, is not done: it says how many it has seen
    const told = await asking("press", { do: what, ...how, n_presses: view.n_presses, ...more });
    show(told);
    setText(byId("error"), told.is_late ? LATE : "");
  } catch (error) {
    setText(byId("error"), trouble(error));
  }
}

/** @param {DeskState} told */
function show(told) {
  if (told.lessons) paintLessons(told.lessons);
  [view, since] = [told, performance.now()];
  document.body.className = view.closing === null ? "" : "is-closed";
  setShown(byId("desk"), view.closing === null);
  setShown(byId("closed"), view.closing !== null);
  if (view.closing !== null) return showClosed(view.closing);
  const { question, scene, revealed, outcome } = view;
  setText(byId("scene"), scene?.title ?? "");
  tagLanguage(byId("scene"), scene?.spoken);
  tagLanguage(byId("ask"), (question ?? scene)?.spoken);
  tagLanguage(byId("about"), question?.spoken);
  writePremise(view);
  const words = scene === null ? _("Ask the first question.") : scene.is_end ? "" : scene.words; // its title says it
  writeAsked(byId("ask"), question?.words ?? words, question === null ? scene : null);
  const isListed = question !== null && question.is_open && question.kind !== "sampler";
  setText(byId("choices"), isListed ? question.options.join(" · ") : "");
  tagLanguage(byId("choices"), question?.spoken);
  byId("choices").translate = question === null || !isOfTokens(question);
  setText(byId("right"), view.right && rightInWords(view.right));
  setText(byId("about"), view.about);
  setText(byId("thinking"), question?.is_open && view.n_people > 0 ? thinkingInWords(view.thinking) : "");
  drawOutcome(byId("outcome"), outcome, question);
  drawSeen(view);
  setText(byId("advice"), view.advice);
  setText(byId("revealed"), view.right ? "" : revealed); // what is right stands above
  paintWritten();
  paintHands(question);
  setText(byId("text"), view.text);
  paintButtons(byId("presses"), pressesNow());
  const isNow = view.is_beside || view.script === null; // else a lesson needs none
  paintButtons(byId("appends"), isNow ? appendsNow() : []);
  paintButtons(byId("more-appends"), isNow ? [] : appendsNow());
  paintScript();
  paintCounts();
}

/** The end of a lesson, with what a teacher may want then. @param {RoomClosing} closing */
function showClosed(closing) {
  setText(byId("closing"), closingInWords(closing));
  setShown(byId("onward"), closing.lesson !== "");
  byId("onward").href = `../../tour?done=${encodeURIComponent(closing.lesson)}`;
  writeAsked(byId("remembered"), "", view.scene);
  tagLanguage(byId("remembered"), view.scene?.spoken);
  byId("closing").focus();
}

/** Who has not answered yet: those with a name by it, the others by their number. @param {string[]} names */
function thinkingInWords(names) {
  const named = names.filter(Boolean);
  const n = names.length - named.length;
  const others = n === 0 ? [] : [ngettext("{n} without a name", "{n} without a name", n)];
  if (names.length === 0) return ""; // that is the advice
  return _("Still thinking: {names}.", { names: listed([...named, ...others]) });
}

/** What may be pressed now, the next step first. @returns {DeskButton[]} */
function pressesNow() {
  const next = view.place + 1;
  const hasNext = view.script !== null && next < view.script.items.length;
  const { is_page_shown: isShown = false, is_end: isAtEnd = false } = view.scene ?? {};
  const again = /** @type {DeskButton|false} */ (view.can_ask_again && [_("Ask again"), "again"]);
  /** In order, but for what the line says to press. @type {(DeskButton|false)[]} */
  const wanted = [
    view.can_close && [pgettext("to end a question", "Close"), "close"],
    view.can_reveal && [view.is_beside ? _("Beside the model") : _("Reveal"), "reveal"],
    view.can_reveal && again,
    !view.can_close && !view.can_reveal && hasNext && !isAtEnd &&
    [_("Ask question {number}", { number: next + 1 }), "item", { place: next }],
    isAtEnd && [_("End the room"), "end"],
    view.script !== null && !hasNext && view.is_revealed && [_("Show what to remember"), "finish"],
    !view.can_reveal && again,
    view.has_page && !isAtEnd && !view.can_close && // while it is open, the page could tell the answer
    [isShown ? _("Take its page away") : _("Show its page"), "page", { is_shown: !isShown }],
  ];
  const rank = (/** @type {DeskButton} */ [, what]) => Number(what !== view.recommended);
  return wanted.filter((button) => button !== false).sort((a, b) => rank(a) - rank(b));
}

const rightInWords = (/** @type {string} */ right) => _("Right: {answer}", { answer: right });

/** @returns {DeskButton[]} */
function appendsNow() {
  /** @type {Record<string, (word: string) => string>} */
  const named = {
    draw: () => _("Append the model’s draw"),
    favourite: (word) => _("Append the class’s “{word}”", { word }),
    true: (word) => _("Append the true “{word}”", { word }),
  };
  /** @type {DeskButton[]} */
  const buttons = Object.entries(view.can_append).map(([how, word]) => [named[how](word), "append", { how }]);
  if (view.can_go_back) buttons.push([_("Take the last token back"), "back"]);
  return buttons;
}

/**
 * Makes buttons anew where others are needed; who had the focus keeps it, or the question has it.
 * @param {HTMLElement} place
 * @param {DeskButton[]} wanted
 */
function paintButtons(place, wanted) {
  const shown = JSON.stringify(wanted);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const focused = place.contains(document.activeElement) ? document.activeElement?.textContent : null;
  place.replaceChildren(
    ...wanted.map(([words, what, more], i) =>
      createButton(
        i === 0 && place.id === "presses" ? "main" : "",
        words,
        () => what in HERE ? HERE[what]() : press(what, more),
      )
    ),
  );
  if (focused === null) return;
  const again = [...place.querySelectorAll("button")].find((button) => button.textContent === focused);
  (again ?? byId("ask")).focus();
}

/** The words that pupils wrote, each to be removed; numbers, of which few are rubbish, in a fold. */
function paintWritten() {
  const words = view.can_count ? view.written : [];
  if (byId("removing").hidden) byId("removing").open = view.question?.kind !== "number";
  setShown(byId("removing"), words.length > 0);
  paintButtons(byId("written"), words.map(([word]) => [_("Remove “{word}”", { word }), "remove", { word }]));
}

/**
 * The fields for a show of hands: made once for a question, so that none is emptied while it is typed.
 * @param {RoomQuestion|null} question
 */
function paintHands(question) {
  const isShown = question !== null && view.can_count && question.kind !== "sampler";
  setShown(byId("by-hand"), isShown);
  if (!isShown) return;
  const isNeeded = view.n_answers === 0 && (view.n_people === 0 || !question.is_open);
  if (isNeeded && openedFor !== question.number) {
    openedFor = question.number;
    byId("by-hand").open = true;
  }
  if (handsOf === question.number) return;
  handsOf = question.number;
  if (!isNeeded) byId("by-hand").open = false; // it was for an earlier one
  setShown(byId("said-by-hand"), question.may_write);
  byId("hand-words").value = "";
  const isNumber = question.kind === "number"; // a comma may belong to one
  byId("hand-words").placeholder = isNumber ? "5; 6; 6" : "";
  setText(
    byId("between"),
    isNumber ? _("Numbers, with semicolons between") : _("Answers, with commas between"),
  );
  byId("counts-by-hand").replaceChildren(...question.options.map((words) => {
    const field = el("input", { inputMode: "numeric", maxLength: 4, value: 0 });
    return el("label", { ...question.spoken, translate: !isOfTokens(question) }, words, field);
  }));
}

/** @param {[name: string, title: string][]} lessons */
function paintLessons(lessons) {
  const none = el("option", { value: "", textContent: pgettext("no script", "none") });
  byId("lessons").replaceChildren(
    none,
    ...lessons.map(([value, textContent]) => el("option", { value, textContent })),
  );
}

function paintScript() {
  const { script, place } = view;
  byId("lessons").value = script?.name ?? "";
  setText(byId("fault"), script?.fault ?? "");
  if (drawn !== (script?.name ?? "")) {
    drawn = script?.name ?? "";
    const items = (script?.items ?? []).map((item, i) => itemOf(item, i, script?.spoken));
    byId("items").replaceChildren(...items, ...(script === null ? [] : [endItem()]));
    setShown(byId("what"), script !== null);
    if (script === null) byId("else").open = true;
    openRow = -1;
  }
  const list = byId("items"); // on a wide screen it scrolls by itself
  list.querySelectorAll("li").forEach((item, i) => {
    if (i === place && !item.hasAttribute("aria-current")) list.scrollTop = item.offsetTop - list.offsetTop;
    setAttribute(item, "aria-current", i === place ? "step" : null);
  });
  // open is the row of what is asked; once all is said about that, of what comes next, with its note
  const isOver = !view.can_close && !view.can_reveal;
  const wanted = Math.min(place + Number(isOver), (script?.items.length ?? 0) - 1);
  if (wanted === openRow) return;
  const rows = list.querySelectorAll("details");
  if (openRow >= 0) rows[openRow].open = false;
  if (wanted >= 0) rows[wanted].open = true;
  openRow = wanted;
}

/** @param {ScriptItem} item @param {number} place @param {Spoken|null} [spoken] */
function itemOf(item, place, spoken) {
  return el(
    "li",
    {},
    el(
      "details",
      {},
      el(
        "summary",
        {},
        el("span", { class: "title", ...spoken, textContent: `${place + 1} · ${item.title}` }),
        el("span", { class: "question", ...(item.is_own && spoken), textContent: item.question }),
      ),
      el(
        "div",
        { class: "row" },
        createButton("", pgettext("a scene to the class", "Show"), () => press("scene", { place })),
        createButton("", pgettext("a question to the class", "Ask"), () => press("item", { place })),
      ),
      el("p", { class: "note", textContent: item.right && rightInWords(item.right) }),
      el("p", { class: "note", ...spoken, textContent: item.note }),
    ),
  );
}

/** What a class remembers, at the end of the list: a lesson may end before its last question. */
const endItem = () =>
  el(
    "li",
    {},
    el("span", { class: "title", textContent: _("The end") }),
    el("p", {}, _("What to remember, and where to go on")),
    createButton("", pgettext("a scene to the class", "Show"), () => press("finish")),
  );

function paintCounts() {
  const left = secondsLeft(view.question, since);
  const time = left === null ? "" : ` · ${_("{n} s left", { n: left })}`;
  setText(byId("counts"), `${answeredInWords(view)}${time}${paceInWords(view, since)}`);
}

function end() {
  if (confirm(_("End the room for everyone in it? Its answers can still be saved here."))) press("end");
}

/** The answers as a file of this page; empty where they did not come, which is said. */
async function addressOfTable() {
  try {
    const answer = await fetch(`${ROOMS}/${encodeURIComponent(code)}/desk/room.csv`, {
      headers: { "x-desk": key },
    });
    if (!answer.ok) throw new Refusal((await answer.json()).error);
    return URL.createObjectURL(await answer.blob());
  } catch (error) {
    setText(byId("error"), trouble(error));
    return "";
  }
}

async function saveTable() {
  const href = await addressOfTable();
  if (href === "") return;
  el("a", { href, download: "room.csv" }).click();
  URL.revokeObjectURL(href);
}

/** What is not sent as it is pressed. @type {Record<string, () => void>} */
const HERE = { end };

/** @param {{[Id in keyof RoomElements]: RoomElements[Id] extends {value: string} ? Id : never}[keyof RoomElements]} id */
const valueOf = (id) => byId(id).value;
/** @param {string} id @param {() => void} act */
const onSubmit = (id, act) =>
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });

byId("lessons").addEventListener("change", () => press("script", { name: valueOf("lessons") }));
byId("next").addEventListener("click", () => press("next"));
byId("sampler").addEventListener("click", () => press("sampler"));
onSubmit(
  "own",
  () => press("own", { words: valueOf("words"), options: valueOf("options"), right: valueOf("truth") }),
);
onSubmit("hands", () => {
  const fields = /** @type {HTMLInputElement[]} */ ([...byId("counts-by-hand").querySelectorAll("input")]);
  press("hands", {
    counts: fields.map((field) => numberTyped(field.value || "0")),
    words: valueOf("hand-words"),
  });
});
onSubmit("begin", () => press("begin", { prompt: valueOf("prompt"), continuation: valueOf("continuation") }));
byId("copy").addEventListener("click", async () => {
  const link = `${location.origin}${location.pathname}${location.search}#${key}`;
  const said = await copyText(link, byId("copy")) ? _("Copied") : REFUSED;
  setText(byId("copied"), `${said}. ${_("Whoever has this link is the teacher.")}`);
});
byId("csv").addEventListener("click", saveTable);
byId("kept").addEventListener("click", saveTable);
byId("end").addEventListener("click", end);
translateMarkup(document);
setText(byId("code"), code);
byId("words").value = _("Which temperature suits a poem?"); // an example
byId("room-tools").append(createLanguagePicker());
byId("projector").href = `${ROOMS}/${encodeURIComponent(code)}/projector${location.search}`; // in the language chosen
poll();
