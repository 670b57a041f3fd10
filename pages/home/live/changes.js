// A message that builds on one before it says what has changed, value by value.

/** What a change makes of a value. @param {any} old @param {any} change */
export function changed(old, change) {
  if (change === null || typeof change !== "object") return change;
  if ("set" in change) return change.set;
  if ("keep" in change) return old.slice(0, change.keep).concat(change.add); // a list or a text
  const made = Array.isArray(old) ? old.slice() : { ...old };
  for (const name of Object.keys(change.in ?? {})) made[name] = changed(old[name], change.in[name]);
  return made;
}
