// What the browser stores for the page. It may refuse (a sandboxed frame, a school's settings) or be full: an
// item is then kept in memory, and forgotten with the page. Knows nothing of what is stored.

/** Items that outlive the tab. */
export const localStore = createStore("localStorage");
/** Items of this tab, that outlive a reload. */
export const tabStore = createStore("sessionStorage");

/** @param {"localStorage"|"sessionStorage"} kind */
function createStore(kind) {
  /** @type {Map<string, string|null>} */
  const inMemory = new Map(); // what the browser did not store, or did not remove
  return {
    /** Returns an item's text; null if there is none. @param {string} name @returns {string|null} */
    read(name) {
      if (inMemory.has(name)) return inMemory.get(name) ?? null;
      try {
        return globalThis[kind].getItem(name);
      } catch {
        return null;
      }
    },
    /**
     * Writes an item, null removes it; returns whether the browser stored it.
     * @param {string} name
     * @param {string|null} text
     */
    write(name, text) {
      inMemory.set(name, text);
      try {
        const items = globalThis[kind];
        if (text === null) items.removeItem(name);
        else items.setItem(name, text);
        if (items.getItem(name) !== text) return false; // refused without an error
        inMemory.delete(name);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/**
 * Reads an item that was written as JSON; null if there is none, or no JSON.
 * @param {ReturnType<typeof createStore>} store
 * @param {string} name
 */
export function readJson(store, name) {
  try {
    return JSON.parse(store.read(name) ?? "null");
  } catch {
    return null;
  }
}

/** Sets a cookie if the browser takes one. @param {string} cookie */
export function setCookie(cookie) {
  try {
    document.cookie = cookie;
  } catch {
    // a sandboxed frame has none
  }
}
