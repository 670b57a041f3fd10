// Runs a reader's JavaScript: in a worker of its own, under a content policy that lets nothing be fetched,
// with a limit of time. Returns numbers alone, whatever the code hands back. Knows nothing of samplers.

import { el } from "../dom.js";

const LIMIT_MS = 2000;
const POLICY = "default-src 'none'; script-src blob:; worker-src blob:";
// the policy refuses them too: without them the code fails with a sentence, at the line that asks
const REMOVED = "fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts " +
  "Worker SharedWorker BroadcastChannel indexedDB caches navigator";
// one line, so that the reader's first line is the second
const BEFORE = `{ const post = self.postMessage.bind(self);
for (const name of "${REMOVED}".split(" "))
  for (let on = self; on !== null; on = Object.getPrototypeOf(on))
    try { Object.defineProperty(on, name, { value: undefined, configurable: false }); } catch {}
self.runCases = (own, cases) => {
  const outcomes = [];
  for (const { input, pointers } of cases) {
    const copy = input.slice();
    const call = (...given) => {
      const value = own(copy, ...given);
      if (typeof value === "number") return value;
      const isList = value !== null && typeof value === "object" && value.length === input.length;
      return isList ? Float64Array.from(value, Number) : NaN;
    };
    const values = pointers === null ? [call()] : pointers.map((pointer) => call(pointer));
    outcomes.push({ values, isChanged: input.some((one, i) => !Object.is(one, copy[i])) });
  }
  post({ outcomes });
};
self.failWith = (error) => post({ said: String(error?.message ?? error), stack: String(error?.stack ?? "") });
}`.replaceAll("\n", " ");

/** What cannot be run, as one sentence. */
export class SamplerError extends Error {}

/**
 * Calls the function that some code defines, once for each case and each of its pointers.
 * @param {string} code
 * @param {"pick"|"process"} name of the function
 * @param {SamplerCase[]} cases
 * @returns {Promise<SamplerOutcome[]>}
 * @throws {SamplerError}
 */
export async function runCode(code, name, cases, limitMs = LIMIT_MS) {
  const { realm, close } = await openRealm();
  const after = `;self.onmessage = ({ data }) => { try { if (typeof ${name} !== "function") ` +
    `throw new Error("there is no function ${name}"); self.runCases(${name}, data); } ` +
    `catch (error) { self.failWith(error); } };`;
  const text = `${BEFORE}\n${code}\n${after}`;
  const address = realm.URL.createObjectURL(new realm.Blob([text], { type: "text/javascript" }));
  const worker = new realm.Worker(address);
  let timer = 0;
  const nLines = code.split("\n").length;
  try {
    return await new Promise((resolve, reject) => {
      /** @param {string} words */
      const refuse = (words) => reject(new SamplerError(words));
      timer = setTimeout(() => refuse(tooLong(limitMs)), limitMs);
      worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
        if (data?.outcomes?.length === cases.length) resolve(data.outcomes.map(ofThisRealm));
        else refuse(atLine(lineIn(data?.stack, nLines), String(data?.said ?? "it sent something else")));
      };
      worker.onerror = (/** @type {ErrorEvent} */ event) => {
        event.preventDefault();
        refuse(atLine(event.lineno - 1, event.message, nLines));
      };
      worker.postMessage(cases);
    });
  } finally {
    clearTimeout(timer);
    worker.terminate();
    realm.URL.revokeObjectURL(address);
    close();
  }
}

/** Arrays that came by a frame are of its classes. @param {SamplerOutcome} given */
function ofThisRealm({ values, isChanged }) {
  /** @param {number | Float64Array} value */
  const own = (value) => typeof value === "number" ? value : Float64Array.from(value);
  return { values: Array.from(values, own), isChanged };
}

/** @param {number} limitMs */
function tooLong(limitMs) {
  return `It did not end within ${limitMs / 1000} seconds and was stopped: is there a loop without an end?`;
}

/**
 * The line of the reader's code that an error's stack names first; 0 where it names none.
 * @param {string | undefined} stack
 * @param {number} nLines
 */
function lineIn(stack, nLines) {
  const lines = [...String(stack ?? "").matchAll(/blob:\S*?:(\d+):\d+/g)].map(([, line]) => Number(line) - 1);
  return lines.find((line) => line >= 1 && line <= nLines) ?? 0;
}

/** @param {number} line @param {string} message */
function atLine(line, message, nLines = line) {
  const words = message.replace(/^Uncaught /, "").replace(/\.?$/, ".");
  return line >= 1 ? `Line ${Math.min(line, nLines)}: ${words}` : words;
}

/**
 * A window whose workers are under a policy of ours: this one, where a file has a policy that lets nothing be
 * fetched; else that of a frame that has one.
 * @returns {Promise<{realm: any, close: () => void}>}
 */
function openRealm() {
  if (document.querySelector('meta[http-equiv="Content-Security-Policy"]') !== null) {
    return Promise.resolve({ realm: window, close: () => {} });
  }
  const srcdoc = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  return new Promise((resolve) => {
    const ready = () => resolve({ realm: frame.contentWindow, close: () => frame.remove() });
    const frame = el("iframe", { hidden: true, srcdoc, onload: ready });
    frame.setAttribute("aria-hidden", "true");
    document.body.append(frame);
  });
}
