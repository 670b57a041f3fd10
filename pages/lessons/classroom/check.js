// Checks whether a device can take part in a class, and tells the server what failed; asks how many others came.
// Each check returns what it measured, in words, and the remedy where that is not enough (else null).

import { el, find, setShown, setText } from "../../frame/live/dom.js";
import { formatSeconds } from "../../frame/live/format.js";
import { localStore, tabStore } from "../../frame/live/storage.js";
import { _, languageTag, listed, ngettext, numeral, translateMarkup } from "../../frame/live/words.js";

const BASE = location.pathname.replace(/\/check\/?$/, "");
const POLL_MS = 3000;
const MAX_WAIT_MS = 6000; // for an answer, or for a connection
const N_TRIPS = 8;
const MAX_TRIP_MS = 300;
const MAX_CLOCK_SECONDS = 120; // beyond it encrypted connections begin to be refused
const KEY = "one-token-check";

/** @param {string} path @param {Record<string, unknown>} [body] */
async function ask(path, body) {
  const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  const headers = { "Accept-Language": languageTag() };
  const answer = await fetch(`${BASE}/check/${path}`, { headers, signal, cache: "no-store", ...more });
  const told = await answer.json();
  if (told.error) throw new Error(told.error);
  return told;
}

/** @returns {Promise<CheckState>} */
const askState = () => ask(`state?at=${encodeURIComponent(location.href.split(/[?#]/)[0])}`);

/** @returns {Checked} */
function checkStorage() {
  const stored = [localStore, tabStore].map((store) => {
    const isStored = store.write(`${KEY}-try`, "1");
    store.write(`${KEY}-try`, null);
    return isStored;
  });
  if (!stored.includes(false)) return [_("A reload keeps its place."), null];
  return [
    _("The browser stores nothing."),
    _("Allow this site to store data, or leave the private window."),
  ];
}

/** @returns {Checked} */
function checkBrowser() {
  const isNew = CSS.supports("color", "color-mix(in srgb, red, red)") &&
    "adoptedStyleSheets" in Document.prototype && "structuredClone" in globalThis;
  if (isNew) return [_("New enough."), null];
  return [_("Too old."), _("Update it: Chrome or Edge 111, Firefox 119, Safari 16.4 or later.")];
}

/** @returns {Promise<Checked>} */
async function checkSpeed() {
  const times = [];
  for (let n = 0; n < N_TRIPS; n++) {
    const begun = performance.now();
    await askState();
    times.push(performance.now() - begun);
  }
  const median = times.sort((a, b) => a - b)[N_TRIPS / 2];
  const words = median === 0 // on a coarse clock
    ? `${formatSeconds(0)}.`
    : _("{n} ms there and back.", { n: Math.round(median) });
  return [
    words,
    median <= MAX_TRIP_MS ? null : _("Move nearer to the access point, or use fewer devices on it."),
  ];
}

/** @returns {Promise<Checked>} */
async function checkClock() {
  const begun = Date.now();
  const { now } = await askState();
  const off = (begun + Date.now()) / 2000 - now;
  const seconds = numeral(Math.abs(off).toFixed(1));
  const words = off > 0
    ? _("{seconds} s ahead of the server’s.", { seconds })
    : _("{seconds} s behind the server’s.", { seconds });
  return [
    words,
    Math.abs(off) <= MAX_CLOCK_SECONDS ? null : _("Let the device, or the server, set its time by itself."),
  ];
}

/**
 * Opens the connection by which the app's pages are drawn; rooms need none.
 * @returns {Promise<Checked>}
 */
async function checkConnection() {
  const url = new URL(`${BASE}/_stcore/stream`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url, ["streamlit"]);
  const isOpen = await new Promise((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
    setTimeout(() => resolve(false), MAX_WAIT_MS);
  });
  socket.close();
  if (isOpen) return [_("Pages stay connected."), null];
  return [
    _("Blocked."),
    _("Have the proxy or the filter pass websockets on; a room’s phone page works without."),
  ];
}

/** @type {Record<string, [string, () => Checked|Promise<Checked>]>} */
const CHECKS = {
  browser: [_("Browser"), checkBrowser],
  storage: [_("Storage"), checkStorage],
  clock: [_("Clock"), checkClock],
  speed: [_("Network"), checkSpeed],
  connection: [_("Live connection"), checkConnection],
};

/** A name for this tab, so that a reload is not counted as another device. */
function deviceId() {
  const fresh = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16).padStart(2, "0"))
    .join("");
  const known = tabStore.read(KEY) ?? fresh;
  tabStore.write(KEY, known);
  return known;
}

async function checkAll() {
  const faults = [];
  for (const [name, [title, check]] of Object.entries(CHECKS)) {
    const [words, remedy] = await Promise.resolve().then(check).catch(
      () => [_("No answer."), _("Load the page again.")],
    );
    if (remedy !== null) faults.push(name);
    const row = el("li", { class: remedy === null ? "good" : "fault", "data-check": name });
    row.append(
      el("strong", {}, `${remedy === null ? "✓" : "✗"} ${title}. `),
      words,
      remedy === null ? "" : ` ${remedy}`,
    );
    find(document, "#checks").append(row);
  }
  setText(
    find(document, "#verdict"),
    faults.length ? _("Not quite yet: see what is marked with ✗.") : _("Yes: everything works."),
  );
  return faults;
}

async function poll() {
  try {
    const { address, remedy, picture, n_devices, faults } = await askState();
    setText(
      find(document, "#reach"),
      remedy?.replaceAll("`", "") ?? _("Every phone of the class opens {address}", { address }),
    );
    if (picture) /** @type {HTMLImageElement} */ (find(document, "#picture")).src = picture;
    setShown(find(document, "#picture"), picture !== null);
    const said = Object.entries(faults).map(([name, n]) => `${CHECKS[name][0]}: ${n}`);
    const came = ngettext(
      "{n} device opened this page in the last 10 minutes.",
      "{n} devices opened this page in the last 10 minutes.",
      n_devices,
    );
    const failed = said.length === 0 ? "" : _("With faults: {list}.", { list: listed(said) });
    setText(find(document, "#devices"), `${came} ${failed}`);
    setText(find(document, "#error"), "");
  } catch (error) {
    const isTold = error instanceof Error && error.name === "Error";
    setText(find(document, "#error"), isTold ? error.message : _("The connection is lost. Trying again…"));
  }
  setTimeout(poll, POLL_MS);
}

translateMarkup(document);
const device = deviceId();
const faults = await checkAll();
await ask("report", { device, faults }).catch(() => {}); // the poll says that the connection is lost
poll();
