// A link says all that it takes to show the same text again, and no more. Nothing random needs to travel:
// the pointer is a function of seed and position, so a run is the prompt, the seeds, the controls at each
// step and the tokens that the reader forced.

import { readStrings, writeStrings } from "../../../frame/live/stopping.js";
import { asManyAsFit, fieldOf, lengthOf, readField, readFields, textAt, writeField } from "./fields.js";
import { reasonOf } from "../../../frame/live/errors.js";
import { last } from "../../../frame/live/required.js";
import { _, comma, languageTag } from "../../../frame/live/words.js";

const MAX_TOKENS = 4096; // generated tokens that a link may ask for
const MANY = MAX_TOKENS.toLocaleString(languageTag());
const MAX_FAULTS = 200; // characters of what a link asks for in vain
const MAX_LINK_TEXT = 4000; // characters of a prompt that a link carries

/**
 * Reads a query; what cannot be read is left at its default and named in `problems`.
 * @param {string|Record<string, string>|URLSearchParams} asked
 * @param {Facts} facts
 * @returns {Link}
 */
export function readLink(asked, facts) {
  const isAddress = typeof asked === "string" || asked instanceof URLSearchParams;
  // a record keeps half a character as it is, to be refused; an address can have none
  const query = isAddress ? [...new URLSearchParams(asked)] : Object.entries(asked);
  const { values, faults } = readFields(query, facts.fields);
  const seed = values.seed ?? 0;
  const problems = faults.length > 0
    ? [_("The link was followed in part only: {faults}.", { faults: asManyAsFit(faults, MAX_FAULTS) })]
    : [];
  /** @type {LinkChoice[]} */
  let choices = [];
  /** @type {string[]} */
  let stop = [];
  try {
    stop = readStrings(values.stop ?? "");
  } catch (error) {
    problems.push(_("The link’s stop strings were left out: {reason}", { reason: reasonOf(error) }));
  }
  try {
    const [run, forced] = ["run", "forced"].map((name) => textAt(query, name, name) ?? "");
    choices = readRun(run, forced, seed, facts);
  } catch (error) {
    const reason = reasonOf(error).replace(/\.+$/, "");
    problems.push(_("The link’s run was left out: {reason}.", { reason }));
  }
  const controls = controlsOfLink(values, facts);
  problems.push(...outOfOrder(values, controls, facts));
  return {
    model: values.model?.trim() || facts.model.name,
    prompt: (values.prompt ?? facts.prompt).replace(/\r\n?/g, "\n"),
    ids: values.chat ? readIds(query, facts, problems) : null,
    seed,
    chat: values.chat,
    controls,
    stop,
    choices,
    problems,
  };
}

/**
 * The ids that a link's chat template gave, null if it names none that can be read.
 * @param {[string, string][]} query
 * @param {Facts} facts
 * @param {string[]} problems
 */
function readIds(query, facts, problems) {
  try {
    const ids = textAt(query, "ids", "ids")?.split(",");
    if (ids === undefined) return null;
    if (ids.length > MAX_TOKENS)
      throw new RangeError(_("there are more than {number}", { number: MANY }));
    return ids.map((id) => readField(facts.run.id, id));
  } catch (error) {
    problems.push(_("The link’s ids were left out: {reason}.", { reason: reasonOf(error) }));
    return null;
  }
}

/**
 * The controls of a link; without `use`, every setting that it names is in use.
 * @param {Record<string, any>} values
 * @param {Facts} facts
 * @returns {Controls}
 */
function controlsOfLink(values, facts) {
  const controls = { ...defaultControls(facts), ...controlsAmong(values, facts) };
  if (values.use) return controls;
  const { options } = fieldOf(facts, "use");
  return { ...controls, use: options.filter((name) => controls.use.includes(name) || name in values) };
}

/**
 * Names the settings of a link that its order has no stage for.
 * @param {Record<string, any>} values
 * @param {Controls} controls
 * @param {Facts} facts
 */
function outOfOrder(values, { order }, { fields, orders, neutral }) {
  const lost = fields.filter(({ name }) =>
    name in values && values[name] !== neutral[/** @type {SettingName} */ (name)] &&
    orders.all.includes(name) &&
    !orders[order].includes(name)
  );
  if (lost.length === 0) return [];
  const labels = asManyAsFit(lost.map(({ label }) => _("“{text}”", { text: _(label) })), MAX_FAULTS, comma());
  return [
    _("The order “{order}” has no stage for {settings}: add order=all to the link.", {
      order,
      settings: labels,
    }),
  ];
}

/**
 * Reads the query of one text, which a tab or a file kept; its prompt may be long.
 * @param {string} text
 * @param {Facts} facts
 */
export function readWhole(text, facts) {
  if (typeof text !== "string") throw new RangeError(_("its link is missing"));
  const query = new URLSearchParams(text);
  const prompt = textAt([...query], "prompt", _(fieldOf(facts, "prompt").label));
  if (prompt === undefined) throw new RangeError(_("its prompt is missing"));
  query.delete("prompt");
  return { ...readLink(query, facts), prompt };
}

/**
 * Reads a run that was saved as JSON, here or by the app.
 * @param {string} file
 * @param {Facts} facts
 * @param {boolean} isOfAnyModel whether another model can be had
 */
export function readSaved(file, facts, isOfAnyModel) {
  try {
    const { link: query } = JSON.parse(file);
    const link = readWhole(query, facts);
    const isOther = link.model !== facts.model.name;
    if (isOther && !isOfAnyModel) throw new RangeError(_("it is a run of {model}", { model: link.model }));
    return { ...link, query };
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : _("it holds no run");
    throw new RangeError(
      isOfAnyModel
        ? _("This file cannot be opened ({reason}): choose one saved by “All of it, JSON”.", { reason })
        : _("This file cannot be opened ({reason}): choose one of {model} saved by “All of it, JSON”.", {
          reason,
          model: facts.model.name,
        }),
    );
  }
}

/**
 * Reads what a page, a program or a run says of some controls; the others are at their defaults.
 * @param {Record<string, any>} values
 * @param {Facts} facts
 * @returns {Controls}
 */
export function readControls(values, facts) {
  const fields = facts.fields.filter(({ isControl, name }) => isControl && name in values);
  const textOf = (/** @type {unknown} */ value) => String(typeof value === "boolean" ? Number(value) : value);
  try {
    const read = fields.map((field) => [field.name, readField(field, textOf(values[field.name]))]);
    return { ...defaultControls(facts), ...Object.fromEntries(read) };
  } catch (error) {
    throw new RangeError(_("{fault}.", { fault: reasonOf(error) }));
  }
}

/**
 * What a link to a text begins with: model, stop strings and controls; empty for a long prompt.
 * @param {import("./session.js").Session} session
 */
export function writeAddress({ active: { prompt, chat }, controls, facts, stop }) {
  if (lengthOf(prompt) > MAX_LINK_TEXT) return "";
  const { model: { name, has_chat_template: hasTemplate }, dtype } = facts;
  const query = new URLSearchParams({ model: name });
  if (dtype) query.set("dtype", dtype);
  if (hasTemplate && !chat) query.set("chat", "0");
  if (stop.length > 0) query.set("stop", writeStrings(stop));
  const said = encodeControls(controls, facts);
  const use = fieldOf(facts, "use");
  // without it a setting that is named would be in use
  if (use.options.some((name) => name in said && !controls.use.includes(name)))
    said.use = writeField(use, controls.use);
  for (const [field, text] of Object.entries(said)) query.set(field, text);
  return String(query).replace(/%2C/g, ",");
}

/**
 * The seed and the controls of a choice, as a run says them.
 * @param {Pick<Choice, "seed" | "controls">} choice
 * @param {Facts} facts
 */
export function writeHow({ seed, controls }, facts) {
  const parts = Object.entries({ seed: String(seed), ...encodeControls(controls, facts) });
  return parts.map((pair) => pair.join(":")).join("~");
}

/**
 * The controls that differ from the defaults, as text.
 * @param {Record<string, any>} controls
 * @param {Facts} facts
 */
function encodeControls(controls, facts) {
  const written = facts.fields.filter(({ isControl }) => isControl).map((field) => [
    field.name,
    writeField(field, controls[field.name]),
    writeField(field, field.default),
  ]);
  return Object.fromEntries(written.filter(([, now, usual]) => now !== usual));
}

/** @param {Facts} facts @returns {Controls} */
function defaultControls({ fields }) {
  const controls = fields.filter(({ isControl }) => isControl);
  return /** @type {any} */ (Object.fromEntries(controls.map((field) => [field.name, field.default])));
}

/** @param {Record<string, any>} values @param {Facts} facts */
function controlsAmong(values, { fields }) {
  const named = fields.filter(({ isControl, name }) => isControl && name in values);
  return Object.fromEntries(named.map(({ name }) => [name, values[name]]));
}

/**
 * The choices of a run: `12;5~temperature:1.2`, and the forced tokens by their places: `3:262`.
 * @param {string} run
 * @param {string} forced
 * @param {number} seed
 * @param {Facts} facts
 */
function readRun(run, forced, seed, facts) {
  const { count: countField, place: placeField, token: tokenField } = facts.run;
  const pairs = forced.split(",").filter(Boolean).map((part) => partition(part));
  const forcedIds = new Map(
    pairs.map(([place, id]) => [readField(placeField, place), readField(tokenField, id)]),
  );
  const seedField = fieldOf(facts, "seed");
  /** @type {LinkChoice[]} */
  const choices = [];
  const segments = run.split(";").filter(Boolean);
  if (segments.length > MAX_TOKENS)
    throw new RangeError(_("it has more than {number} parts", { number: MANY }));
  for (const segment of segments) {
    const [count, ...parts] = segment.split("~");
    const values = Object.fromEntries(parts.map(partition));
    const own = "seed" in values ? readField(seedField, values.seed) : seed;
    const controls = readControls(values, facts);
    const end = choices.length + readField(countField, count);
    if (end > MAX_TOKENS)
      throw new RangeError(_("it asks for more than {number} tokens", { number: MANY }));
    while (choices.length < end) {
      const tokenId = forcedIds.get(choices.length) ?? null;
      choices.push({ seed: own, controls, tokenId, forced: tokenId !== null });
    }
  }
  return choices;
}

/** @param {string} text */
function partition(text) {
  const at = text.indexOf(":");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The link to the text that is written; empty where it has none. @param {Header} header */
export function linkOf(header) {
  return header.address === "" ? "" : `?${header.address}&${textQuery(header)}`;
}

/** The query of the text alone: all of it but the model and the controls. @param {Header} header */
export function textQuery({ prompt, seed, chat, ids, n_prompt: nPrompt, steps }) {
  const forced = steps.forced.flatMap((isForced, i) => (isForced ? [`${i}:${ids[nPrompt + i]}`] : []));
  const query = new URLSearchParams({ prompt, seed: String(seed) });
  if (chat) {
    query.set("chat", "1");
    query.set("ids", ids.slice(0, nPrompt).join(",")); // a template may write today's date
  }
  if (forced.length > 0) query.set("forced", forced.join(","));
  if (steps.how.length > 0) query.set("run", runOf(steps.how));
  return String(query).replace(/%3A|%2C|%3B|%7E/g, decodeURIComponent); // these may stand in a query
}

/** How many tokens were drawn alike, and how, segment by segment. @param {string[]} how */
function runOf(how) {
  /** @type {{own: string, count: number}[]} */
  const segments = [];
  how.forEach((own, i) => {
    if (own === how[i - 1]) last(segments).count += 1;
    else segments.push({ own, count: 1 });
  });
  return segments.map(({ own, count }) => `${count}~${own}`).join(";");
}
