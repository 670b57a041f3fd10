// A text as the model reads it: its pieces with their bytes and ids, live as it is typed.

import { el, setShown, setText, visibleParts } from "../../../frame/live/dom.js";
import { formatCount, formatTokens } from "../../../frame/live/format.js";

const MAX_SHOWN = 400;

/** The pieces of the text in the prompt box. @type {MakePart} */
export function createPieces() {
  const summary = el("p", { class: "pieces-summary muted" });
  const list = el("ol", { class: "row pieces-list" });
  const rest = el("p", { class: "muted", hidden: true });
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
      setText(rest, `and ${formatCount(nHidden)} more`);
    },
  };
}

function describe(text, n) {
  const nWords = text.trim() === "" ? 0 : text.trim().split(/\s+/).length;
  const nCharacters = [...text].length;
  const perWord = nWords > 0 ? `, ${(n / nWords).toFixed(2)} tokens per word` : "";
  const counts = [[nCharacters, "character"], [nWords, "word"], [n, "token"]];
  return counts.map(([count, noun]) => formatTokens(count, noun)).join(", ") + perWord;
}

function pieceItem(piece) {
  const label = el("span", { class: "piece-label" }, ...visibleParts(piece.label));
  // the character that this piece completes, where it is made of several pieces
  const isLast = piece.joined && piece.label.includes("<0x");
  const joined = isLast ? el("span", { class: "piece-joined" }, `completes ${piece.joined}`) : null;
  return el(
    "li",
    { class: piece.special ? "piece is-special" : "piece", translate: false },
    label,
    el("span", { class: "piece-bytes", textContent: piece.bytes || "no bytes" }),
    el("span", { class: "piece-id", textContent: `id ${piece.id}` }),
    joined,
  );
}
