// What a reader prefers, kept by the browser: whether a step is held, whether all strategies stand side by
// side, whether the first question was asked. An address may say it too, and then it wins.

const PREFIX = "ott-";

/** What the address says of a preference; null where it says nothing. */
const addressed = (name) => new URLSearchParams(location.search).get(name);

/**
 * Reads a preference.
 * @param {string} name
 * @param {boolean} otherwise what holds where nobody has said anything
 */
export function prefers(name, otherwise) {
  const said = addressed(name) ?? stored(name);
  return said === null ? otherwise : said === "1";
}

/** Keeps a preference; the address no longer says another one. @param {string} name @param {boolean} isOn */
export function keepPreference(name, isOn) {
  try {
    localStorage.setItem(PREFIX + name, isOn ? "1" : "0");
  } catch {
    // a browser that keeps nothing forgets it with the page
  }
  if (addressed(name) === null) return;
  const query = new URLSearchParams(location.search);
  query.set(name, isOn ? "1" : "0");
  history.replaceState(history.state, "", `${location.pathname}?${query}`);
}

/** Whether nobody has opened the page in this browser before, and no link says what to show. */
export function isFirstVisit() {
  const isFirst = location.search === "" && !prefers("seen", false);
  if (isFirst) keepPreference("seen", true);
  return isFirst && stored("seen") === "1"; // who keeps nothing would be asked at each visit
}

function stored(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}
