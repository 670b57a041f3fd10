// A link says all that it takes to show the same text again, and no more; the twin of pages/home/link.py.
// Nothing random needs to travel: the pointer is a function of seed and position.

import { asManyAsFit, lengthOf, readField, readFields, writeField } from "./fields.js";

const MAX_TOKENS = 4096; // generated tokens that a link may ask for
const MAX_FAULTS = 200; // characters of what a link asks for in vain
const MAX_LINK_TEXT = 4000; // characters of a prompt that a link carries

/**
 * Reads a query; what cannot be read is left at its default and named in `problems`.
 * @param {Record<string, string>} query
 * @param {Facts} facts
 */
export function readLink(query, facts) {
  const { values, faults } = readFields(query, facts.fields);
  const seed = values.seed ?? 0;
  const problems = faults.length > 0
    ? [`The link was followed in part only: ${asManyAsFit(faults, MAX_FAULTS)}.`]
    : [];
  let choices = [];
  try {
    choices = readRun(query.run ?? "", query.forced ?? "", seed, facts);
  } catch (error) {
    problems.push(`The link’s run was left out: ${error.message.replace(/\.+$/, "")}.`);
  }
  return {
    model: values.model?.trim() || facts.model.name,
    prompt: (values.prompt ?? facts.prompt).replace(/\r\n?/g, "\n"),
    seed,
    chat: values.chat,
    controls: { ...defaultControls(facts), ...controlsAmong(values, facts) },
    choices,
    problems,
  };
}

/** Reads the query of one text, which a tab or a file kept; its prompt may be long. */
export function readWhole(text, facts) {
  const query = Object.fromEntries(new URLSearchParams(text));
  if (query.prompt === undefined) throw new RangeError("its prompt is missing");
  return { ...readLink({ ...query, prompt: "" }, facts), prompt: query.prompt };
}

/** Reads a run that was saved as JSON, here or by the app. @param {string} file */
export function readSaved(file, facts) {
  try {
    const link = readWhole(JSON.parse(file).link, facts);
    if (link.model !== facts.model.name) throw new RangeError(`it is a run of ${link.model}`);
    return link;
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : "it holds no run";
    throw new RangeError(
      `This file cannot be opened (${reason}): choose one of ${facts.model.name} saved by “All of it, JSON”.`,
    );
  }
}

/** Reads what a page, a program or a run says of some controls; the others are at their defaults. */
export function readControls(values, facts) {
  const fields = facts.fields.filter(({ isControl, name }) => isControl && name in values);
  const textOf = (value) => String(typeof value === "boolean" ? Number(value) : value);
  const read = fields.map((field) => [field.name, readField(field, textOf(values[field.name]))]);
  return { ...defaultControls(facts), ...Object.fromEntries(read) };
}

/** What a link to a text begins with: the model and the controls; empty for a long prompt. */
export function writeAddress(prompt, controls, facts) {
  if (lengthOf(prompt) > MAX_LINK_TEXT) return "";
  const query = new URLSearchParams({ model: facts.model.name, ...encodeControls(controls, facts) });
  return String(query).replace(/%2C/g, ",");
}

/** The seed and the controls of a choice, as a run says them. */
export function writeHow({ seed, controls }, facts) {
  const parts = Object.entries({ seed: String(seed), ...encodeControls(controls, facts) });
  return parts.map((pair) => pair.join(":")).join("~");
}

/** The controls that differ from the defaults, as text. */
function encodeControls(controls, facts) {
  const written = facts.fields.filter(({ isControl }) => isControl).map((field) => [
    field.name,
    writeField(field, controls[field.name]),
    writeField(field, field.default),
  ]);
  return Object.fromEntries(written.filter(([, now, usual]) => now !== usual));
}

/** @returns {Controls} */
function defaultControls({ fields }) {
  const controls = fields.filter(({ isControl }) => isControl);
  return /** @type {any} */ (Object.fromEntries(controls.map((field) => [field.name, field.default])));
}

function controlsAmong(values, { fields }) {
  const named = fields.filter(({ isControl, name }) => isControl && name in values);
  return Object.fromEntries(named.map(({ name }) => [name, values[name]]));
}

/** The choices of a run: `12;5~temperature:1.2`, and the forced tokens by their places: `3:262`. */
function readRun(run, forced, seed, facts) {
  const { count: countField, place: placeField, token: tokenField } = facts.run;
  const pairs = forced.split(",").filter(Boolean).map((part) => partition(part));
  const forcedIds = new Map(
    pairs.map(([place, id]) => [readField(placeField, place), readField(tokenField, id)]),
  );
  const seedField = facts.fields.find(({ name }) => name === "seed");
  const choices = [];
  for (const segment of run.split(";").filter(Boolean)) {
    const [count, ...parts] = segment.split("~");
    const values = Object.fromEntries(parts.map(partition));
    const own = "seed" in values ? readField(seedField, values.seed) : seed;
    const controls = readControls(values, facts);
    const end = choices.length + readField(countField, count);
    if (end > MAX_TOKENS)
      throw new RangeError(`it asks for more than ${MAX_TOKENS.toLocaleString("en")} tokens`);
    while (choices.length < end) {
      const tokenId = forcedIds.get(choices.length) ?? null;
      choices.push({ seed: own, controls, tokenId, forced: tokenId !== null });
    }
  }
  return choices;
}

function partition(text) {
  const at = text.indexOf(":");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
