// What the five beats of a step say: one sentence each, with the true numbers of that step.

import { APPEND, CUT, DRAW, READ, SCORE } from "./beats.js";
import { named } from "../../../frame/live/dom.js";
import {
  formatCoin,
  formatCount,
  formatProbability,
  formatSeconds,
  formatSetting,
  formatTokens,
} from "../../../frame/live/format.js";
import { passOf } from "./loopfacts.js";
import { scoredStage } from "./rows.js";
import { describeStage, drawnToken, lastStage, waitsForPython } from "../../../frame/live/strategies.js";

const SAYS = { [READ]: read, [SCORE]: score, [CUT]: cut, [DRAW]: draw, [APPEND]: append };

/** The sentence of the beat that is shown. @param {View} view @param {Result} result what is drawn from */
export function sentenceOf(view, result) {
  return SAYS[view.beat](view, result);
}

function read(view) {
  const { phase, seconds, nInput, tokens } = passOf(view);
  const time = seconds === null ? "" : `, in ${formatSeconds(seconds)}`;
  if (phase === "prefill")
    return `The model reads the whole text in one pass: ${formatTokens(nInput)}${time}.`;
  const nKnown = tokens - nInput;
  const before = nKnown > 0 ? `; it remembers the ${formatCount(nKnown)} before` : "";
  return `The model reads the newest ${nInput === 1 ? "token" : formatTokens(nInput)}${before}${time}.`;
}

function score(view, result) {
  const scored = scoredStage(result);
  const [before, after] = [result.stages[0].probs[0], scored.probs[0]];
  const best = named(view.label(result.idOf(0)));
  const all = `${formatCount(view.distribution.nVocab)} tokens share 100\u202f%`;
  const { temperature } = view.settings;
  if (scored.name !== "temperature") return `${all}: ${best} has ${formatProbability(before)}.`;
  return `${all}. At temperature ${formatSetting(temperature)}: ${best} ${formatProbability(before)} → ${
    formatProbability(after)
  }.`;
}

function cut(view, result) {
  const last = lastStage(result);
  const { nVocab } = view.distribution;
  if (last.name === "greedy") return "Temperature 0 keeps the likeliest alone: it takes the whole bar.";
  if (waitsForPython(result)) return "A mask cuts among tokens that this page does not hold.";
  if (last.nKept === nVocab) return `Nothing is cut: all ${formatCount(nVocab)} tokens may be drawn.`;
  const names = result.stages.filter(cuts).map(({ name }) => describeStage(name, view.settings)).join(", ");
  const nOut = formatCount(nVocab - last.nKept);
  const stay = last.nKept === 1
    ? "1 token stays and grows"
    : `${formatCount(last.nKept)} tokens stay and grow`;
  return `The cut, ${names}: ${stay} to 100\u202f%, ${nOut} are out.`;
}

const cuts = (stage, i, all) => i > 0 && stage.nKept < all[i - 1].nKept;

function draw(view, result) {
  const drawn = drawnToken(result, view.coin);
  if (view.forced) return "This token was not drawn: you chose it.";
  if (lastStage(result).name === "greedy") return "There is nothing to draw: one token has the whole bar.";
  if (drawn === null) return "The shares lie end to end, and a pointer falls on them.";
  return `The shares lie end to end. The pointer falls on ${formatCoin(view.coin)}: there lies ${
    named(view.label(drawn.id))
  }.`;
}

function append(view) {
  const n = formatTokens(view.contextIds.length + 1);
  return `${
    named(view.label(view.chosenId))
  } joins the text, now ${n}; then the model reads again. That is all.`;
}
