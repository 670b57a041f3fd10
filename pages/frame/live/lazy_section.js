// A section in English whose script and style are fetched once it is opened.

import { el, setText } from "./dom.js";
import { isGiven, lazyModule } from "./lazy_module.js";
import { _, languageTag } from "./words.js";

/**
 * Makes the section.
 * @param {string} title
 * @param {string} name of the module in `lazy/`, and of its style sheet
 * @param {(module: any) => Part} make makes what stands in it; `module.startWorker` starts the module's worker
 * @param {boolean} isOpen from the start
 */
export function createLazySection(title, name, make, isOpen = false) {
  const notice = el("p", { class: "muted" });
  const element = el("details", { class: "section" }, el("summary", {}, title), notice);
  element.dataset.lazy = name;
  let [view, isAsked] = [null, false];
  /** @type {Part<any[]>|null} */
  let part = null;
  let [isSettled, told] = [!isOpen, () => {}];

  async function open() {
    if (!element.open || isAsked) return;
    isAsked = true;
    try {
      part = make(await lazyModule(name, () => fetchModule(name, element)));
      if (languageTag() === "en") notice.remove();
      else setText(notice, _("This part is in English."));
      element.append(Object.assign(part.element, { lang: "en", dir: "ltr" }));
      if (view !== null) part.update(view);
    } catch {
      setText(notice, _("This part did not come. Close the section and open it again."));
      isAsked = false;
    }
    isSettled = true;
    told();
  }
  element.addEventListener("toggle", open);
  element.open = isOpen;
  return {
    element,
    /**
     * Whether what is open from the start is here, or will not come; then `then` is called.
     * @param {() => void} then
     */
    isSettled(then) {
      told = then;
      return isSettled;
    },
    /** @param {any} next */
    update(next) {
      // a saved page can fetch nothing
      const canCome = isGiven(name) || import.meta.url.startsWith("http");
      element.hidden = !canCome || next.distribution === null || next.hidden;
      if (element.hidden) return;
      view = next;
      if (element.open) part?.update(view);
    },
  };
}

/**
 * Fetches a module with its style, which joins those of the place that it is shown in.
 * @param {string} name
 * @param {HTMLElement} element
 */
async function fetchModule(name, element) {
  const at = (/** @type {string} */ file) => new URL(`./lazy/${file}`, import.meta.url).href;
  const [made, answer] = await Promise.all([import(at(`${name}.js`)), fetch(at(`${name}.css`))]);
  if (!answer.ok) throw new Error(answer.statusText);
  const sheet = await new CSSStyleSheet().replace(await answer.text());
  const root = /** @type {ShadowRoot} */ (element.getRootNode());
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return { ...made, startWorker: () => new Worker(at(`${name}_worker.js`), { type: "module" }) };
}
