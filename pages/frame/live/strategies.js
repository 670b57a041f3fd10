// The strategies of the bars: each mask alone, and all together, on the same raw logits. Computes
// with masks.js and remembers the last result of each, so that a dragged slider computes its own.

import { formatCount, formatEntropy, formatSetting } from "./format.js";
import {
  activeStageNames,
  COUNT_PROMPT,
  drawToken,
  NEUTRAL_SETTINGS,
  processLogits,
  settingOf,
  stagesOn,
} from "./masks.js";
import { KEEP_BY_NAME } from "./keep.js";
import { PENALTY_BY_NAME } from "./penalties.js";
import { SETTINGS } from "./settings.js";
import { required } from "./required.js";
import { _, languageTag } from "./words.js";

const GREEDY = { name: "greedy", title: _("Greedy"), short: _("Greedy"), says: _("the best token") };

/**
 * The masks from left to right; the home page has the first five. XTC is none of them: whether it masks
 * at all is a toss of its own.
 */
export const MASKS = [
  GREEDY,
  ...Object.entries(SETTINGS)
    .filter(([name]) => name === "temperature" || (name in KEEP_BY_NAME && name !== "xtc"))
    .map(([name, row]) => ({ name, ...row })),
];

/** A mask of `MASKS`. @param {string} name */
export const maskNamed = (name) => required(MASKS.find((mask) => mask.name === name), `mask “${name}”`);

/** What the engines are called whose orders can be chosen. @type {Record<string, string>} */
export const ENGINE_TITLES = {
  transformers: "transformers",
  vllm: "vLLM",
  "llama.cpp": "llama.cpp",
  ollama: "Ollama",
  all: _("this app, all masks"),
};

const resultsByDistribution = new WeakMap();
const drawsByResult = new WeakMap();
const firstStages = new WeakMap(); // results by their last stage

/** What a stage of the pipeline is called in prose: "top_p" is "top-p". @param {string} name */
export function stageTitle(name) {
  const { title } = SETTINGS[/** @type {SettingName} */ (name)] ?? GREEDY;
  // "Top-p", but "DRY"; other languages may write nouns with a capital
  return /^.+[A-Z]/.test(title) || languageTag() !== "en" ? title : title.toLowerCase();
}

/**
 * One strategy alone on the raw logits, whatever else is active.
 * @param {MaskView} view
 * @param {string} name "raw", "greedy" or one of the masks
 */
export function aloneResult(view, name) {
  const active = activeResult(view);
  if (name === "raw") return firstStagesOf(active, 1);
  const isFirst = active.stages[1]?.name === name;
  if (isFirst && settingOf(view.settings, name) === settingOf(view.controls, name))
    return firstStagesOf(active, 2);
  const setting = name === "greedy" ? { temperature: 0 } : { [name]: settingOf(view.controls, name) };
  const order = /** @type {SettingName[]} */ (name === "greedy" ? ["temperature"] : [name]);
  return remembered(view, name, { ...NEUTRAL_SETTINGS, ...setting, order });
}

/**
 * The raw stage, and the first mask's, which worked on it alone: neither is computed twice.
 * @param {Result} result
 * @param {number} nStages
 */
function firstStagesOf(result, nStages) {
  const key = result.stages[nStages - 1];
  if (!firstStages.has(key)) {
    const order = result.order.map((_, row) => row); // the four strategies keep the raw order
    firstStages.set(key, { ...result, order, stages: result.stages.slice(0, nStages) });
  }
  return firstStages.get(key);
}

/** The combination that Next will really draw from. @param {MapView} view */
export function activeResult(view) {
  return remembered(view, "active", view.settings);
}

/** The last stage of a result: what a token is drawn from. @param {Pick<Result, "stages">} result */
export function lastStage(result) {
  return result.stages[result.stages.length - 1];
}

/**
 * The last stage that has cut nothing: its shares are the scores that the masks then cut.
 * @param {Pick<Result, "stages">} result
 */
export function scoredStage({ stages }) {
  /** @param {Stage} stage */
  const isWhole = ({ name, nKept }) => nKept === stages[0].nKept && name !== "greedy";
  const nWhole = stages.findIndex((stage) => !isWhole(stage));
  return required(stages.at(nWhole < 0 ? -1 : nWhole - 1), "stage");
}

/**
 * The token on which a pointer falls, remembered, as several figures ask for it in the same frame.
 * @param {Result} result
 * @param {number|null} pointer
 * @returns {Drawn|null} null: no pointer, or the page cannot know
 */
export function drawnToken(result, pointer) {
  if (pointer === null) return null;
  const known = drawsByResult.get(result);
  if (known?.pointer === pointer) return known.drawn;
  const drawn = drawToken(result, pointer);
  drawsByResult.set(result, { pointer, drawn });
  return drawn;
}

/** How many tokens a strategy keeps: "4 of 4 096". @param {Result} result @param {number} nVocab */
export function keptInWords(result, nVocab) {
  if (waitsForPython(result)) return _("some");
  const [number, n_vocab] = [lastStage(result).nKept, nVocab].map(formatCount);
  return number === n_vocab ? _("all {number}", { number }) : _("{number} of {n_vocab}", { number, n_vocab });
}

/**
 * What the slider of a mask does alone on the raw logits, as it is heard.
 * @param {string} name
 * @param {Result} result
 * @param {number} nVocab
 */
export function effectOf(name, result, nVocab) {
  if (name === "temperature") return _("entropy {entropy}", { entropy: formatEntropy(lastStage(result)) });
  return _("keeps {tokens}", { tokens: keptInWords(result, nVocab) });
}

/**
 * Whether a mask's cut lies among tokens that the page does not hold.
 * @param {Pick<Result, "stages">} result
 */
export function waitsForPython(result) {
  return result.stages.some((stage) => stage.reachesTail);
}

/**
 * The pipeline in words, in its order: "temperature 0.8 → top-p 0.9".
 * @param {Result} result
 * @param {Settings} settings
 */
export function describePipeline(result, settings) {
  const names = result.stages.slice(1).map((stage) => describeStage(stage.name, settings));
  if (names.length === 0) return _("no mask, temperature 1: the raw distribution");
  return names.reduce((first, then) => _("{first} → {then}", { first, then }));
}

/**
 * One stage with its setting: "top-p 0.9", where no line breaks at the hyphen.
 * @param {string} name
 * @param {Settings} settings
 */
export function describeStage(name, settings) {
  const title = stageTitle(name);
  const said = name in settings ? `${title} ${formatSetting(settingOf(settings, name))}` : title;
  return said.replace("-", "\u2011");
}

/**
 * Settings that are not neutral but that the pipeline's order has no stage for.
 * @param {Settings} settings
 */
export function ignoredSettings(settings) {
  return Object.keys(NEUTRAL_SETTINGS).filter(
    (name) =>
      settingOf(settings, name) !== settingOf(NEUTRAL_SETTINGS, name) && !actsInOrder(name, settings.order),
  );
}

/**
 * Whether an order has a stage for a setting, or stages that it changes.
 * @param {string} name
 * @param {string[]} order
 */
export function actsInOrder(name, order) {
  return SETTINGS[/** @type {SettingName} */ (name)].isStage
    ? order.includes(name)
    : COUNT_PROMPT.some((stage) => order.includes(stage));
}

/**
 * The probability of ending here of tokens that stand in the prompt and end a text: as the penalty counts
 * them, and with generated tokens alone; null where no penalty counts one, or the page cannot tell.
 * @param {View} view
 * @returns {{counted: number, generatedAlone: number}|null}
 */
export function endUnderPenalty(view) {
  const { settings, contextIds, nPrompt, header } = view;
  const ends = (header.model.end_ids ?? []).filter((id) => contextIds.slice(0, nPrompt).includes(id));
  if (ends.length === 0 || !activeStageNames(settings).includes("repetition_penalty")) return null;
  const [counted, generatedAlone] = [0, 1].map((generated_only) => {
    const result = remembered(view, `end ${generated_only}`, { ...settings, generated_only });
    const probs = ends.map((id) => lastStage(result).probs[result.rowOf(id)]);
    return waitsForPython(result) ? NaN : probs.reduce((sum, prob) => sum + prob, 0);
  });
  return Number.isFinite(counted + generatedAlone) ? { counted, generatedAlone } : null;
}

/** Settings that are not neutral and do nothing beside mirostat. @param {Settings} settings */
export function replacedSettings(settings) {
  const active = activeStageNames(settings);
  return active.includes("mirostat") ? stagesOn(settings).filter((name) => !active.includes(name)) : [];
}

/**
 * The result under some settings, computed anew only where they or the distribution have changed.
 * @param {MapView} view
 * @param {string} slot
 * @param {Settings} settings
 * @returns {Result}
 */
export function remembered(view, slot, settings) {
  const distribution = required(view.distribution, "distribution");
  let results = resultsByDistribution.get(distribution);
  if (!results) resultsByDistribution.set(distribution, results = new Map());
  const key = resultKey(view, settings);
  const known = results.get(slot);
  if (known?.key === key) return known.result;
  const { contextIds, nPrompt, toss, memory } = view;
  const result = processLogits(distribution, contextIds, nPrompt, settings, toss, memory);
  results.set(slot, { key, result });
  return result;
}

/** @param {MapView} view @param {Settings} settings */
function resultKey(view, settings) {
  const isPenalised = Object.keys(PENALTY_BY_NAME).some((name) =>
    settingOf(settings, name) !== settingOf(NEUTRAL_SETTINGS, name)
  );
  return JSON.stringify([
    settings,
    isPenalised ? Array.from(view.contextIds) : null,
    settings.xtc && view.toss,
    settings.mirostat && view.memory,
  ]);
}
