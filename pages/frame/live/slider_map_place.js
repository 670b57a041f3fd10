// Where the map of the sliders stands: a section that fetches the map once it is opened.

import { el, setText } from "./dom.js";

let given = null; // {createSliderMap, startWorker}: in a file that holds the map itself

/** Hands in the map where nothing can be fetched. */
export function giveSliderMap(made) {
  given = made;
}

/**
 * Makes the section.
 * @param {(changes: object, isFinal: boolean) => void} move sets sliders
 * @param {boolean} isOpen from the start
 */
export function createMapPlace(move, isOpen = false) {
  const notice = el("p", { class: "muted" });
  const title = el("summary", {}, "The sliders as a map: which token this pointer takes where");
  const element = el("details", { class: "section map-place" }, title, notice);
  let [view, map, isAsked] = [null, null, false];

  async function open() {
    if (!element.open || isAsked) return;
    isAsked = true;
    try {
      const { createSliderMap, startWorker } = given ?? await fetchMap(element);
      map = createSliderMap({ worker: startWorker, move });
      notice.remove();
      element.append(map.element);
      if (view !== null) map.update(view);
    } catch {
      setText(notice, "The map did not come. Close this section and open it again.");
      isAsked = false;
    }
  }
  element.addEventListener("toggle", open);
  element.open = isOpen;
  return {
    element,
    /** @param {View} next */
    update(next) {
      const canCome = given !== null || import.meta.url.startsWith("http"); // a saved page has none
      element.hidden = !canCome || next.distribution === null || next.hidden;
      if (element.hidden) return;
      view = next;
      if (element.open) map?.update(view);
    },
  };
}

/** Fetches the map with its style, which joins those of the place that it is shown in. */
async function fetchMap(element) {
  const at = (name) => new URL(`./lazy/${name}`, import.meta.url);
  const [made, answer] = await Promise.all([import(at("slider_map.js").href), fetch(at("slider_map.css"))]);
  const sheet = await new CSSStyleSheet().replace(await answer.text());
  const root = element.getRootNode();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return { ...made, startWorker: () => new Worker(at("slider_map_worker.js"), { type: "module" }) };
}
