// The prompt box: what is typed here the model reads first.

import { el, setShown, setText, shorten } from "../../frame/live/dom.js";

const TOKENISE_AFTER_MS = 120;
const MAX_TOKENISED = 20000;
const EXAMPLE_LENGTH = 34;

/**
 * The prompt box with its examples. Enter starts, Shift+Enter breaks the line.
 * @param {Actions} actions
 * @returns {{element: HTMLElement, update: (view: object) => void, readonly text: string,
 *   readonly isChanged: boolean, readonly isTyping: boolean}}
 */
export function createPrompt(actions) {
  const box = el("textarea", {
    class: "prompt-box",
    dir: "auto",
    rows: 1,
    spellcheck: false,
    "aria-label": "Prompt: the text that the model continues",
    placeholder: "Write the beginning of a text",
  });
  const hint = el("span", { class: "hint", hidden: true, textContent: "Enter starts from this text" });
  const examples = el("div", { class: "examples", role: "group", "aria-label": "Example prompts" });
  const state = { shown: null, examplesShown: null, timer: 0, isTyping: false };
  const isChanged = () => state.shown !== null && box.value !== state.shown;
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
  box.addEventListener("input", typed);
  box.addEventListener("blur", () => typing(false));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    typing(false);
    actions.prompt(box.value);
  });
  const choose = (text) => {
    box.value = text;
    fitHeight(box);
    actions.prompt(text);
  };
  return {
    element: el("div", { class: "prompt" }, box, el("div", { class: "prompt-foot" }, examples, hint)),
    get text() {
      return box.value;
    },
    get isChanged() {
      return isChanged();
    },
    get isTyping() {
      return state.isTyping && isChanged();
    },
    update(view) {
      fillExamples(state, examples, view.header.examples, choose);
      adoptText(state, box, view.header.prompt);
      setShown(hint, isChanged());
    },
  };
}

/** Takes the text that Python has, unless the person has typed something else since. */
function adoptText(state, box, text) {
  if (text === state.shown) return;
  if (state.shown === null || box.value === state.shown) box.value = text;
  state.shown = text;
  fitHeight(box);
}

function tokenise(actions, text) {
  if (text.length <= MAX_TOKENISED) actions.tokenise(text);
}

/** One line for most prompts, up to three for long ones; then the box scrolls. */
function fitHeight(box) {
  box.rows = 1;
  if (box.scrollHeight <= box.clientHeight + 2) return;
  box.rows = 2;
  if (box.scrollHeight > box.clientHeight + 2) box.rows = 3;
}

function fillExamples(state, node, texts, choose) {
  if (state.examplesShown === texts?.join("\n")) return;
  state.examplesShown = texts?.join("\n");
  const buttons = (texts ?? []).map((text) => {
    const button = el("button", { type: "button", class: "example", onclick: () => choose(text) });
    setText(button, shorten(text.replaceAll("\n", "⏎"), EXAMPLE_LENGTH));
    button.title = text;
    return button;
  });
  node.replaceChildren(el("span", { class: "muted", textContent: "Try" }), ...buttons);
}
