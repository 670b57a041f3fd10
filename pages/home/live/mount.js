// The entry: one Live per place in the page, built once and handed every later call of Streamlit.

import { inOrder } from "../../frame/live/stale_updates.js";
import { adoptStyles } from "../../frame/live/theme.js";
import { Live } from "./live.js";

const lives = new WeakMap();

/**
 * Mounts or updates the component; Streamlit calls it on every change of data or theme, on the same
 * place in the page. The clean-up acts only once that place has truly left the page: Streamlit also
 * calls it for a call that was overtaken by the next one.
 * @param {{data: Uint8Array, parentElement: ShadowRoot,
 *   setTriggerValue: (name: string, value: object) => void}} component
 */
export const mountLive = inOrder((component) => {
  const { parentElement } = component;
  if (!lives.has(parentElement)) {
    adoptStyles(parentElement);
    lives.set(parentElement, new Live(parentElement));
  }
  lives.get(parentElement).receive(component);
  return () => setTimeout(() => closeIfGone(parentElement));
});

function closeIfGone(parentElement) {
  if (parentElement.host.isConnected) return;
  lives.get(parentElement)?.close();
  lives.delete(parentElement);
}
