// What the reader expects next, weighed by the model: predict, then reveal. The twin of
// pages/home/prediction.py.

/** A guess with its rank and its probability at temperature 1; only its first token is compared. */
export function weighGuess(generation, tokenizer, text) {
  if (text === "") throw new RangeError("The guess is empty: write the word that you expect next.");
  tokenizer.encode(text); // says what is wrong with half a character
  // a person does not say whether a space comes first: the likelier one counts
  const [bare, spaced] = [text, ` ${text}`].map((form) => tokenizer.encodeBare(form));
  const { distribution: { ids, rawStage }, logits } = generation;
  const reading = logits[spaced[0]] > logits[bare[0]] ? spaced : bare;
  const rank = ids.indexOf(reading[0]);
  return {
    text,
    label: tokenizer.labels[reading[0]],
    rank,
    prob: rawStage.probs[rank],
    n_tokens: reading.length,
  };
}
