// The tokenizer: byte-level byte-pair encoding (1508.07909, as GPT-2 has it), read from the library's own
// tokenizer.json. Ids are the state and text is a view of it.

import { required } from "../../frame/live/required.js";
import { ByteJoiner } from "./byte_joiner.js";
import { Sentence } from "../../frame/live/errors.js";

/** Text to ids and back. */
export class Tokenizer {
  /**
   * @param {TokenizerFile} file
   * @param {string[]} labels the visible text of every id
   */
  constructor({ model: { vocab, merges }, added_tokens: added, pre_tokenizer: split, ...rest }, labels) {
    this.labels = labels;
    this.idByToken = new Map(Object.entries(vocab));
    this.rankByPair = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
    this.specialIds = new Map(added.map(({ content, id }) => [content, id]));
    this.special = new RegExp(added.map(({ content }) => asPattern(content)).join("|"), "g");
    this.pieceOfText = new RegExp(asScript(split.pretokenizers[0].pattern.Regex), "gu");
    this.firstIds = Object.values(rest.post_processor.special_tokens)[0].ids; // begin every text
    this.bytesById = bytesByToken(vocab, this.specialIds);
  }

  /** The ids of a text, with the token that begins one. @param {string} text */
  encode(text) {
    refuseHalfCharacters(text);
    return [...this.firstIds, ...this.encodeBare(text)];
  }

  /** The ids of a text alone. @param {string} text */
  encodeBare(text) {
    /** @type {number[]} */
    const ids = [];
    let end = 0;
    for (const { 0: token, index } of text.matchAll(this.special)) {
      ids.push(...this.encodeOrdinary(text.slice(end, index)), idIn(this.specialIds, token));
      end = index + token.length;
    }
    return [...ids, ...this.encodeOrdinary(text.slice(end))];
  }

  /** @param {string} text */
  encodeOrdinary(text) {
    const pieces = text.match(this.pieceOfText) ?? [];
    return pieces.flatMap((piece) =>
      this.merge(standInsOf(piece)).map((token) => idIn(this.idByToken, token))
    );
  }

  /**
   * Joins neighbours for as long as there is a rule for two of them, the earliest rule first.
   * @param {string[]} tokens
   */
  merge(tokens) {
    for (;;) {
      let [best, bestRank] = ["", Infinity];
      for (let i = 1; i < tokens.length; i++) {
        const pair = `${tokens[i - 1]} ${tokens[i]}`;
        const rank = this.rankByPair.get(pair) ?? Infinity;
        if (rank < bestRank) [best, bestRank] = [pair, rank];
      }
      if (bestRank === Infinity) return tokens;
      tokens = joinPairs(tokens, best);
    }
  }

  /**
   * A text taken apart: each token with its bytes and the characters that it completes.
   * @param {number[]} ids
   */
  pieces(ids) {
    const joiner = new ByteJoiner();
    return ids.map((id) => {
      const special = !this.bytesById.has(id);
      const bytes = this.bytesById.get(id) ?? [];
      return { id, label: this.labels[id], bytes, joined: joiner.push(bytes, special), special };
    });
  }

  /**
   * The text of ids without special tokens; an unfinished last character is left out.
   * @param {number[]} ids
   */
  textOf(ids) {
    return this.pieces(ids).map(({ joined }) => joined).join("");
  }
}

/** @param {Map<string, number>} ids @param {string} token */
const idIn = (ids, token) => required(ids.get(token), `token “${token}”`);

/** What matches a text as it is. @param {string} text */
function asPattern(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/**
 * The library's pattern as this language writes it: here `\s` would be another set of characters.
 * @param {string} pattern
 */
function asScript(pattern) {
  return pattern.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}");
}

/** @param {string[]} tokens @param {string} pair */
function joinPairs(tokens, pair) {
  const joined = [];
  for (let i = 0; i < tokens.length; i++) {
    const isPair = i + 1 < tokens.length && `${tokens[i]} ${tokens[i + 1]}` === pair;
    joined.push(isPair ? tokens[i] + tokens[++i] : tokens[i]);
  }
  return joined;
}

/** A printable stand-in for every byte, as GPT-2's encoder.py has it. */
const STAND_INS = (() => {
  /** @param {number} byte */
  const isPrintable = (byte) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
})();

/** @param {string} text */
function standInsOf(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => STAND_INS[byte]);
}

/**
 * The bytes of every token that is text, by id.
 * @param {Record<string, number>} vocab
 * @param {Map<string, number>} specialIds
 */
function bytesByToken(vocab, specialIds) {
  const byteOf = new Map(STAND_INS.map((standIn, byte) => [standIn, byte]));
  /** @param {string} standIn */
  const byteFor = (standIn) => required(byteOf.get(standIn), "byte of that letter");
  const ordinary = Object.entries(vocab).filter(([token]) => !specialIds.has(token));
  return new Map(ordinary.map(([token, id]) => [id, Array.from(token, byteFor)]));
}

/** @param {string} text */
function refuseHalfCharacters(text) {
  if (text.isWellFormed()) return;
  const characters = Array.from(text);
  const place = characters.findIndex((character) => !character.isWellFormed());
  const code = characters[place].charCodeAt(0).toString(16).toUpperCase();
  throw new Sentence(
    "Character {position} of the text is half of one (the lone surrogate U+{code}): delete it or paste the text again.",
    { position: place + 1, code },
  );
}
