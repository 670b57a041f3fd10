// The model's own thread: it takes the weights, then does one request after another.

import { required } from "../../frame/live/required.js";
import { Llama } from "./llama.js";
import { readSafetensors } from "./safetensors.js";
import { Texts } from "./texts.js";
import { Tokenizer } from "./tokenizer.js";

const PIECE = 2 ** 16; // letters of base64 at a time, a multiple of four

const LONG = 32; // tokens of a pass that is told of while it runs

/** @type {Texts|null} */
let texts = null;

addEventListener("message", async ({ data }) => {
  const request = /** @type {WorkerRequest} */ (data);
  const { n } = request;
  try {
    const answer = request.kind === "load" ? await load(request.said[0]) : answerOf(request);
    postMessage({ n, answer });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { message, source = message, values } =
      /** @type {Partial<import("../../frame/live/errors.js").Sentence> & RangeError} */ (error);
    postMessage({ n, refusal: { source, values } });
  }
});
/** @param {Exclude<WorkerRequest, {kind: "load"}>} request */
function answerOf({ kind, said }) {
  const model = required(texts, "model yet");
  return Reflect.apply(model[kind], model, said);
}
addEventListener("unhandledrejection", ({ reason }) => reportError(reason)); // the page hears of it

/** @param {{facts: PageFacts, weights: string}} opening */
async function load({ facts, weights }) {
  const bytes = weights.startsWith("http") ? await fetched(weights) : await unpack(weights);
  const model = new Llama(facts.config, readSafetensors(bytes));
  model.heard = (nTokens, share) => {
    if (nTokens >= LONG) postMessage({ reading: { nTokens, share } });
  };
  texts = new Texts(model, new Tokenizer(facts.tokenizer, facts.labels), facts);
}

/** @param {string} address */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * The bytes that stand in the page as base64 of what deflate made of them: piece by piece, as none is kept.
 * @param {string} text
 */
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

/** @param {string} letters */
function bytesOf(letters) {
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
