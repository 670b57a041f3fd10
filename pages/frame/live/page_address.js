// The address of the page: replaced if the browser allows it, and left out of links if it opens nothing.

const OPENS_NOTHING = ["about:", "blob:", "data:"]; // srcdoc, and what lives in one browser

/**
 * Replaces the address and loads nothing; returns false where there is none to replace, as in `srcdoc`.
 * @param {string} address
 */
export function replaceAddress(address) {
  if (!hasAddress()) return false;
  try {
    history.replaceState(history.state, "", address);
    return true;
  } catch {
    return false; // a sandboxed frame, or more calls than a browser allows
  }
}

/** Whether a link can open this page again. */
export function hasAddress() {
  return !OPENS_NOTHING.includes(location.protocol);
}

/** The address without its query; empty if a link cannot open this page. */
export function pageAddress() {
  return hasAddress() ? location.href.replace(/[?#].*$/, "") : "";
}
