// The session as a program: what the console, a course or a test can ask of it. docs/one-file.md lists it.

import { fieldOf } from "./fields.js";

/**
 * Makes `globalThis.oneToken`.
 * @param {import("./session.js").Session} session
 * @param {Promise<State>} opened
 */
export function createProgram(session, opened) {
  const header = () => session.state.header;
  const ready = opened.then(() => undefined);
  ready.catch(() => {}); // it may wait for nobody: the live component asks the same, and says what failed
  return {
    /** Settles once the first distribution is there. */
    ready,
    /** All that is shown, as the figures are told it. */
    get header() {
      return session.isOpen ? header() : null;
    },
    get ids() {
      return [...header().ids];
    },
    get logits() {
      return Float32Array.from(session.state.arrays.logits);
    },
    /** Without special tokens; of the model in the page alone. */
    get text() {
      return session.active.reading.text;
    },
    /** Writes one token: drawn under settings by the names of `model.sampling.Settings`, or forced. */
    async step(settings = {}, tokenId = null) {
      await opened;
      const n = header().ids.length;
      const controls = asControls(settings, session.facts);
      const event = tokenId === null ? { kind: "next" } : { kind: "force", token_id: tokenId };
      await session.do({ ...event, controls, branch: header().branch });
      const { ids, steps, notice } = header();
      if (ids.length === n) throw new RangeError(notice?.text);
      const row = Object.fromEntries(Object.entries(steps).map(([name, column]) => [name, column.at(-1)]));
      return { position: n, token_id: ids[n], ...row };
    },
  };
}

/** What is not named is neutral. @param {Record<string, unknown>} settings @param {Facts} facts */
function asControls(settings, facts) {
  const { fields, neutral } = facts;
  const use = fieldOf(facts, "use").options;
  const known = fields.filter(({ isControl, name }) => isControl && name !== "use" && name !== "greedy");
  const names = known.map(({ name }) => name);
  const stranger = Object.keys(settings).find((name) => !names.includes(name));
  if (stranger) throw new RangeError(`${stranger} is no setting: use ${names.join(", ")}.`);
  return { ...neutral, ...settings, use, greedy: false };
}
