// Predict, then reveal: the bars stay covered until the reader has said what comes next, by one of four words
// or by a word of one's own.

import { announced } from "../../../frame/live/announced.js";
import { APPEND, CUT, READ } from "../figures/beats.js";
import { cheer } from "../../../frame/live/cheer.js";
import { guessedId, hasDistribution } from "../figures/rows.js";
import {
  activeIn,
  createButton,
  el,
  isolated,
  named,
  setAttribute,
  setSentence,
  setShown,
  setText,
} from "../../../frame/live/dom.js";
import { formatCount } from "../../../frame/live/format.js";
import { activeResult, describeStage } from "../../../frame/live/strategies.js";
import { _ } from "../../../frame/live/words.js";
import { N_GUESSES, N_LOOKED_AT, wordsToGuess } from "../../../frame/live/words_to_guess.js";

/** The question over the covered bars, and the verdict above them. @param {Actions} actions */
export function createGuess(actions) {
  const box = el("input", {
    type: "text",
    class: "guess-box",
    dir: "auto",
    id: "guess",
    autocomplete: "off",
    spellcheck: false,
    placeholder: _("or your own word"),
  });
  /** @param {string} word */
  const say = (word) => {
    isNewcomers = view?.asksNewcomer ?? false;
    actions.guess(word);
  };
  const options = Array.from({ length: N_GUESSES }, () => {
    const node = createButton("button guess-option", null, () => say(node.textContent));
    return Object.assign(node, { translate: false, dir: "auto" });
  });
  const submit = el("button", { type: "submit", class: "button is-quiet" }, _("Guess"));
  const reveal = createButton("quiet", _("Just reveal"), () => actions.reveal());
  const ask = el(
    "form",
    { class: "guess", hidden: true },
    el("label", { class: "guess-question", htmlFor: "guess" }, _("What comes next?")),
    el("div", { class: "row guess-options", role: "group", "aria-label": _("Four guesses") }, ...options),
    el("div", { class: "row guess-row" }, box, submit, reveal),
  );
  const verdict = announced(el("p", { class: "verdict", hidden: true }));
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value !== "") say(box.value);
  });
  /** @type {View|null} */
  let view = null;
  /** @type {number|null} */
  let position = null;
  let wasRight = true; // what a page opens with is no news
  let isNewcomers = false; // a newcomer's first guess goes on to the step itself
  return {
    element: ask,
    verdict,
    /** @param {View} now */
    update(now) {
      view = now;
      if (position !== view.position) box.value = "";
      position = view.position;
      const keepFocus = followFocus(ask, box);
      setShown(ask, view.hidden);
      keepFocus();
      if (view.hidden && hasDistribution(now)) offer(options, now);
      if (isNewcomers && (view.header.guess || view.header.notice)) {
        isNewcomers = false;
        if (view.header.guess) setTimeout(() => actions.next(performance.now()));
      }
      const sentence = view.hidden ? null : verdictOf(view);
      setShown(verdict, sentence !== null);
      const isTrue = sentence !== null && isRight(view);
      setAttribute(verdict, "data-right", isTrue);
      setSentence(verdict, sentence ?? "");
      if (isTrue && !wasRight) cheer(verdict);
      wasRight = isTrue;
    },
  };
}

/**
 * Writes the words to guess from.
 * @param {HTMLElement[]} options
 * @param {BarsView} view
 */
function offer(options, view) {
  const result = activeResult(view);
  const nLooked = Math.min(N_LOOKED_AT, result.order.length);
  const likely = Array.from({ length: nLooked }, (_, row) => view.label(result.idOf(row)));
  const words = wordsToGuess(likely, view.labels, view.position);
  options.forEach((node, i) => {
    setShown(node, i < words.length);
    setText(node, words[i]?.slice(1) ?? "");
  });
}

/**
 * The focus of who guesses by keyboard goes to the answer, and back to the box for the next question.
 * @param {HTMLElement} ask
 * @param {HTMLElement} box
 */
function followFocus(ask, box) {
  const place = ask.parentElement; // the answer stands there too
  const active = activeIn(ask);
  const wasAsking = !ask.hidden;
  return () => {
    if (wasAsking === ask.hidden && active && (active === place || ask.contains(active)))
      (ask.hidden ? place : box)?.focus({ preventScroll: true });
  };
}

/** Whether the pointer has landed, and is seen to have. @param {View} view */
const hasLanded = ({ chosenId, forced, beat }) =>
  chosenId !== null && !forced && (beat === 0 || beat === APPEND);

/** Whether the token that was drawn is the one that the reader had guessed. @param {View} view */
const isRight = (view) =>
  view.chosenId !== null && hasLanded(view) && view.label(view.chosenId) === view.guess?.label;

/** @param {View} view */
function verdictOf(view) {
  const { guess, header: { model } } = view;
  if (!guess) return null;
  const facts = {
    token: named(guess.label),
    text: isolated(guess.text),
    rank: formatCount(guess.rank + 1),
    n_vocab: formatCount(model.vocab_size),
    n_tokens: formatCount(guess.n_tokens),
  };
  if (view.beat === READ) return _("Your guess: “{text}”.", facts); // nothing is scored yet
  if (isRight(view)) return _("✓ You guessed it: {token}.", facts);
  const said = guess.n_tokens === 1 ? _("Your guess “{text}”: number {rank} of {n_vocab}.", facts) : _(
    "The model writes “{text}” in {n_tokens} tokens; the first, {token}, is number {rank} of {n_vocab}.",
    facts,
  );
  const mask = cutBy(view);
  if (mask !== null) return `${said} ${_("{mask} cut it.", { mask })}`;
  return hasLanded(view) && guess.n_tokens === 1 ? `${said} ${_("Another was drawn.")}` : said;
}

/** The mask that took the guess, as a sentence begins with it, once it has cut; null: the guess stays. @param {View} view */
function cutBy(view) {
  if (!hasDistribution(view) || (view.beat > 0 && view.beat < CUT)) return null;
  const result = activeResult(view);
  const id = guessedId(result, view);
  const stage = id === null ? null : result.stages.find(({ kept }) => !kept[result.rowOf(id)]);
  if (!stage) return null;
  const name = describeStage(stage.name, view.settings);
  return name[0].toUpperCase() + name.slice(1);
}
