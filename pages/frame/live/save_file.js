// Hands a file that the page made to the browser.

import { el } from "./dom.js";

const KEPT_MS = 10_000; // a browser reads it after the press

/** @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/**
 * Sends a file by what the device has for it, such as a phone; elsewhere it is saved.
 * @param {Blob} blob
 * @param {string} name
 */
export async function sendFile(blob, name) {
  const files = [new File([blob], name, { type: blob.type })];
  if (!canSend(files)) return saveFile(blob, name);
  await navigator.share({ files }).catch(() => {}); // the reader thought better of it
}

/** Whether this device sends such files. @param {File[]} [files] */
export function canSend(files = [new File([""], "a.png", { type: "image/png" })]) {
  return navigator.canShare?.({ files }) === true;
}
