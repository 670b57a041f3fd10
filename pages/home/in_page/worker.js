// The model's own thread: it unpacks the weights, then answers one event after another with a state.

import { Llama } from "./llama.js";
import { readLink } from "./link.js";
import { readSafetensors } from "./safetensors.js";
import { Session } from "./session.js";
import { describe } from "./state.js";
import { Tokenizer } from "./tokenizer.js";

let session = null;

addEventListener("message", async ({ data: { n, event } }) => {
  if (event.kind === "open") session = await open(event);
  else session.handle(event);
  postMessage({ n, state: describe(session), text: session.tokenizer.textOf(session.generation.ids) });
});

/** Opens the text of a link, or the default one. */
async function open({ weights, facts, query }) {
  const model = new Llama(facts.config, readSafetensors(await unpack(weights)));
  const tokenizer = new Tokenizer(facts.tokenizer, facts.labels);
  return new Session(model, tokenizer, facts, readLink(query, facts));
}

/** The bytes that stand in the page as base64 of what deflate made of them. */
async function unpack(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
