// What screen readers say by themselves. VoiceOver hears no live region inside of a shadow root, so that the
// words of a component are said beside its host, in the document. A region is there before its words, and has
// no role but an alert's: Orca reads an empty status as "status bar".

import { el, find, setText } from "./dom.js";

const UNSEEN =
  "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:pre-wrap";
/** @type {Map<Element, HTMLElement>} */
const regions = new Map(); // by the node whose words they say

/**
 * Has a node's words said whenever they change: politely and whole, or at once as an `alert`.
 * @template {Element} Node
 * @param {Node} node in a shadow root, at the latest when its words change
 * @param {Record<string, string>} props of the live region
 * @returns {Node} the node
 */
export function announced(node, props = { "aria-live": "polite", "aria-atomic": "true" }) {
  new MutationObserver(() => say(node, props)).observe(node, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  requestAnimationFrame(() => say(node, props)); // the region is there before its words change
  return node;
}

/** @param {Element} node @param {Record<string, string>} props */
function say(node, props) {
  const words = node.textContent ?? "";
  const region = regions.get(node) ?? createRegion(node, props);
  if (region === null) return;
  setText(find(region, "span"), words);
  region.hidden = words === "" && props.role === "alert"; // an empty alert is none
}

/**
 * Makes a live region beside the outermost host, and removes those of nodes that were replaced.
 * @param {Element} node
 * @param {Record<string, string>} props
 */
function createRegion(node, props) {
  const host = outermostHost(node);
  if (host === null) return null;
  for (const [other, region] of regions) {
    if (other.isConnected) continue;
    region.remove();
    regions.delete(other);
  }
  const region = el("div", { class: "spoken", ...props }, el("span"));
  region.style.cssText = UNSEEN;
  host.after(region);
  regions.set(node, region);
  return region;
}

/** @param {Element} node */
function outermostHost(node) {
  /** @type {Element|null} */
  let host = null;
  for (let root = node.getRootNode(); root instanceof ShadowRoot; root = host.getRootNode()) host = root.host;
  return host;
}
