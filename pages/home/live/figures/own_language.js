// What is said of a prompt in another language than the model's. A tokenizer joins what is frequent where it was
// made, and leaves all else in small pieces: the measure is bytes a token.

import { el, setShown, setText } from "../../../frame/live/dom.js";
import { formatBytes, formatNumber, formatParameters, formatTokens } from "../../../frame/live/format.js";
import { _, ngettext } from "../../../frame/live/words.js";
import { pieceItem } from "./pieces.js";

const STRANGE = 0.6; // of the bytes a token that its own texts have
const MIN_BYTES = 16; // of a prompt: of a word or two it cannot be told
const MAX_PIECES = 24; // that are shown of a word

/** The sentence, folded together with why. @returns {Part} */
export function createOwnLanguage() {
  const summary = el("summary");
  const measure = el("p");
  const word = el("p", {});
  const list = el("ol", { class: "row pieces-list" });
  const why = el(
    "p",
    {},
    _("A tokenizer begins with bytes and joins the pairs that come often in the texts that it is made from, here English ones. What is rare in them stays in small pieces, and a letter that they lack stays as its bytes."),
  );
  const other = el("p");
  const element = el(
    "details",
    { class: "own-language", hidden: true },
    summary,
    measure,
    word,
    list,
    why,
    other,
  );
  /** @type {Piece[]|null} */
  let shown = null;
  return {
    element,
    /** @param {View} view */
    update({ header }) {
      const { pieces, trained_on: usual } = header;
      if (pieces === shown) return;
      shown = pieces;
      const text = bytesOf(pieces);
      const isStrange = usual !== null && text.nBytes >= MIN_BYTES &&
        text.nBytes < STRANGE * usual.bytes_per_token * text.pieces.length;
      setShown(element, isStrange);
      if (!isStrange) return;
      const model = header.model.name;
      setText(
        summary,
        _(
          "{model} was trained on English stories and has hardly read anything like this: it writes nonsense after it.",
          { model },
        ),
      );
      setText(
        measure,
        _("Measured: a token has {here} bytes of this prompt on average, and {there} of English stories.", {
          here: formatNumber(text.nBytes / text.pieces.length, 1),
          there: formatNumber(usual.bytes_per_token, 1),
        }),
      );
      paintWord(hardestOf(text.pieces), word, list);
      paintOther(usual.other, header.pieces_of, other);
    },
  };
}

/** The pieces that are text, and how many bytes they have together. @param {Piece[]} pieces */
function bytesOf(pieces) {
  const own = pieces.filter(({ bytes, special }) => bytes !== "" && !special);
  return { pieces: own, nBytes: own.reduce((sum, { bytes }) => sum + countOf(bytes), 0) };
}

const countOf = (/** @type {string} */ bytes) => bytes.split(" ").length; // in hexadecimal

/** The pieces of the word that takes most of them. @param {Piece[]} pieces */
function hardestOf(pieces) {
  /** @type {Piece[]} */
  let word = [];
  let most = word;
  for (const piece of pieces) {
    word = /^(20|0a|09)/.test(piece.bytes) ? [piece] : [...word, piece];
    if (word.length > most.length) most = word;
  }
  return most;
}

/** @param {Piece[]} pieces @param {HTMLElement} word @param {HTMLElement} list */
function paintWord(pieces, word, list) {
  const data = pieces.flatMap(({ bytes }) => bytes.split(" ").map((byte) => parseInt(byte, 16)));
  const text = new TextDecoder().decode(new Uint8Array(data)).trim();
  const said = {
    word: text,
    characters: ngettext("{n} character", "{n} characters", [...text].length),
    bytes: ngettext("{n} byte", "{n} bytes", new TextEncoder().encode(text).length),
    tokens: formatTokens(pieces.length),
  };
  setText(word, _("“{word}” is {characters} and {bytes}, and takes {tokens}.", said));
  list.replaceChildren(...pieces.slice(0, MAX_PIECES).map(pieceItem));
}

/**
 * The way to a model of the hub that has read many languages; null where readers may not open one.
 * @param {NonNullable<Header["trained_on"]>["other"]} model
 * @param {string} prompt
 * @param {HTMLElement} place
 */
function paintOther(model, prompt, place) {
  setShown(place, model !== null);
  if (model === null) return;
  const { name, n_parameters: nParameters, bytes, licence, address } = model;
  const said = [name, formatParameters(nParameters), formatBytes(bytes), licence].join(" · ");
  const words = el("span", {}, _("A model that has read over a hundred languages:"), " ");
  const href = address && `${address}?${new URLSearchParams({ model: name, prompt })}`;
  place.replaceChildren(words, el(href ? "a" : "b", { translate: false, ...(href ? { href } : {}) }, said));
}
