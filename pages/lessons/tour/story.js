// The text that the reader wrote in a lesson's first scene, as this tab keeps it: to take home.

import { el } from "../../frame/live/dom.js";
import { readJson, tabStore } from "../../frame/live/storage.js";
import { _ } from "../../frame/live/words.js";

const STORED_AS = "ott-story";

export default (/** @type {Component<null>} */ { parentElement }) => {
  const story = readJson(tabStore, STORED_AS);
  if (!story?.text || !story.link?.startsWith("./?")) return;
  const text = el("blockquote", { dir: "auto", translate: false }, story.text);
  text.style.cssText = "margin:0;font:400 var(--size-text) / 1.3 var(--read);white-space:pre-wrap";
  const link = el("a", { href: story.link }, _("Open it, and go on"));
  link.style.color = "var(--st-link-color)";
  const title = el("h2", {}, _("Your story"));
  title.style.cssText = "margin:0 0 .4rem;font-size:var(--size-body)";
  const card = el("article", {}, title, text, link);
  card.style.cssText = "padding:1.2rem 1.6rem;border:1px solid #8886;border-radius:.8rem";
  parentElement.replaceChildren(card);
};
