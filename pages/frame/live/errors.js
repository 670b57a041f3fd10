// What was caught may be anything: what it says, and whether it is a fault at all.

/** What an error says. @param {unknown} error */
export function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Whether the person waits no longer for what failed. @param {unknown} error */
export function isGivenUp(error) {
  return error instanceof Error && error.name === "AbortError";
}
