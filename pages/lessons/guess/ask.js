// The question: words to press beside one's own, and how sure one is, which shows the word. Several players, or a
// show of hands, have a field each.

import { announced } from "../../frame/live/announced.js";
import { activeIn, createButton, el, setAttribute, setShown, setText } from "../../frame/live/dom.js";
import { formatShare } from "../../frame/live/format.js";
import { createCovered } from "./result.js";

const SURENESS = ["a guess", "fairly", "very"];
const FAIRLY = 1; // what Enter says
const N_OFFERED = 4; // words
const MARKS = /** @type {Record<string, string>} */ ({
  ",": "comma",
  ".": "full stop",
  "!": "exclamation mark",
  "?": "question mark",
  ":": "colon",
  ";": "semicolon",
});
const HANDS = "mat 12 floor 7 sofa 3"; // an example

/** Asks for the next word after the newest one, which is that of the chart. @param {GuessBoard} board */
function questionOf({ last, text }) {
  const words = last === null ? "" : text.at(-1)?.words ?? "";
  const word = words.trim();
  if (MARKS[word]) return `What comes after the ${MARKS[word]}?`;
  return /^\s\S+$/.test(words) ? `What comes after “${word}”?` : "What comes next?";
}

/** @param {number} n */
export const points = (n) => `${n < 0 ? "−" : ""}${Math.abs(n)}`;

/** @typedef {{typed: string, sure: number|null}} Written */

/**
 * @param {{guess(written: Written[]): void, skip(): void, goOn(): void, otherText(): void}} actions
 */
export function createAsk(actions) {
  /** @type {GuessBoard|null} */
  let data = null;
  let chosen = ""; // the word that was pressed, as it is typed
  /** @type {Field[]} */
  let fields = [];
  let isByKey = false; // the last word was typed
  const isAlone = () => data?.players.length === 1 && data.unit === "percent";
  const options = Array.from({ length: N_OFFERED }, () => {
    const node = createButton("button guess-option", null, () => choose(node.dataset.typed ?? ""));
    return Object.assign(node, { translate: false, dir: "auto" });
  });
  const rows = el("div", { class: "board-fields" });
  const sure = SURENESS.map((words, i) => {
    const share = el("b");
    const [right, wrong] = [el("small"), el("small")];
    const node = createButton("button board-sure", null, () => send(i));
    node.append(el("span", {}, `${words} `, share), right, wrong);
    return { node, share, right, wrong };
  });
  const sures = el("div", { class: "row board-sures" }, ...sure.map(({ node }) => node));
  const howSure = el(
    "div",
    { class: "board-how-sure", role: "group", "aria-label": "How sure are you?" },
    el("p", {}, "How sure? The surer, the more is at stake."),
    sures,
  );
  const reveal = el("button", { type: "submit", class: "button is-primary board-reveal" }, "Reveal");
  const skip = createButton("quiet board-skip", "Skip this word", () => actions.skip());
  const notice = announced(el("p", { class: "board-notice" }));
  const covered = createCovered();
  const question = el("p", { class: "guess-question" }, "What comes next?");
  const hint = el("p", { class: "muted board-hint" }, "One of these comes next in the text.");
  const ask = el(
    "form",
    { class: "guess board-ask" },
    question,
    hint,
    el("div", { class: "row guess-options", role: "group", "aria-label": "Four guesses" }, ...options),
    el("div", { class: "row board-own" }, rows, reveal, skip),
    howSure,
    notice,
    covered.element,
  );
  const end = announced(el("div", { class: "board-end-words" }));
  const best = el("p", { class: "muted board-best" });
  const more = createButton("button is-primary", "Ten more words", () => actions.goOn());
  const other = createButton("button", "Another text", () => actions.otherText());
  const over = el(
    "div",
    { class: "guess board-over" },
    end,
    best,
    el("div", { class: "row board-on" }, more, other),
  );
  const element = el("div", { class: "board-left" }, ask, over);

  /** @param {string} typed */
  function choose(typed) {
    chosen = typed;
    for (const field of fields) field.box.value = "";
    paint();
  }
  /** @param {number} level */
  function send(level) {
    if (data === null) return;
    const { stakes } = data;
    const written = isAlone()
      ? [{ typed: fields[0].box.value.trim() || chosen, sure: stakes[level].share }]
      : fields.map(({ box, sureness }) => ({
        typed: box.value,
        sure: data?.unit === "hands" ? null : stakes[sureness].share,
      }));
    isByKey = chosen === "";
    if (written.some(({ typed }) => typed !== "")) actions.guess(written);
  }
  function paint() {
    const isReady = chosen !== "" || (fields[0]?.box.value.trim() ?? "") !== "";
    for (const node of options) setAttribute(node, "aria-pressed", String(node.dataset.typed === chosen));
    setAttribute(sures, "inert", isReady ? null : "");
  }
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    send(FAIRLY);
  });
  rows.addEventListener("input", () => {
    chosen = "";
    paint();
  });

  /** @param {GuessBoard} now */
  function update(now) {
    const isNew = now.position !== data?.position || now.players.join() !== data.players.join();
    const isOther = now.players.join() !== data?.players.join() || now.unit !== data.unit;
    const wasOver = data?.isRoundOver ?? false;
    data = now;
    if (isOther) {
      fields = now.players.map((name) => createField(name, now, isAlone()));
      rows.replaceChildren(...fields.map(({ element }) => element));
    }
    setAttribute(element, "data-alone", isAlone() ? "" : null);
    setShown(reveal, !isAlone());
    setShown(howSure, isAlone());
    if (isNew && !now.notice) {
      chosen = "";
      for (const { box } of fields) box.value = "";
    }
    for (const { box } of fields) box.type = now.isVeiled ? "password" : "text";
    now.stakes.forEach(({ share, right, wrong }, i) => {
      setText(sure[i].share, formatShare(share));
      setText(sure[i].right, `right +${points(right)}`);
      setText(sure[i].wrong, `wrong ${points(wrong)}`);
      const heard = `${SURENESS[i]}, ${formatShare(share)}: right ${points(right)}, wrong ${
        points(wrong)
      } points`;
      setAttribute(sure[i].node, "aria-label", heard);
    });
    setText(question, questionOf(now));
    setText(notice, now.notice);
    const active = activeIn(element);
    const wasIn = active !== null && element.contains(active);
    setAttribute(ask, "inert", now.isRoundOver ? "" : null);
    setAttribute(over, "inert", now.isRoundOver ? null : "");
    const said = now.end.map((words, i) => el("p", { class: i === 0 ? "" : "muted" }, words));
    end.replaceChildren(...said);
    setText(best, now.best === null ? "" : `Your best ten words before: ${points(now.best)} points.`);
    covered.show(now.covered);
    setShown(more, !now.isOver);
    setAttribute(other, "class", now.isOver ? "button is-primary" : "button");
    if (wasIn && wasOver !== now.isRoundOver) focus(); // what had the focus is out of sight
    offer(now);
    paint();
  }
  /** @param {GuessBoard} now */
  function offer({ offered }) {
    options.forEach((node, i) => {
      const typed = offered[i] ?? "";
      setAttribute(node, "data-empty", typed === "" ? "" : null);
      setAttribute(node, "data-typed", typed);
      setText(node, typed.replace(/^-(?=.)/, "…")); // it goes on with the word before
      if (typed in MARKS) node.append(el("small", {}, MARKS[typed]));
    });
  }
  /** Gives the focus to what is to be pressed. */
  function focus() {
    const question = isByKey ? fields[0]?.box ?? options[0] : options[0];
    const goal = data?.isOver ? other : data?.isRoundOver ? more : question;
    goal.focus({ preventScroll: true });
  }
  return { element, update, focus };
}

/** @typedef {ReturnType<typeof createField>} Field */

/**
 * What one player writes: a word and, beside others, how sure they are.
 * @param {string} name
 * @param {GuessBoard} data
 * @param {boolean} isAlone
 */
function createField(name, { unit, stakes }, isAlone) {
  const isHands = unit === "hands";
  const box = el("input", {
    type: "text",
    class: "guess-box",
    dir: "auto",
    autocomplete: "off",
    spellcheck: false,
    maxLength: 300,
    placeholder: isHands ? HANDS : isAlone ? "or your own word" : "a word",
    "aria-label": `${name}: what comes next?`,
  });
  const field = { box, sureness: FAIRLY, element: el("div", { class: "row guess-row" }) };
  if (!isAlone) field.element.append(el("span", { class: "board-name", translate: false }, name));
  field.element.append(box);
  if (isAlone || isHands) return field;
  const levels = stakes.map(({ share }, i) =>
    createButton("button board-level", `${SURENESS[i]} ${formatShare(share)}`, () => press(i))
  );
  /** @param {number} level */
  function press(level) {
    field.sureness = level;
    levels.forEach((node, i) => setAttribute(node, "aria-pressed", String(i === level)));
  }
  press(FAIRLY);
  field.element.append(
    el("span", { class: "row board-levels", role: "group", "aria-label": name }, ...levels),
  );
  return field;
}
