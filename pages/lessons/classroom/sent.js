// What a phone says of its own answer.

import { _, numeral } from "../../frame/live/words.js";

const CONVINCE = _("Sent. You may change it. How would you convince your neighbour?");
const MAY_CHANGE = _("Sent. You may change it.");
/** After an answer was sent, until the question closes. @type {Record<RoomQuestion["kind"], string>} */
const SENT = {
  next: _("Sent. Say how sure you are."),
  sampler: MAY_CHANGE,
  choice: CONVINCE,
  number: CONVINCE,
};

/**
 * What this phone answered, and once that is known whether it was right; each sentence stays in one line.
 * @param {PhoneQuestion} question
 * @param {RoomOutcome|null} outcome of the class
 * @param {boolean} isSure whether how sure one is was said
 */
export function sentInWords(question, outcome, isSure) {
  const { mine, is_open: isOpen } = question;
  if (mine === null) return isOpen ? [] : [_("This question is closed.")];
  if (isOpen) return [question.kind === "next" && isSure ? MAY_CHANGE : SENT[question.kind]];
  const answer = answerOf(question);
  const said = [_("You said “{answer}”.", { answer })];
  const isRight = question.pointer === null ? question.is_right : fallOf(question) === mine.option;
  if (question.pointer !== null) {
    said.push(_("It fell on “{word}”.", { word: question.options[fallOf(question)] }));
  }
  if (isRight !== null) said.push(isRight ? _("✓ Right.") : _("Not quite."));
  const ofModel = outcome?.series.findIndex(([, role]) => role === "kept") ?? -1;
  const bar = outcome?.bars.find(({ label, is_rest: isRest }) => label === answer && !isRest);
  if (ofModel > 0 && bar) said.push(_("The model gives it {share}.", { share: bar.texts[ofModel] }));
  return said;
}

/** What this phone answered; empty where it did not. @param {PhoneQuestion} question */
export function answerOf({ kind, mine, options }) {
  if (mine === null) return "";
  if (mine.option !== null) return options[mine.option];
  return kind === "number" ? numeral(mine.word) : mine.word;
}

/** The segment on which the phone's pointer fell. @param {PhoneQuestion} question */
function fallOf({ pointer, shares }) {
  let end = 0;
  const place = shares.slice(0, -1).findIndex((share) => (pointer ?? 0) < (end += share));
  return place < 0 ? shares.length - 1 : place;
}
