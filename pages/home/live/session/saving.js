// A run as a file.

import { linkOf } from "./link.js";
import { toCsv, toJson } from "./run_file.js";
import { OF_PASS } from "./text.js";
import { last } from "../../../frame/live/required.js";

/** @typedef {import("./session.js").Session} Session */

/**
 * The run as a file of some kind; where no engine writes them, the page does.
 * @param {Session} session
 * @param {string} kind
 * @returns {Promise<string>}
 */
export function fileOf(session, kind) {
  const { header } = session.state;
  const link = linkOf({ ...header, address: header.address || `model=${session.facts.model.name}` }).slice(1);
  if (session.engine.file === undefined) {
    const facts = /** @type {PageFacts} */ (session.facts);
    return Promise.resolve(kind === "csv" ? toCsv(header, facts) : toJson(header, facts, link));
  }
  const { prompt, chat, choices, columns } = session.active;
  const passes = Object.fromEntries(OF_PASS.map((name) => [name, columns[name] ?? []]));
  const forced = choices.map((choice) => choice.forced);
  const run = { format: kind, prompt, chat, draws: alike(choices), forced, passes, link };
  return session.engine.file(session.said(session.active), { ...run, presenter: session.switches.presenter });
}

/** How many tokens were drawn alike, and how. @param {Choice[]} choices */
function alike(choices) {
  /** @type {(Pick<Choice, "seed" | "controls"> & {count: number})[]} */
  const runs = [];
  choices.forEach(({ how, seed, controls }, i) => {
    if (how === choices[i - 1]?.how) last(runs).count += 1;
    else runs.push({ count: 1, seed, controls });
  });
  return runs;
}
