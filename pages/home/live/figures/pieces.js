// A text as the model reads it: its pieces with their bytes and ids, live as it is typed.

import { el, setShown, setText, visibleParts } from "../../../frame/live/dom.js";
import { formatCount, formatNumber, formatTokens } from "../../../frame/live/format.js";
import { _, listed, ngettext } from "../../../frame/live/words.js";

const MAX_SHOWN = 400;
/** Scripts without a space between words, of which there is then no count. */
const SPACELESS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** The pieces of the text in the prompt box. @returns {Part} */
export function createPieces() {
  const summary = el("p", { class: "pieces-summary muted" });
  const list = el("ol", { class: "row pieces-list", tabIndex: 0 });
  const rest = el("p", { class: "muted", hidden: true });
  /** @type {Piece[]|null} */
  let shown = null;
  return {
    element: el("div", { class: "pieces" }, summary, list, rest),
    update({ header }) {
      const { pieces } = header;
      if (!pieces || pieces === shown) return;
      shown = pieces;
      const n = pieces.length;
      setText(summary, describe(header.pieces_of, n));
      list.replaceChildren(...pieces.slice(0, MAX_SHOWN).map(pieceItem));
      const nHidden = n - Math.min(pieces.length, MAX_SHOWN);
      setShown(rest, nHidden > 0);
      setText(rest, _("and {number} more", { number: formatCount(nHidden) }));
    },
  };
}

/** @param {string} text @param {number} n */
function describe(text, n) {
  const nWords = text.trim() === "" ? 0 : text.trim().split(/\s+/).length;
  const counts = [ngettext("{n} character", "{n} characters", [...text].length)];
  if (SPACELESS.test(text)) return listed([...counts, formatTokens(n)]);
  counts.push(ngettext("{n} word", "{n} words", nWords), formatTokens(n));
  if (nWords > 0) counts.push(_("{number} tokens per word", { number: formatNumber(n / nWords) }));
  return listed(counts);
}

/** A piece with its bytes, its id, and the character that it completes. @param {Piece} piece */
export function pieceItem(piece) {
  const label = el("span", { class: "piece-label" }, ...visibleParts(piece.label));
  // the character that this piece completes, where it is made of several pieces
  const isLast = piece.joined && piece.label.includes("<0x");
  const joined = isLast
    ? el("span", { class: "piece-joined" }, _("completes {character}", { character: piece.joined }))
    : null;
  return el(
    "li",
    { class: piece.special ? "piece is-special" : "piece", translate: false },
    label,
    el("span", { class: "piece-bytes", textContent: piece.bytes || _("no bytes") }),
    el("span", { class: "piece-id", textContent: `id ${piece.id}` }),
    joined,
  );
}
