// Predict, then reveal: the bars stay hidden until the reader has said what comes next.

import { announced } from "../../frame/live/announced.js";
import { createButton, el, named, setSentence, setShown } from "../../frame/live/dom.js";
import { formatCount, formatProbability } from "../../frame/live/format.js";

/** The question in place of the bars, and the verdict above them. @param {Actions} actions */
export function createGuess(actions) {
  const box = el("input", {
    type: "text",
    class: "guess-box",
    dir: "auto",
    id: "guess",
    autocomplete: "off",
    spellcheck: false,
  });
  const submit = el("button", { type: "submit", class: "button is-primary" }, "Guess");
  const reveal = createButton("button", "Just reveal", () => actions.reveal());
  const ask = el(
    "form",
    { class: "guess", hidden: true },
    el("label", { class: "guess-question", htmlFor: "guess" }, "What comes next?"),
    el("div", { class: "row guess-row" }, box, submit, reveal),
    el("p", { class: "muted" }, "Write a word, or the next piece of one. The model’s own answer then shows."),
  );
  const verdict = announced(el("p", { class: "verdict", hidden: true }));
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value !== "") actions.guess(box.value);
  });
  let position = null;
  return {
    element: ask,
    verdict,
    update(view) {
      if (position !== view.position) box.value = "";
      position = view.position;
      const keepFocus = followFocus(ask, box);
      setShown(ask, view.hidden);
      keepFocus();
      const sentence = view.hidden ? null : verdictOf(view.header);
      setShown(verdict, sentence !== null);
      setSentence(verdict, sentence ?? "");
    },
  };
}

/** The focus of who guesses by keyboard goes to the answer, and back to the box for the next question. */
function followFocus(ask, box) {
  const place = ask.parentElement; // the answer stands there too
  const active = ask.getRootNode().activeElement;
  const wasAsking = !ask.hidden;
  return () => {
    if (wasAsking === ask.hidden && active && (active === place || ask.contains(active)))
      (ask.hidden ? place : box).focus({ preventScroll: true });
  };
}

function verdictOf({ guess, model }) {
  if (!guess) return null;
  const opening = guess.n_tokens > 1
    ? `Its first of ${guess.n_tokens} tokens, ${named(guess.label)},`
    : named(guess.label);
  const rank = `${formatCount(guess.rank + 1)} of ${formatCount(model.vocab_size)}`;
  return `Your guess “${guess.text}”: ${opening} is number ${rank}, with probability ${
    formatProbability(guess.prob)
  }.`;
}
