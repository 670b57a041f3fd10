// What has to be there: a script that finds nothing stops with its name.

/**
 * A value that is there; else an error that names it.
 * @template T
 * @param {T} value
 * @param {string} name
 * @returns {NonNullable<T>}
 */
export function required(value, name) {
  if (value === null || value === undefined) throw new Error(`There is no ${name}.`);
  return value;
}

/**
 * The last of a list that has one.
 * @template T
 * @param {readonly T[]} list
 */
export function last(list) {
  return required(list.at(-1), "last one");
}
