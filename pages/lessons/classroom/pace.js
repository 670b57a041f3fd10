// Whether a class is as far as its script planned: for the desk.

import { _ } from "../../frame/live/words.js";

const EARLY_MINUTES = 2; // from which on it is said

/**
 * How long the class has been at the script, and whether that is as planned; empty where nothing is planned.
 * @param {DeskState} view
 * @param {number} since when it came
 */
export function paceInWords(view, since) {
  const { minutes_before: before, minutes_planned: planned, minutes_in_all: all } = view;
  if (planned === 0) return "";
  const passed = (view.seconds + (performance.now() - since) / 1000) / 60;
  const late = Math.round(passed - planned);
  const early = Math.round(before - passed);
  const at = { n: Math.floor(passed) + 1, all: Math.round(all) };
  if (late > 0) return ` · ${_("minute {n} of {all}, {late} min late", { ...at, late })}`;
  if (early >= EARLY_MINUTES) return ` · ${_("minute {n} of {all}, {early} min early", { ...at, early })}`;
  return ` · ${_("minute {n} of {all}, on time", at)}`;
}
