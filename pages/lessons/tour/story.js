// The text that the reader wrote in a lesson's first scene, as this tab keeps it: to take home.

import { readJson, tabStore } from "../../frame/live/storage.js";

const STORED_AS = "ott-story";

/** @param {string} name */
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} name
 * @param {Record<string, string>} properties
 */
const element = (name, properties) => Object.assign(document.createElement(name), properties);

export default (/** @type {Component<{ title: string, open: string }>} */ { data, parentElement }) => {
  const story = readJson(tabStore, STORED_AS);
  if (!story?.text || !story.link?.startsWith("./?")) return;
  const text = element("blockquote", { textContent: story.text });
  text.style.cssText = "margin:.4rem 0;font-size:var(--size-lead);line-height:1.5;white-space:pre-wrap";
  const link = element("a", { href: story.link, textContent: data.open });
  link.style.color = "var(--st-link-color)";
  parentElement.replaceChildren(element("h2", { textContent: data.title }), text, link);
};
