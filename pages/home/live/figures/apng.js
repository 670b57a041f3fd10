// Pictures that move, as one PNG (animation: PNG, third edition). Later frames hold only the rectangle that has
// changed. The browser's own writer of PNG is not used: it may wait a second for each.

import { brushOf } from "../../../frame/live/dom.js";
import { last } from "../../../frame/live/required.js";

const SIGNATURE = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
const LOOK = [8, 2, 0, 0, 0]; // of the header: 8 bits for each of red, green and blue
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/**
 * Joins frames, each of them drawn when it is asked for.
 * @param {AsyncIterable<{canvas: HTMLCanvasElement, ms: number}>} frames of one size; each stays for its milliseconds
 * @returns {Promise<Blob>}
 */
export async function joinFrames(frames) {
  const parts = [];
  let before = null;
  for await (const { canvas, ms } of frames) {
    const { width, height } = canvas;
    const { data } = brushOf(canvas).getImageData(0, 0, width, height);
    const area = before === null ? { x: 0, y: 0, width, height } : changed(before, data, width);
    before = data;
    if (area === null) last(parts).ms += ms; // nothing moved: what stands there stays
    else parts.push({ area, ms, packed: await deflate(rowsOf(data, width, area)) });
  }
  return assemble(parts);
}

/**
 * The rectangle in which two frames differ; null where they are equal.
 * @param {Uint8ClampedArray} before
 * @param {Uint8ClampedArray} after
 * @param {number} across
 */
function changed(before, after, across) {
  const [a, b] = [before, after].map(({ buffer }) => new Uint32Array(buffer));
  let [left, right, top, bottom] = [across, -1, -1, -1];
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] === b[i]) continue;
    const x = i % across;
    bottom = (i - x) / across;
    if (top < 0) top = bottom;
    left = Math.min(left, x);
    right = Math.max(right, x);
  }
  return top < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/**
 * A rectangle as the rows of a PNG: a byte for the filter, none, and the colours.
 * @param {Uint8ClampedArray} data
 * @param {number} across
 * @param {Area} area
 */
function rowsOf(data, across, { x, y, width, height }) {
  const rows = new Uint8Array(height * (1 + 3 * width));
  let at = 0;
  for (let row = y; row < y + height; row += 1) {
    at += 1;
    for (let from = 4 * (row * across + x), k = 0; k < width; k += 1, from += 4)
      for (let c = 0; c < 3; c += 1) rows[at++] = data[from + c];
  }
  return rows;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function deflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {PackedFrame[]} parts */
function assemble(parts) {
  const { width, height } = parts[0].area;
  const header = join([numbers(width, height), new Uint8Array(LOOK)]);
  const out = [SIGNATURE, chunk("IHDR", header), chunk("acTL", numbers(parts.length, 0))];
  let sequence = 0;
  for (const { area, ms, packed } of parts) {
    const isFirst = sequence === 0;
    const place = numbers(sequence++, area.width, area.height, area.x, area.y);
    const timing = new Uint8Array([ms >> 8, ms & 255, 1000 >> 8, 1000 & 255, 0, 0]); // ms of 1000, over the last
    out.push(chunk("fcTL", join([place, timing])));
    out.push(isFirst ? chunk("IDAT", packed) : chunk("fdAT", join([numbers(sequence++), packed])));
  }
  return new Blob([...out, chunk("IEND", new Uint8Array())], { type: "image/png" });
}

/** @param {string} name @param {Uint8Array} data */
function chunk(name, data) {
  const body = join([Uint8Array.from(name, (letter) => letter.charCodeAt(0)), data]);
  return join([numbers(data.length), body, numbers(crc(body))]);
}

/** Whole numbers of 32 bits, the highest byte first. @param {...number} values */
function numbers(...values) {
  const bytes = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => bytes.setUint32(4 * i, value));
  return new Uint8Array(bytes.buffer);
}

/** @param {Uint8Array[]} parts */
function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes */
function crc(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = CRC_TABLE[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}
