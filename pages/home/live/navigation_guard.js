// A reader who leaves. Streamlit takes a press of a link and an event of this page that goes out
// right behind it for one, and shows neither page. So nothing is sent after such a press, and a press
// that comes right after an event waits until that is out: Streamlit writes it some 20 ms later.

/** Milliseconds after which the page has been left, or it was another kind of link. */
export const LEAVING_MS = 2000;

/** Milliseconds in which an event that was handed over is out. */
export const ON_ITS_WAY_MS = 100;

/**
 * Tells of every press of a link and of the browser's own back, until the signal aborts.
 * @param {() => number} leaving is called before Streamlit hears of the press; returns for how many
 *   milliseconds that must wait, 0 or less if not at all
 * @param {AbortSignal} signal
 */
export function listenForLeaving(leaving, signal) {
  const options = { capture: true, signal };
  document.addEventListener("click", (event) => takePress(event, leaving), options);
  window.addEventListener("popstate", leaving, options);
}

function takePress(event, leaving) {
  const link = event.composedPath().find(isLink);
  if (link === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const wait = leaving();
  if (wait <= 0) return;
  event.preventDefault();
  event.stopPropagation();
  setTimeout(() => link.click(), wait);
}

function isLink(node) {
  return node instanceof Element && node.matches("a[href]");
}
