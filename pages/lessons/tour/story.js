// The end of a lesson: the text that the reader wrote in its first scene, each token on its line, and below it the
// bar that the press fell on. What was seen can be printed.

import { el } from "../../frame/live/dom.js";
import { _ } from "../../frame/live/words.js";
import { readStory } from "./kept_story.js";
import { hasRecord, printRecord } from "./record.js";

const PRINT = ".tour-print";

export default (/** @type {Component<import("./record.js").RecordPage>} */ { data, parentElement }) => {
  const story = readStory();
  if (story !== null) parentElement.replaceChildren(drawStory(story));
  const root = document.documentElement;
  root.toggleAttribute("data-has-record", hasRecord());
  root.setAttribute("data-story-read", ""); // what stands below has its place now
  const print = (/** @type {Event} */ { target }) => {
    if (target instanceof Element && target.closest(PRINT)) printRecord(data, parentElement);
  };
  addEventListener("click", print);
  return () => {
    removeEventListener("click", print);
    root.removeAttribute("data-story-read");
  };
};

/** @param {NonNullable<ReturnType<typeof readStory>>} story */
function drawStory({ tokens, link }) {
  const text = el("p", { class: "story", dir: "auto", translate: false }, ...tokens.map(drawToken));
  const isPressed = tokens.some(({ press }) => press);
  const words = isPressed ? _("Your story, and where each press fell on its bar") : _("Your story");
  const title = el("h2", {}, words);
  return el("article", {}, el("header", {}, title, el("a", { href: link }, _("Open it, and go on"))), text);
}

/** @param {import("./kept_story.js").KeptToken} token */
function drawToken({ text, isWritten, press }) {
  const word = el("span", { class: "word" }, text.trim() || text);
  const token = el("span", { class: isWritten ? "token is-written" : "token" }, word);
  if (!press || !Array.isArray(press.parts)) return token;
  const pieces = press.parts.map(({ from, width, isHit }) => {
    const piece = el("i", { class: isHit ? "is-hit" : "" });
    Object.assign(piece.style, { left: `${Number(from)}%`, width: `${Number(width)}%` });
    return piece;
  });
  const finger = el("b");
  finger.style.left = `${Number(press.at)}%`;
  token.classList.add("is-pressed");
  token.append(el("span", { class: "bar", "aria-hidden": "true" }, ...pieces, finger));
  token.append(el("small", {}, String(press.share)));
  return token;
}
