// The sliders and switches as Python knows them, and the settings that follow from them.

import { NEUTRAL_SETTINGS } from "../../frame/live/masks.js";

const SWITCHED = ["temperature", "top_k", "top_p", "min_p"]; // masks with a "use" box of their own

/**
 * Reads the settings that are active: greedy is temperature 0, a mask that is not in use is neutral,
 * penalties and the rarer masks are active whenever they are not neutral.
 * @param {Controls} controls
 * @param {Record<string, string[]>} orders
 */
export function activeSettings(controls, orders) {
  const settings = /** @type {Settings} */ ({ order: orders[controls.order] });
  for (const [name, neutral] of Object.entries(NEUTRAL_SETTINGS)) {
    const isActive = !SWITCHED.includes(name) || controls.use.includes(name);
    settings[name] = isActive ? controls[name] : neutral;
  }
  if (controls.greedy) settings.temperature = 0;
  return settings;
}

/** Whether two sets of controls say the same. */
export function sameControls(first, second) {
  return serialized(first) === serialized(second);
}

function serialized(controls) {
  const entries = Object.entries({ ...controls, use: [...controls.use].sort() });
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
