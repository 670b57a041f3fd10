// What Python sends, taken apart: a header of plain values, and arrays that are views of the bytes.
// The layout is described beside `encode_payload` in pages/frame/component.py.

import { createDistribution } from "./masks.js";

/** The arrays that each distribution was made from. */
const sources = new WeakMap();

/**
 * Takes a payload apart: header length, JSON header, then the arrays that the header names. The
 * arrays are views of the payload; it is copied once only where it does not start on a multiple of
 * four bytes.
 * @template {object} [Head=Header]
 * @param {any} data bytes; or taken apart already, as a recording is
 * @returns {{header: Head, arrays: Arrays, rest?: Uint8Array}} the rest is what stands behind it
 */
export function decodePayload(data) {
  if (data.header) return data;
  const bytes = data.byteOffset % 4 === 0 ? data : data.slice();
  const start = bytes.byteOffset;
  const headerLength = new DataView(bytes.buffer, start, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  /** @type {Arrays} */
  const arrays = {};
  let offset = 4 * Math.ceil((4 + headerLength) / 4);
  for (const { name, dtype, length } of header.arrays) {
    const View = dtype === "i4" ? Int32Array : Float32Array;
    arrays[name] = new View(bytes.buffer, start + offset, length);
    offset += 4 * length;
  }
  return { header, arrays, rest: bytes.subarray(offset) };
}

/**
 * Makes the distribution that a payload brings, or hands back the one before it where nothing in it
 * has changed: its order is then not sorted again.
 * @param {{n_vocab: number, n_unsent?: number}|null} facts the header's part on it
 * @param {Arrays} arrays
 * @param {string} prefix of the arrays' names
 * @param {Distribution|null} before
 */
export function readDistribution(facts, arrays, prefix, before) {
  if (!facts) return null;
  const get = (/** @type {string} */ name) => arrays[prefix + name] ?? null;
  const logits = get("logits");
  const ids = get("ids");
  const old = before && sources.get(before);
  if (old && sameNumbers(old.logits, logits) && sameNumbers(old.ids, ids)) return before;
  const tail = {
    tailCounts: get("tail_counts"),
    tailLogits: get("tail_logits"),
    tailVariances: get("tail_variances"),
  };
  const made = createDistribution({ nVocab: facts.n_vocab, nUnsent: facts.n_unsent, ids, logits, ...tail });
  sources.set(made, { logits, ids });
  return made;
}

/** @param {Numbers|null} first @param {Numbers|null} second */
function sameNumbers(first, second) {
  if (first === second || first === null || second === null) return first === second;
  return first.length === second.length && first.every((value, i) => value === second[i]);
}
