// How a session begins: with what the tab kept over a reload, with a link, or with what can be had.

import { readControls, readLink, readWhole } from "./link.js";
import { required } from "../../../frame/live/required.js";
import { lostBranches, readShown } from "./tab_record.js";
import { Text } from "./text.js";
import { isGivenUp, reasonOf } from "../../../frame/live/errors.js";
import { _ } from "../../../frame/live/words.js";

/** Columns that a text cannot do without. */
const OF_RECORD = ["id", "logprob", "memory", "forced", "chosen_prob"];

/** @typedef {import("./session.js").Session} Session */

/**
 * Opens what the tab kept over a reload, else the text of the link, else what can be.
 * @param {Session} session
 */
export async function openSession(session) {
  session.facts = await session.engine.open();
  const link = readLink(session.query, session.facts);
  const kept = lostBranches();
  const isKept = kept?.model === session.facts.model.name;
  if (isKept && (await restore(session, kept))) return;
  if (kept !== null && !isKept) session.host.wantsModel?.(kept.model);
  await begin(session, link);
}

/**
 * Begins the text of a link; where it asks too much, says so and begins what can be.
 * @param {Session} session
 * @param {Link} link
 */
export async function begin(session, link) {
  const { has_chat_template: hasTemplate, name } = session.facts.model;
  const problems = [...link.problems];
  const isOther = link.model !== name && !(session.host.isModel?.(link.model) ?? false);
  problems.push(...tellOfModel(session, link));
  if (link.chat && !hasTemplate)
    problems.push(_("{model} has no chat template: the prompt stands as it was written.", { model: name }));
  let choices = isOther ? [] : link.choices;
  session.controls = link.controls;
  const { prompt, seed } = link;
  /** @type {{prompt: string, chat: boolean, ids?: number[]}[]} */
  const ways = [{ prompt, chat: false }, { prompt: session.facts.prompt, chat: false }];
  if (link.chat && hasTemplate) ways.unshift({ prompt, chat: true }); // it may refuse
  if (link.ids && hasTemplate) ways.unshift({ prompt, chat: true, ids: link.ids });
  let notice = null;
  for (const way of ways) {
    try {
      notice = await session.start(way.prompt, seed, way);
      break;
    } catch (error) {
      if (way === ways.at(-1) || isGivenUp(error)) throw error;
      problems.push(reasonOf(error));
      choices = [];
    }
  }
  await session.write(link, choices, problems, notice);
  if (link.chat === undefined) tellOfChat(session);
}

/**
 * Takes back the texts that the tab kept; false where they cannot be read.
 * @param {Session} session
 * @param {TabRecord} record
 */
async function restore(session, record) {
  try {
    const texts = record.branches.map((kept) => readText(session, kept));
    const active = required(texts.find(({ id }) => id === record.active), "text that was written");
    session.controls = readControls(record.controls, session.facts);
    session.stop = record.stop ?? [];
    const { shown } = record;
    if (!shown) await session.read(active);
    else {
      active.pass = shown.pass;
      active.adopt(readShown(shown), session.readingKey(active));
    }
    session.texts = texts;
    session.active = active;
    session.nBegun = Math.max(...texts.map(({ id }) => id)) + 1;
    session.cutOff = record.cutOff ?? [];
    if (!shown) await session.showDraft(active.prompt);
    else session.readAgain();
    return true;
  } catch (error) {
    if (isGivenUp(error)) throw error;
    session.say(
      _("The branches that this tab kept cannot be read: go on with the text that is here."),
      "error",
    );
    return false;
  }
}

/**
 * A text as the tab kept it.
 * @param {Session} session
 * @param {TabRecord["branches"][number]} kept
 */
function readText(session, { id, query, ids, columns, joined }) {
  const { prompt, seed, chat, choices, problems } = readWhole(query, session.facts);
  if (problems.length > 0) throw new RangeError(problems[0]);
  const needed = choices.length > 0 ? OF_RECORD.map((name) => columns[name]) : [];
  for (const column of [...needed, ...Object.values(columns)])
    if (column.length !== choices.length || !Array.isArray(column))
      throw new RangeError("a column is missing");
  const text = new Text({ id, prompt, seed, chat: Boolean(chat) }, ids, ids.length - choices.length);
  text.choices = choices.map((choice, i) => session.choiceOf(choice, ids[text.nPrompt + i], choice.forced));
  return Object.assign(text, { columns: { ...columns }, joined: { ...joined } });
}

/** Opens the text of a link beside what is on the page. @param {Session} session @param {Link} link */
export async function openBeside(session, link, keep = false) {
  const chat = Boolean(link.chat) && session.facts.model.has_chat_template;
  const notice = await session.start(link.prompt, link.seed, { keep, chat, ids: chat ? link.ids : null });
  const ofModel = tellOfModel(session, link);
  await session.write(link, ofModel.length > 0 ? [] : link.choices, [...link.problems, ...ofModel], notice);
}

/** Says that a link's model cannot be had here, if so. @param {Session} session @param {Link} link */
function tellOfModel({ facts, host }, { model }) {
  const isOther = model !== facts.model.name && !(host.isModel?.(model) ?? false);
  return isOther && host.otherModel ? [host.otherModel(model)] : [];
}

/**
 * Says that a chat model continues plain text here, and where it can be asked instead.
 * @param {Session} session
 */
function tellOfChat(session) {
  const { has_chat_template: hasTemplate, name } = session.facts.model;
  if (!hasTemplate || session.active.chat || session.notice !== null) return;
  session.say(
    _(
      "{model} was trained on chats as well. Here it continues your prompt as plain text; “Plain text · seed {seed}” above turns its chat template on.",
      { model: name, seed: session.active.seed },
    ),
  );
}
