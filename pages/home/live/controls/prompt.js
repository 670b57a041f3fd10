// The prompt box: what is typed here the model reads first.

import { el, setShown } from "../../../frame/live/dom.js";
import { isEnter } from "../../../frame/live/keyboard.js";
import { _, pgettext } from "../../../frame/live/words.js";

const TOKENISE_AFTER_MS = 120;
const MAX_TOKENISED = 20000;
/** Prompts to try, measured by tests/home/test_prompts.py. */
const EXAMPLES = [
  "The bird sat on the",
  "The little boy was very",
  "The frog wanted to",
  "The duck swam in the",
  "The king was very",
];

/** The prompt box with its examples. Enter starts, Shift+Enter breaks the line. @param {Actions} actions */
export function createPrompt(actions) {
  const box = el("textarea", {
    class: "prompt-box",
    dir: "auto",
    rows: 1,
    spellcheck: false,
    "aria-label": _("Prompt: the text that the model continues"),
    placeholder: _("Write the beginning of a text"),
  });
  // the box says more of itself to who hears it
  const name = el("span", { class: "prompt-name", "aria-hidden": "true" }, _("Write your own beginning"));
  const hint = el("span", { class: "hint", hidden: true }, _("Enter starts from this text"));
  const state = { shown: null, timer: 0, isTyping: false };
  const isChanged = () => state.shown !== null && box.value !== state.shown;
  /** @param {boolean} isTyping */
  const typing = (isTyping) => {
    state.isTyping = isTyping;
    actions.typed();
  };
  const typed = () => {
    fitHeight(box);
    setShown(hint, isChanged());
    clearTimeout(state.timer);
    state.timer = setTimeout(() => tokenise(actions, box.value), TOKENISE_AFTER_MS);
    typing(true);
  };
  const begin = () => {
    clearTimeout(state.timer); // what is asked of a draft takes away what is said of a prompt
    actions.prompt(box.value);
  };
  box.addEventListener("input", typed);
  box.addEventListener("blur", () => typing(false));
  box.addEventListener("keydown", (event) => {
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    typing(false);
    begin();
  });
  const examples = EXAMPLES.map((text) =>
    el("button", {
      type: "button",
      class: "quiet example",
      lang: "en",
      dir: "ltr",
      translate: false,
      onclick: () => {
        box.value = text;
        fitHeight(box);
        begin();
      },
    }, text)
  );
  const toTry = { class: "row examples", role: "group", "aria-label": _("Example prompts") };
  const tries = el(
    "div",
    toTry,
    el("span", { class: "muted" }, pgettext("example prompts", "Try")),
    ...examples,
  );
  return {
    element: el("div", { class: "prompt" }, name, box, el("div", { class: "prompt-foot" }, tries, hint)),
    get text() {
      return box.value;
    },
    get isChanged() {
      return isChanged();
    },
    get isTyping() {
      return state.isTyping && isChanged();
    },
    /** @param {View} view */
    update(view) {
      adoptText(state, box, view.header.prompt);
      setShown(hint, isChanged());
    },
  };
}

/**
 * Takes the text that Python has, unless the person has typed something else since.
 * @param {{shown: string|null}} state
 * @param {HTMLTextAreaElement} box
 * @param {string} text
 */
function adoptText(state, box, text) {
  if (text === state.shown) return;
  if (state.shown === null || box.value === state.shown) box.value = text;
  state.shown = text;
  fitHeight(box);
}

/** @param {Actions} actions @param {string} text */
function tokenise(actions, text) {
  if (text.length <= MAX_TOKENISED) actions.tokenise(text);
}

/**
 * One line for most prompts, up to three for long ones; then the box scrolls.
 * @param {HTMLTextAreaElement} box
 */
function fitHeight(box) {
  box.rows = 1;
  if (box.scrollHeight <= box.clientHeight + 2) return;
  box.rows = 2;
  if (box.scrollHeight > box.clientHeight + 2) box.rows = 3;
}
