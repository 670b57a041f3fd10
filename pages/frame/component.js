/**
 * Mounts a component once its script, its style sheets and the page's words are here: pages/frame/component.py.
 *
 * Streamlit imports a copy of this text, which cannot import others by their names: addresses are put in.
 */

const at = (/** @type {string} */ address) => new URL(address, document.baseURI).href;

async function sheetAt(/** @type {string} */ address) {
  const answer = await fetch(at(address));
  if (!answer.ok) throw new Error(address);
  return new CSSStyleSheet().replace(await answer.text());
}

function say(/** @type {Component} */ { parentElement }) {
  const said = document.createElement("p");
  said.role = "alert";
  said.textContent = "A part of this page did not come. Load the page again.";
  parentElement.replaceChildren(said);
}

/** `data-drawn` says that a place is drawn, see in_order.js; what draws itself later says that it is busy. */
function settle(/** @type {ShadowRoot} */ place) {
  if (place.querySelector("[aria-busy=true]")) requestAnimationFrame(() => settle(place));
  else place.host.setAttribute("data-drawn", "");
}

/** The script that draws; the words of another language come before a script that speaks. */
async function scriptAt(/** @type {string} */ entry, /** @type {string} */ ofWords) {
  const { words } = document.documentElement.dataset;
  if (words) await (await import(at(ofWords))).fetchWords(at(words));
  return import(at(entry));
}

/**
 * Returns what Streamlit calls. Calls before the files are here are made when they are, in the same order.
 *
 * @param {string} entry
 * @param {string} ofWords
 * @param {string[]} sheets
 */
export function mounting(entry, ofWords, sheets) {
  /** @type {((component: Component) => (() => void) | void) | undefined} */
  let mount;
  const ready = Promise.all([scriptAt(entry, ofWords), ...sheets.map(sheetAt)]).then(
    ([{ default: draw }, ...own]) => {
      mount = (component) => {
        const place = component.parentElement;
        const adopted = [...place.adoptedStyleSheets ?? []]; // a guide's may be there first
        if (own.some((sheet) => !adopted.includes(sheet))) place.adoptedStyleSheets = [...own, ...adopted];
        return draw(component);
      };
    },
    () => mount = say,
  );
  const drawn = (/** @type {Component} */ component) => {
    const close = mount?.(component);
    settle(component.parentElement);
    return close;
  };
  return (/** @type {Component} */ component) =>
    mount ? drawn(component) : ready.then(() => drawn(component));
}
