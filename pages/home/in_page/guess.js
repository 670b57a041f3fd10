// What the reader expects next, weighed by the model: predict, then reveal. The twin of
// pages/home/prediction.py.

import { required } from "../../frame/live/required.js";
import { Sentence } from "../../frame/live/errors.js";

const MAX_WORD = 16; // tokens, each of which may take a pass

/**
 * A guess with its rank and its probability at temperature 1; only its first token is compared.
 * @param {import("./generation.js").Generation} generation
 * @param {import("./tokenizer.js").Tokenizer} tokenizer
 * @param {string} text
 */
export function weighGuess(generation, tokenizer, text) {
  if (text === "") throw new Sentence("The guess is empty: write the word that you expect next.");
  tokenizer.encode(text); // says what is wrong with half a character
  const reading = likelierForm(generation, tokenizer, text);
  const { ids, rawStage } = required(generation.distribution, "pass over this text yet");
  const rank = ids.indexOf(reading[0]);
  return {
    text,
    label: tokenizer.labels[reading[0]],
    rank,
    prob: rawStage.probs[rank],
    n_tokens: reading.length,
  };
}

/**
 * A person does not say whether a space comes first: the likelier one counts.
 * @param {import("./generation.js").Generation} generation
 * @param {import("./tokenizer.js").Tokenizer} tokenizer
 * @param {string} text
 */
function likelierForm({ logits }, tokenizer, text) {
  const [bare, spaced] = [text, ` ${text}`].map((form) => tokenizer.encodeBare(form));
  return logits[spaced[0]] > logits[bare[0]] ? spaced : bare;
}

/**
 * A word with the log-probability of each of its tokens after those before it; the text is written on.
 * @param {import("./generation.js").Generation} generation
 * @param {import("./tokenizer.js").Tokenizer} tokenizer
 * @param {string} text
 * @returns {Scored}
 */
export function scoreWord(generation, tokenizer, text) {
  if (text === "") throw new Sentence("No word is written: write the one whose probability you want.");
  tokenizer.encode(text); // says what is wrong with half a character
  if (generation.finished)
    throw new Sentence("The text is finished, so nothing follows it: go back first.");
  const ids = likelierForm(generation, tokenizer, text);
  if (ids.length > MAX_WORD)
    throw new Sentence("This is {n_tokens} tokens; at most {most} are read: write a shorter word.", {
      n_tokens: ids.length,
      most: MAX_WORD,
    });
  const logprobs = ids.map((id, i) => {
    if (i > 0) generation.step(undefined, ids[i - 1]);
    if (generation.finished)
      throw new Sentence("The word does not fit before the end of the text: go back first.");
    const { ids: byRow, rawStage: { scores, probs } } = required(generation.distribution, "pass yet");
    return scores[byRow.indexOf(id)] - scores[0] + Math.log(probs[0]);
  });
  return { text, ids, logprobs };
}
