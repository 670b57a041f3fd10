// The labels of a model's tokens: a file of its own for each model, which the browser keeps.

const RETRY = 2000; // milliseconds after which a file that did not come may be asked for again

const here = new Map(); // labels by address
const underWay = new Map(); // promises by address

/**
 * Gives labels that need not be fetched, by what stands for their address.
 * @param {string} address
 * @param {Labels} labels
 */
export function giveLabels(address, labels) {
  here.set(address, labels);
}

/**
 * The labels at an address; null as long as they are under way.
 * @param {string} address
 * @param {() => void} changed called once they are here
 * @returns {Labels | null}
 */
export function labelsAt(address, changed) {
  if (here.has(address)) return here.get(address);
  if (!underWay.has(address)) underWay.set(address, fetchLabels(address));
  underWay.get(address).then(changed);
  return null;
}

/** Where they do not come the page shows ids. @param {string} address */
async function fetchLabels(address) {
  try {
    const answer = await fetch(new URL(address, document.baseURI));
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    here.set(address, await answer.json());
  } catch {
    here.set(address, {});
    setTimeout(() => here.delete(address), RETRY);
  }
  underWay.delete(address);
}
