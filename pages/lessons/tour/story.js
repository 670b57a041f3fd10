// The text that the reader wrote in a lesson's first scene, as this tab keeps it: to take home.

import { el } from "../../frame/live/dom.js";
import { readJson, tabStore } from "../../frame/live/storage.js";
import { _ } from "../../frame/live/words.js";

const STORED_AS = "ott-story";

export default (/** @type {Component<null>} */ { parentElement }) => {
  const story = readJson(tabStore, STORED_AS);
  if (!story?.text || !story.link?.startsWith("./?")) return;
  const text = el("blockquote", { dir: "auto", translate: false }, story.text);
  text.style.cssText = "margin:.4rem 0;font-size:var(--size-lead);line-height:1.5;white-space:pre-wrap";
  const link = el("a", { href: story.link }, _("Open it, and go on"));
  link.style.color = "var(--st-link-color)";
  parentElement.replaceChildren(el("h2", {}, _("Your story")), text, link);
};
