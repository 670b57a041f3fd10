// The entry: one Lab per place in the page, built once and handed every later call of Streamlit.

import { inOrder } from "../../frame/live/stale_updates.js";
import { adoptStyles } from "../../frame/live/theme.js";
import { Lab } from "./lab.js";

const labs = new WeakMap();

/**
 * Mounts or updates the lab on its place in the page.
 * @param {{data: Uint8Array, parentElement: ShadowRoot,
 *   setTriggerValue: (name: string, value: object) => void}} component
 */
export const mountLab = inOrder((component) => {
  const { parentElement } = component;
  if (!labs.has(parentElement)) {
    adoptStyles(parentElement);
    labs.set(parentElement, new Lab(parentElement));
  }
  labs.get(parentElement).receive(component);
});
