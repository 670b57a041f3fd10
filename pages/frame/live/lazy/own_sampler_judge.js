// Judges a sampler that a reader wrote, by the page's own masks and draw: they are the oracle. Knows neither
// the page nor how the sampler is run: it is given a function that runs cases.

import { chiSquare } from "../chi_square.js";
import { createDistribution, drawToken, NEUTRAL_SETTINGS, processLogits } from "../masks.js";
import { uniformAt } from "../pointer.js";
import { last, required } from "../required.js";

const N_POINTERS = 10_000;
const ENDS = [0, 1 - 2 ** -53]; // of the bar
const IMPROBABLE = 1e-3; // p-value below which counts do not fit
const SAME = 1e-9;
const OUT = -Infinity;
const NO_DISTRIBUTION = "what it returned is no distribution.";

/** Logits that a sampler is tried on: what each is, and what often goes wrong on it. */
const LOGITS = {
  "a sure model": [6, 1, 0, -1, -2, -3],
  "three that tie for the best": [1, 2, 0, 2, 2, -1],
  "ties at the fifth place": [5, 4, 3, 2, 1, 1, 1, 0, -1],
  "eight equals": [0, 0, 0, 0, 0, 0, 0, 0],
  "tokens that are ruled out": [1, OUT, 2, OUT, 0, 3, OUT],
  "one token alone": [OUT, 0, OUT],
  "negative logits": [-7, -5.5, -6, -5, -9, -5.2],
  "sixty tokens": Array.from({ length: 60 }, (_, i) => 8 * uniformAt(5, i) - 4),
};
/** The same as float32, as a model's are. @type {Record<string, number[]>} */
const TRIALS = Object.fromEntries(
  Object.entries(LOGITS).map(([title, logits]) => [title, logits.map(Math.fround)]),
);
/** The page's own samplers. @type {Record<string, Partial<Values>>} */
const KNOWN = {
  greedy: { temperature: 0 },
  ...eachOf("temperature", "temperature", [0.3, 0.5, 0.7, 1.5, 2]),
  ...eachOf("top-k", "top_k", [1, 2, 3, 5, 10]),
  ...eachOf("top-p", "top_p", [0.5, 0.8, 0.9, 0.95]),
  ...eachOf("min-p", "min_p", [0.05, 0.1]),
};

/**
 * @returns {Record<string, Partial<Values>>}
 * @param {string} title
 * @param {SettingName} setting
 * @param {number[]} values
 */
function eachOf(title, setting, values) {
  return Object.fromEntries(values.map((value) => [`${title} ${value}`, { [setting]: value }]));
}

/** @typedef {{isMet: boolean, words: string}} Finding */
/** @typedef {(cases: SamplerCase[]) => Promise<SamplerOutcome[]>} Run */
/** @typedef {ReturnType<typeof oracle>} Oracle */

/**
 * What the page's masks make of logits under some settings: kept, and probabilities, by id.
 * @param {number[]} logits
 * @param {Partial<Values>} changes
 */
function oracle(logits, changes) {
  const held = { nVocab: logits.length, ids: null, logits: Float32Array.from(logits) };
  const distribution = createDistribution({
    ...held,
    tailCounts: null,
    tailLogits: null,
    tailVariances: null,
  });
  /** @type {SettingName[]} */
  const order = ["temperature", "top_k", "top_p", "min_p"];
  const result = processLogits(distribution, [], 0, { ...NEUTRAL_SETTINGS, order, ...changes });
  const { kept, probs } = last(result.stages);
  const [keptById, probsById] = [new Uint8Array(logits.length), new Float64Array(logits.length)];
  distribution.ids.forEach((id, row) => [keptById[id], probsById[id]] = [kept[row], probs[row]]);
  /** @param {number} pointer */
  const draw = (pointer) => required(drawToken(result, pointer), "token under the pointer").id;
  return { kept: keptById, probs: probsById, draw };
}

/** The exercises: what is asked, what one begins with, and the mask that is the answer. @type {Record<string, SamplerTask>} */
export const EXERCISES = {
  greedy: {
    title: "Exercise 1: greedy",
    name: "pick",
    asks: "Return the id of the likeliest token; of equals the lowest id.",
    code: "function pick(probs, pointer) {\n  // your code\n  return 0;\n}",
    settings: { temperature: 0 },
  },
  top_k: {
    title: "Exercise 2: top-k, k = 5",
    name: "process",
    asks: "Keep the 5 best logits and all that tie with the last of them; make the others -Infinity.",
    code: "function process(logits) {\n  // your code\n  return logits;\n}",
    settings: { top_k: 5 },
  },
  nucleus: {
    title: "Exercise 3: nucleus, p = 0.9",
    name: "process",
    asks: "Keep the fewest best tokens whose probabilities reach 0.9; make the other logits -Infinity.",
    code: "function process(logits) {\n  // your code\n  return logits;\n}",
    settings: { top_p: 0.9 },
  },
};

/** Judges `pick(probs, pointer) -> id`. @param {Run} run @returns {Promise<Finding[]>} */
export async function judgePick(run) {
  const trials = Object.entries(TRIALS).map(([title, logits]) => ({ title, ...oracle(logits, {}) }));
  const onlyOne = Object.values(TRIALS).map((logits) => oracle(logits, { temperature: 0 }));
  const many = Array.from({ length: N_POINTERS }, (_, i) => uniformAt(11, i));
  const some = [...ENDS, 0.25, 0.5, 0.75];
  const wide = last(trials);
  const outcomes = await run([
    ...trials.map(({ probs }) => ({ input: probs, pointers: [...some, ...some] })),
    ...onlyOne.map(({ probs }) => ({ input: probs, pointers: ENDS })),
    { input: wide.probs, pointers: many },
  ]);
  const [first, cold] = [outcomes.slice(0, trials.length), outcomes.slice(trials.length, -1)];
  const ids = last(outcomes).values;
  const legal = [...trials, ...onlyOne].map(({ probs }, i) =>
    outcomes[i].values.find((id) => !isDrawable(id, probs))
  );
  const bad = legal.findIndex((id) => id !== undefined);
  const findings = [
    {
      isMet: bad < 0,
      words: bad < 0
        ? "Every answer is the id of a token that can be drawn."
        : `On ${[...trials, ...trials][bad].title} it returned ${
          legal[bad]
        }: no id of a token that can be drawn.`,
    },
    found(first.every(({ values }) => some.every((_, i) => values[i] === values[i + some.length])), [
      "The same pointer takes the same token again.",
      "The same pointer took another token the second time: use the pointer, not Math.random().",
    ]),
    found(cold.every(({ values }, i) => values.every((id) => id === onlyOne[i].draw(0))), [
      "At T = 0 it takes the one token that is left.",
      "At T = 0 one token has probability 1, and it took another.",
    ]),
    unchanged(outcomes),
  ];
  if (bad < 0) findings.push(fit(ids, wide, many), likenessOfDraws(ids, many));
  return findings;
}

/** @param {boolean} isMet @param {[string, string]} given */
function found(isMet, [met, not]) {
  return { isMet, words: isMet ? met : not };
}

/** @param {SamplerOutcome[]} outcomes */
function unchanged(outcomes) {
  return found(!outcomes.some(({ isChanged }) => isChanged), [
    "It leaves its input as it was.",
    "It changes its input: copy it first, others read it too.",
  ]);
}

/**
 * Whether the draws fit the probabilities that were given.
 * @param {SamplerOutcome["values"]} ids
 * @param {Oracle} given
 * @param {number[]} pointers
 */
function fit(ids, { probs }, pointers) {
  const order = [...probs.keys()].sort((a, b) => probs[b] - probs[a] || a - b);
  const counts = order.map((id) => ids.filter((one) => one === id).length);
  const { pValue } = chiSquare(counts, order.map((id) => probs[id]), pointers.length);
  return found(pValue >= IMPROBABLE, [
    `10\u202f000 pointers fit the probabilities: chi-square, p = ${pValue.toFixed(3)}.`,
    "10\u202f000 pointers do not fit the probabilities that it was given (chi-square, p < 0.001): " +
    "it draws from another distribution.",
  ]);
}

/**
 * Which of the page's own samplers takes the same tokens with the same pointers.
 * @param {SamplerOutcome["values"]} ids
 * @param {number[]} pointers
 */
function likenessOfDraws(ids, pointers) {
  const logits = last(Object.values(TRIALS));
  const twin = Object.entries({ "this page’s draw": {}, ...KNOWN }).find(([, settings]) => {
    const { draw } = oracle(logits, settings);
    return ids.every((id, i) => i % 20 > 0 || id === draw(pointers[i]));
  });
  return found(true, [
    twin ? `It takes what ${twin[0]} takes.` : "It is none of the samplers of this page.",
    "",
  ]);
}

/** Judges `process(logits) -> logits`. @param {Run} run @returns {Promise<Finding[]>} */
export async function judgeProcess(run) {
  const trials = Object.entries(TRIALS);
  const outcomes = await run(
    trials.map(([, logits]) => ({ input: Float64Array.from(logits), pointers: null })),
  );
  const returned = outcomes.map(({ values }) => values[0]);
  const bad = returned.findIndex((given) => !isDistribution(given));
  if (bad >= 0) {
    return [
      found(false, [
        "",
        `On ${trials[bad][0]} it returned no distribution: as many numbers as logits, none of ` +
        "them NaN or +Infinity, one at least above -Infinity.",
      ]),
    ];
  }
  const lists = returned.filter(isDistribution); // all of them
  const revives = trials.findIndex(([, logits], i) =>
    logits.some((logit, id) => logit === OUT && lists[i][id] > OUT)
  );
  const twin = Object.entries({ "no mask at all": {}, ...KNOWN }).find(([, settings]) =>
    trials.every(([, logits], i) => isAlike(lists[i], oracle(logits, settings).probs))
  );
  return [
    found(true, ["What it returns is a distribution, on every trial.", ""]),
    found(revives < 0, [
      "A token at -Infinity stays out.",
      "It lets a token at -Infinity in again: keep it out.",
    ]),
    unchanged(outcomes),
    found(true, [
      twin ? `It is ${twin[0]}: the same probabilities on every trial.` : "It is none of the page’s masks.",
      "",
    ]),
  ];
}

/** @param {SamplerOutcome["values"][number]} id @param {ArrayLike<number>} probs */
function isDrawable(id, probs) {
  return typeof id === "number" && Number.isInteger(id) && probs[id] > 0;
}

/** @param {SamplerOutcome["values"][number]} given @returns {given is Float64Array} */
function isList(given) {
  return given instanceof Float64Array && given.every((one) => one < Infinity);
}

/**
 * Whether these are logits of a distribution.
 * @param {SamplerOutcome["values"][number]} given
 * @returns {given is Float64Array}
 */
export function isDistribution(given) {
  return isList(given) && given.some((one) => one > OUT);
}

/** The probabilities of logits, by id. @param {ArrayLike<number>} logits */
export function softmax(logits) {
  const best = Math.max(...Array.from(logits));
  const weights = Array.from(logits, (logit) => Math.exp(logit - best));
  const sum = weights.reduce((total, one) => total + one, 0);
  return weights.map((one) => one / sum);
}

/** @param {ArrayLike<number>} logits @param {ArrayLike<number>} probs */
function isAlike(logits, probs) {
  return softmax(logits).every((prob, id) => Math.abs(prob - probs[id]) < SAME);
}

/**
 * Judges an exercise on its hidden cases; the first that fails is explained. @returns {Promise<Finding[]>}
 * @param {string} exercise
 * @param {Run} run
 */
export async function judgeExercise(exercise, run) {
  const { name, settings = {} } = EXERCISES[exercise];
  const trials = Object.entries(TRIALS);
  const inputs = trials.map(([, logits]) =>
    name === "pick" ? oracle(logits, {}).probs : Float64Array.from(logits)
  );
  const outcomes = await run(inputs.map((input) => ({ input, pointers: name === "pick" ? ENDS : null })));
  for (const [i, [title, logits]] of trials.entries()) {
    const wrong = name === "pick"
      ? faultOfPick(outcomes[i].values, oracle(logits, settings), inputs[i])
      : faultOfProcess(outcomes[i].values[0], oracle(logits, settings), logits, settings);
    if (wrong !== null)
      return [{ isMet: false, words: `Case ${i + 1} of ${trials.length}, ${title}: ${wrong}` }];
  }
  const words =
    `All ${trials.length} hidden cases are right: ties, tokens ruled out, a sure model, sixty tokens.`;
  return [{ isMet: true, words }, unchanged(outcomes)];
}

/** @param {SamplerOutcome["values"]} ids @param {Oracle} given @param {ArrayLike<number>} probs */
function faultOfPick(ids, { draw }, probs) {
  const right = draw(0);
  const wrong = ids.find((id) => id !== right);
  if (wrong === undefined) return null;
  if (typeof wrong === "number" && probs[wrong] === probs[right]) {
    return `token ${wrong} ties with token ${right} for the best; of equals the lowest id is taken.`;
  }
  return `the best token is ${right}, it returned ${wrong}.`;
}

/**
 * Names what is wrong with the tokens that were kept; null where nothing is.
 * @param {SamplerOutcome["values"][number]} given
 * @param {Oracle} expected
 * @param {number[]} logits
 * @param {Partial<Values>} settings
 */
function faultOfProcess(given, { kept, probs }, logits, { top_p: p, top_k: k }) {
  if (!isList(given)) return NO_DISTRIBUTION;
  const best = [...kept.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
  const [right, own] = [kept, given.map((one) => one > OUT ? 1 : 0)].map((of) => best.filter((id) => of[id]));
  const raw = softmax(logits);
  /** @param {number[]} ids */
  const mass = (ids) => ids.reduce((sum, id) => sum + raw[id], 0).toFixed(3);
  const isBegun = own.every((id, i) => id === best[i]);
  if (p !== undefined && isBegun && own.length === right.length - 1) {
    return `off by one: the token that crosses p is left out. Those kept hold ${
      mass(own)
    }, less than ${p}; with ` +
      `token ${right.at(-1)} they hold ${mass(right)}.`;
  }
  if (p !== undefined && isBegun && own.length === right.length + 1) {
    return `off by one: ${right.length} tokens reach ${p} (they hold ${mass(right)}), it keeps one more.`;
  }
  if (k !== undefined && right.length > k && own.length === k) {
    return `tokens that tie with number ${k} are left out: ${right.length} have to stay.`;
  }
  if (String(own) !== String(right)) {
    /** @param {number[]} ids */
    const listed = (ids) => `${ids.slice(0, 8).join(", ") || "none"}${ids.length > 8 ? " …" : ""}`;
    return `of ids, best first, ${listed(right)} have to stay, it keeps ${listed(own)}.`;
  }
  if (!isDistribution(given)) return NO_DISTRIBUTION;
  return isAlike(given, probs) ? null : "the right tokens stay, but their logits have changed.";
}
