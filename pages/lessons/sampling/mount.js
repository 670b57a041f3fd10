// The entry: one Lab per place in the page, built once and handed every later call of Streamlit.

import { inOrder } from "../../home/live/stale_updates.js";
import { Lab } from "./lab.js";

const labs = new WeakMap();
let labSheet = null;

/**
 * Mounts or updates the lab on its place in the page.
 * @param {{data: Uint8Array, parentElement: ShadowRoot,
 *   setTriggerValue: (name: string, value: object) => void}} component
 */
export const mountLab = inOrder((component) => {
  const { parentElement } = component;
  if (!labs.has(parentElement)) {
    parentElement.adoptedStyleSheets = [styleOfLabs()];
    labs.set(parentElement, new Lab(parentElement));
  }
  labs.get(parentElement).receive(component);
});

function styleOfLabs() {
  if (labSheet === null) {
    labSheet = new CSSStyleSheet();
    labSheet.replaceSync(LIVE_CSS);
  }
  return labSheet;
}
