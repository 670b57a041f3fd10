// The end of a lesson: the text that the reader wrote in its first scene, and below it each press on its bar, as that
// scene shows it. The picture can be sent, and what was seen can be printed.

import { createButton, el, setText } from "../../frame/live/dom.js";
import { canSend, sendFile } from "../../frame/live/save_file.js";
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
  const pressed = tokens.filter(({ press }) => Array.isArray(press?.parts));
  const title = pressed.length > 0 ? _("Your story, and where each press fell on its bar") : _("Your story");
  const text = el("p", { class: "story", dir: "auto", translate: false }, ...tokens.map(drawToken));
  const bars = el("ol", { class: "presses", translate: false }, ...pressed.map(drawPress));
  const send = createSender(tokens, title);
  const ways = el("div", { class: "ways" }, send, el("a", { href: link }, _("Open it, and go on")));
  return el("article", {}, el("header", {}, el("h2", {}, title), ways), text, bars);
}

/** The button that sends the picture. @param {import("./kept_story.js").KeptToken[]} tokens @param {string} title */
function createSender(tokens, title) {
  const says = canSend() ? _("Send picture") : _("Save picture");
  const node = createButton("send", says, async () => {
    node.disabled = true;
    try {
      const { default: storyPicture } = await import("./story_picture.js");
      await sendFile(await storyPicture(tokens, title, node), "my-story.png");
      setText(node, says);
    } catch {
      setText(node, _("Try again"));
    } finally {
      node.disabled = false;
    }
  });
  return node;
}

/** @param {import("./kept_story.js").KeptToken} token */
function drawToken({ text, isWritten }) {
  return el("span", { class: isWritten ? "token is-written" : "token" }, text);
}

/** @param {import("./kept_story.js").KeptToken} token */
function drawPress({ text, press }) {
  const { parts, at, share } = /** @type {import("./kept_story.js").KeptPress} */ (press);
  const pieces = parts.map(({ from, width, isHit }) => {
    const piece = el("i", { class: isHit ? "is-hit" : "" });
    Object.assign(piece.style, { left: `${Number(from)}%`, width: `${Number(width)}%` });
    return piece;
  });
  const finger = el("b");
  finger.style.left = `${Number(at)}%`;
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, ...pieces, finger);
  return el(
    "li",
    { class: "is-pressed" },
    el("span", { class: "word" }, text.trim() || text),
    bar,
    el("span", { class: "share" }, String(share)),
  );
}
