// What a class sees of a question, on the projector and small on the desk: the sampler's bar, the picture of a scene.

import { setShown, setText } from "../../frame/live/dom.js";
import { formatProbability } from "../../frame/live/format.js";
import { drawBar, drawPicture, endsOf, lineOf } from "./drawn.js";
import { byId, drawCrowd, drawOutcome, isOfTokens } from "./room.js";

/**
 * Draws the bar of the sampler; its shares stand there while the question is open, for the eye to compare.
 * @param {HTMLElement} bar
 * @param {HTMLElement} ends
 * @param {RoomQuestion} question
 * @param {number[]} pointers
 */
export function drawSampler(
  bar,
  ends,
  { options, shares, has_rest: hasRest, is_open: isOpen, setting },
  pointers,
) {
  const names = options.map((words, i) => isOpen ? `${words}\n${formatProbability(shares[i])}` : words);
  drawBar(bar, { shares, options: names, has_rest: hasRest }, pointers);
  ends.replaceChildren(...endsOf(setting).childNodes);
}

/**
 * Draws the picture of a scene; its rows, which would be taken for votes, give way to those until they are explained.
 * @param {HTMLElement} place
 * @param {ProjectorState} view
 */
export function drawScene(place, { question, scene, outcome, explained }) {
  const isBare = outcome === null || (outcome.bars.length === 0 && outcome.dots === null);
  const isDrawn = scene !== null && question?.kind !== "sampler" && !scene.is_end;
  const areVotes = !isBare && explained === "" && isDrawn && scene.picture.outcome !== null;
  const picture = isDrawn && !areVotes ? scene.picture : null;
  if (!picture?.outcome) return drawPicture(place, picture, !isBare);
  drawOutcome(place, picture.outcome, null);
  if (place.querySelector(".of") === null) place.prepend(...picture.lines.map((line) => lineOf(line, "of")));
}

/**
 * Draws for the teacher what the class sees: its text, who has answered, and until the votes come the bar or picture.
 * @param {ProjectorState} view
 */
export function drawSeen(view) {
  const { question, scene, outcome, text } = view;
  const isOfText = question === null ? scene === null : isOfTokens(question);
  setText(byId("read"), isOfText ? text : "");
  drawCrowd(byId("crowd"), view, question !== null && question.is_open && view.n_people > 0);
  const isSampled = question !== null && question.kind === "sampler" && outcome === null;
  for (const id of ["bar", "ends"]) setShown(byId(id), isSampled);
  if (isSampled) drawSampler(byId("bar"), byId("ends"), question, []);
  if (outcome === null) drawScene(byId("picture"), view);
  else setShown(byId("picture"), false);
}
