// Bytes to characters, a few bytes at a time. What can no longer become a character is written `<0xE2>`;
// nothing here ever shows U+FFFD for bytes.

const NOTHING = [1, 0]; // no byte is in this range

export class ByteJoiner {
  /** Bytes of a character that is not complete. @type {number[]} */
  pending = [];
  nMissing = 0;
  range = [0x80, 0xbf]; // of the byte that may come next

  /**
   * Takes bytes and returns the characters that they complete; `isEnd`: nothing follows them.
   * @param {number[]} bytes
   * @param {boolean} isEnd
   */
  push(bytes, isEnd) {
    const text = bytes.map((byte) => this.take(byte)).join("");
    return isEnd ? text + this.giveUp() : text;
  }

  /** @param {number} byte */
  take(byte) {
    if (this.nMissing === 0) return this.begin(byte);
    if (byte < this.range[0] || byte > this.range[1]) return this.giveUp() + this.begin(byte);
    const isSurrogate = this.pending[0] === 0xed && byte > 0x9f; // no character: Python says so one byte later
    this.range = isSurrogate && this.pending.length === 1 ? NOTHING : [0x80, 0xbf];
    this.pending.push(byte);
    if (--this.nMissing > 0) return "";
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(this.pending.splice(0)));
  }

  /**
   * The first byte tells how many follow, and the range of the second (Unicode 16, table 3-7).
   * @param {number} byte
   */
  begin(byte) {
    if (byte < 0x80) return String.fromCharCode(byte);
    if (byte < 0xc2 || byte > 0xf4) return stray(byte);
    this.pending = [byte];
    this.nMissing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.range = { 0xe0: [0xa0, 0xbf], 0xf0: [0x90, 0xbf], 0xf4: [0x80, 0x8f] }[byte] ??
      [0x80, 0xbf];
    return "";
  }

  giveUp() {
    this.nMissing = 0;
    return this.pending.splice(0).map(stray).join("");
  }
}

/** @param {number} byte */
function stray(byte) {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
}
