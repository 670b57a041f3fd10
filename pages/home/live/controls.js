// The sliders and switches as Python knows them, and the settings that follow from them.

import { SETTINGS } from "../../frame/live/settings.js";

const ROWS = /** @type {[SettingName, (typeof SETTINGS)[SettingName]][]} */ (Object.entries(SETTINGS));

/**
 * Reads the settings that are active: greedy is temperature 0, a mask that is not in use is neutral,
 * penalties and the rarer masks are active whenever they are not neutral.
 * @param {Controls} controls
 * @param {Record<string, string[]>} orders
 */
export function activeSettings(controls, orders) {
  const settings = /** @type {Settings} */ ({ order: orders[controls.order] });
  for (const [name, { neutral, isCommon }] of ROWS) {
    const isActive = !isCommon || controls.use.includes(name);
    settings[name] = isActive ? controls[name] : neutral;
  }
  if (controls.greedy) settings.temperature = 0;
  return settings;
}

/** Whether two sets of controls say the same. @param {Controls} first @param {Controls} second */
export function sameControls(first, second) {
  return serialized(first) === serialized(second);
}

/** @param {Controls} controls */
function serialized(controls) {
  const entries = Object.entries({ ...controls, use: [...controls.use].sort() });
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Whether a mask acts. Greedy stands alone: while it is ticked the other boxes are empty.
 * @param {string} name
 * @param {Controls} controls
 */
export function isInUse(name, controls) {
  return name === "greedy" ? controls.greedy : !controls.greedy && controls.use.includes(name);
}
