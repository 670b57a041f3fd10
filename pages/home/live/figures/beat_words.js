// What the five beats of a step say: one sentence each, with the true numbers of that step.

import { APPEND, CUT, DRAW, READ, SCORE } from "./beats.js";
import { named } from "../../../frame/live/dom.js";
import {
  formatCount,
  formatPointer,
  formatProbability,
  formatSeconds,
  formatSetting,
} from "../../../frame/live/format.js";
import { required } from "../../../frame/live/required.js";
import { passOf } from "./loopfacts.js";
import {
  describeStage,
  drawnToken,
  lastStage,
  scoredStage,
  waitsForPython,
} from "../../../frame/live/strategies.js";
import { _, listed, ngettext } from "../../../frame/live/words.js";

/** By beat. @type {Record<number, (view: BarsView, result: Result) => string>} */
const SAYS = { [READ]: read, [SCORE]: score, [CUT]: cut, [DRAW]: draw, [APPEND]: append };

/**
 * The sentence of a beat.
 * @param {number} beat 1 to 5
 * @param {BarsView} view
 * @param {Result} result what is drawn from
 */
export function sentenceOf(beat, view, result) {
  return SAYS[beat](view, result);
}

/** @param {BarsView} view */
function read(view) {
  const { phase, seconds, nInput, tokens } = passOf(view);
  const time = seconds === null ? null : formatSeconds(seconds);
  if (phase === "prefill") return readWhole(nInput, time);
  return nInput === 1 ? readOne(tokens - nInput, time) : readMore(nInput, tokens - nInput, time);
}

/** @param {number} n @param {string|null} time */
function readWhole(n, time) {
  return time === null
    ? ngettext(
      "The model reads the whole text in one pass: {n} token.",
      "The model reads the whole text in one pass: {n} tokens.",
      n,
    )
    : ngettext(
      "The model reads the whole text in one pass: {n} token, in {time}.",
      "The model reads the whole text in one pass: {n} tokens, in {time}.",
      n,
      { time },
    );
}

/** @param {number} nKnown @param {string|null} time */
function readOne(nKnown, time) {
  if (nKnown <= 0)
    return time === null
      ? _("The model reads the newest token.")
      : _("The model reads the newest token, in {time}.", { time });
  return time === null
    ? ngettext(
      "The model reads the newest token; it remembers the {n} before.",
      "The model reads the newest token; it remembers the {n} before.",
      nKnown,
    )
    : ngettext(
      "The model reads the newest token; it remembers the {n} before, in {time}.",
      "The model reads the newest token; it remembers the {n} before, in {time}.",
      nKnown,
      { time },
    );
}

/** Several at once, after a rewind. @param {number} n @param {number} nKnown @param {string|null} time */
function readMore(n, nKnown, time) {
  const newest = ngettext("The model reads the newest {n} token", "The model reads the newest {n} tokens", n);
  const before = nKnown > 0
    ? ngettext("it remembers the {n} before", "it remembers the {n} before", nKnown)
    : null;
  const reading = [newest, before].filter(Boolean).join("; ");
  return time === null ? `${reading}.` : _("{reading}, in {time}.", { reading, time });
}

/** @param {BarsView} view @param {Result} result */
function score(view, result) {
  const scored = scoredStage(result);
  const [before, after] = [result.stages[0].probs[0], scored.probs[0]].map(formatProbability);
  const best = named(view.label(result.idOf(0)));
  const { nVocab } = view.distribution;
  if (scored.name !== "temperature")
    return ngettext(
      "{n} token shares {all}: {best} has {before}.",
      "{n} tokens share {all}: {best} has {before}.",
      nVocab,
      { all: formatProbability(1), best, before },
    );
  const temperature = formatSetting(view.settings.temperature);
  return ngettext(
    "{n} token shares {all}. At temperature {temperature}: {best} {before} → {after}.",
    "{n} tokens share {all}. At temperature {temperature}: {best} {before} → {after}.",
    nVocab,
    { all: formatProbability(1), temperature, best, before, after },
  );
}

/** @param {BarsView} view @param {Result} result */
function cut(view, result) {
  const last = lastStage(result);
  const { nVocab } = view.distribution;
  if (last.name === "greedy") return _("Temperature 0 keeps the likeliest alone: it takes the whole bar.");
  if (waitsForPython(result)) return _("A mask cuts among tokens that this page does not hold.");
  if (last.nKept === nVocab)
    return ngettext(
      "Nothing is cut: all {n} token may be drawn.",
      "Nothing is cut: all {n} tokens may be drawn.",
      nVocab,
    );
  const masks = masksInWords(view, result);
  return ngettext(
    "The cut, {masks}: {n} token stays and grows to {all}, {n_out} are out.",
    "The cut, {masks}: {n} tokens stay and grow to {all}, {n_out} are out.",
    last.nKept,
    { masks, all: formatProbability(1), n_out: formatCount(nVocab - last.nKept) },
  );
}

/** @param {BarsView} view @param {Result} result */
const masksInWords = ({ settings }, result) =>
  listed(result.stages.filter(cuts).map(({ name }) => describeStage(name, settings)));

/** What changes the shares in the second and the third beat, with its value. @param {BarsView} view @param {Result} result */
export const changedBy = (view, result) =>
  view.beat === SCORE ? describeStage("temperature", view.settings) : masksInWords(view, result);

/** @param {Stage} stage @param {number} i @param {Stage[]} all */
const cuts = (stage, i, all) => i > 0 && stage.nKept < all[i - 1].nKept;

/** @param {BarsView} view @param {Result} result */
function draw(view, result) {
  const drawn = drawnToken(result, view.pointer);
  if (view.forced) return _("This token was not drawn: you chose it.");
  if (lastStage(result).name === "greedy") return _("There is nothing to draw: one token has the whole bar.");
  if (drawn === null || view.pointer === null)
    return _("The shares lie end to end, and a pointer falls on them.");
  return _("The shares lie end to end. The pointer falls on {number}: there lies {token}.", {
    number: formatPointer(view.pointer),
    token: named(view.label(drawn.id)),
  });
}

/** @param {BarsView} view */
function append(view) {
  return ngettext(
    "{token} joins the text, now {n} token; then the model reads again. That is all.",
    "{token} joins the text, now {n} tokens; then the model reads again. That is all.",
    view.contextIds.length + 1,
    { token: named(view.label(required(view.chosenId, "token that was chosen"))) },
  );
}
