// Modules that are fetched once they are wanted, or handed in where nothing can be fetched.

const given = new Map(); // modules by name, in a file that holds them itself

/** Hands in a module, in a page that is one file. @param {string} name @param {object} module */
export function giveLazyModule(name, module) {
  given.set(name, module);
}

/** Whether a module was handed in. @param {string} name */
export const isGiven = (name) => given.has(name);

/**
 * Returns a module.
 * @template Module
 * @param {string} name
 * @param {() => Promise<Module>} fetched
 * @returns {Promise<Module>}
 */
export async function lazyModule(name, fetched) {
  return given.get(name) ?? await fetched();
}
