// A safetensors file: the length of a JSON header, the header, then the numbers of all tensors.

/**
 * Reads the tensors by name. A bfloat16 is the upper half of a float32, so that none is rounded.
 * @param {Uint8Array} bytes of the file
 * @returns {Record<string, Tensor>}
 */
export function readSafetensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  delete header.__metadata__;
  /** @param {TensorEntry} entry */
  const read = ({ dtype, shape, data_offsets: [from, to] }) => {
    if (dtype !== "BF16") throw new Error(`The weights are ${dtype}, and this page reads BF16.`);
    return { shape, values: widen(new Uint16Array(bytes.buffer, start + from, (to - from) / 2)) };
  };
  return Object.fromEntries(Object.entries(header).map(([name, entry]) => [name, read(entry)]));
}

/** Puts 16 zeros behind the 16 bits of each number. @param {Uint16Array} halves */
function widen(halves) {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < bits.length; i++) bits[i] = halves[i] << 16;
  return new Float32Array(bits.buffer);
}
