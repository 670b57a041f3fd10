// The model's own thread: it unpacks the weights, then answers one event after another with a state.

import { Llama } from "./llama.js";
import { readLink } from "./link.js";
import { readSafetensors } from "./safetensors.js";
import { Session } from "./session.js";
import { describe } from "./state.js";
import { Tokenizer } from "./tokenizer.js";

const PIECE = 2 ** 16; // letters of base64 at a time, a multiple of four

let session = null;

addEventListener("unhandledrejection", ({ reason }) => reportError(reason)); // the page hears of it

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

/** The bytes that stand in the page as base64 of what deflate made of them: piece by piece, as none is kept. */
async function unpack(text) {
  // no Blob: from the disk, a worker of WebKit's cannot read one
  const inflate = new DecompressionStream("deflate");
  const whole = new Response(inflate.readable).arrayBuffer();
  const writer = inflate.writable.getWriter();
  for (let at = 0; at < text.length; at += PIECE)
    await writer.write(bytesOf(atob(text.slice(at, at + PIECE))));
  await writer.close();
  return new Uint8Array(await whole);
}

function bytesOf(letters) {
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
