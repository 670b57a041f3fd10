// The true numbers of the loop, in words: what stands in its stations and on its arrows. Computes
// nothing of its own but reads the pass, the active masks and the pointer.

import { isolated, shorten } from "../../../frame/live/dom.js";
import {
  formatBytes,
  formatCount,
  formatEntropy,
  formatParameters,
  formatPointer,
  formatSeconds,
  formatTokens,
} from "../../../frame/live/format.js";
import { _, ngettext, numeral } from "../../../frame/live/words.js";
import { keepsKeys, newestPass, readRows } from "./steprows.js";
import {
  activeResult,
  describePipeline,
  drawnToken,
  lastStage,
  waitsForPython,
} from "../../../frame/live/strategies.js";

const MAX_LABEL = 14; // characters of a token in a station

/**
 * Reads the pass that made the distribution on screen: the last one, or that of a past step. A
 * position of the prompt had no pass of its own; it is run anew to be looked at, and not timed.
 * @param {View} view
 * @returns {Pass}
 */
export function passOf({ header, position }) {
  const { cache, ids, n_prompt: nPrompt } = header;
  if (position >= ids.length) return newestPass(header);
  return readRows(header)[position - nPrompt] ?? {
    phase: "prefill",
    seconds: null,
    nInput: position,
    isShared: false,
    tokens: position,
    // a state that sums up what was read is as large after one token as after all
    bytes: keepsKeys(cache) ? position * cache.bytes_per_token : cache.bytes,
    hasKeys: keepsKeys(cache),
  };
}

/**
 * Puts the loop into words: of each beat what a newcomer reads first, then the numbers of a laboratory.
 * @param {View} view
 * @param {Pass} pass what passOf returned
 * @returns {Record<string, string[]>} lines by beat
 */
export function loopFacts(view, pass) {
  const read = readFacts(view, pass);
  if (view.hidden || view.distribution === null) return { ...unknownFacts(view), read };
  const result = activeResult(view);
  const [raw, last] = [result.stages[0], lastStage(result)];
  const { id } = tokenOf(view, result);
  const nVocab = view.distribution.nVocab;
  return {
    read,
    score: [
      ngettext("{n} share", "{n} shares", nVocab),
      _("best logit {number}, {token}", {
        number: numeral(raw.scores[0].toFixed(2)),
        token: shortLabel(view, result.idOf(0)),
      }),
      _("entropy {entropy}", { entropy: formatEntropy(raw) }),
    ],
    cut: [
      keptInShort(result, last.nKept, nVocab),
      describePipeline(result, view.settings),
      _("entropy {entropy}", { entropy: formatEntropy(last) }),
    ],
    draw: drawInWords(view, last, id),
    append: appendInWords(view, id),
  };
}

/** @param {Result} result @param {number} nKept @param {number} nVocab */
function keptInShort(result, nKept, nVocab) {
  if (waitsForPython(result)) return _("some stay");
  return nKept === nVocab ? _("all stay") : ngettext("{n} stays", "{n} stay", nKept);
}

/** While the bars are hidden, or the text has ended: nothing of what comes next. @param {View} view */
function unknownFacts(view) {
  const shares = ngettext("{n} share", "{n} shares", view.header.model.vocab_size);
  const ask = view.hidden ? [_("after your guess")] : [];
  return { score: [shares], cut: ask, draw: [], append: [] };
}

/** @param {View} view @param {Pass} pass */
function readFacts({ header, contextIds }, { phase, seconds, nInput }) {
  const { model } = header;
  const nContext = contextIds.length;
  const nPrompt = Math.min(header.n_prompt, nContext);
  const time = seconds === null ? _("run anew") : formatSeconds(seconds);
  const tokens = nInput === 1 ? _("1 new token") : formatTokens(nInput);
  return [
    _("{tokens}, {time}", { tokens, time }),
    _("{n_prompt} of the prompt, {n_written} written", {
      n_prompt: formatCount(nPrompt),
      n_written: formatCount(nContext - nPrompt),
    }),
    seconds === null
      ? _("{phase}, run anew to look back", { phase })
      : _("{phase} {time}, measured", { phase, time }),
    _("{model}, {number} parameters, {device}, {dtype}", {
      model: model.name,
      number: formatParameters(model.n_parameters),
      device: deviceName(model.device),
      dtype: model.dtype,
    }),
  ];
}

/**
 * What a device is called; those of a server and of a browser are described, not named.
 * @param {string} device
 */
export function deviceName(device) {
  if (device === "your browser") return _("your browser");
  return device === "server" ? _("server") : device;
}

/** @param {View} view @param {number} id */
function shortLabel(view, id) {
  return isolated(shorten(view.label(id), MAX_LABEL));
}

/**
 * The token of this position: chosen, or the one on which the pointer falls.
 * @param {View} view
 * @param {Result} result
 */
function tokenOf(view, result) {
  const id = view.chosenId ?? drawnToken(result, view.pointer)?.id ?? null;
  const row = id === null ? -1 : result.rowOf(id);
  return { id, prob: row < 0 ? NaN : lastStage(result).probs[row] };
}

/** @param {View} view @param {number|null} id */
function appendInWords({ isBeforeDraw, contextIds, label }, id) {
  if (isBeforeDraw) return [_("no id yet"), _("not yet")];
  const token = id === null ? "–" : shorten(label(id), MAX_LABEL);
  return [
    id === null ? "id –" : `id ${id}`,
    token,
    _("length {number}", { number: formatCount(contextIds.length + 1) }),
  ];
}

/** @param {View} view @param {Stage} last @param {number|null} id */
function drawInWords(view, last, id) {
  if (view.isBeforeDraw) return [_("not yet"), _("press Next")];
  if (view.forced && view.chosenId !== null) return [_("chosen by you"), _("whatever the pointer")];
  if (view.pointer === null) return [_("of the prompt")];
  if (last.name === "greedy") return [_("the likeliest"), _("the pointer decides nothing")];
  const pointer = _("pointer {number}", { number: formatPointer(view.pointer) });
  if (id === null) return [pointer, _("waits for Python")];
  const token = shortLabel(view, id);
  return [
    pointer,
    view.chosenId === null ? _("falls on {token}", { token }) : _("fell on {token}", { token }),
  ];
}

/** What is kept after a pass, in tokens and bytes; a state sums up all tokens. @param {Pass} pass */
export function cacheInWords({ tokens, bytes, hasKeys }) {
  const size = formatBytes(bytes);
  if (!hasKeys) return bytes > 0 ? _("state: {size}", { size }) : _("no cache");
  return _("KV cache: {n_tokens}, {size} in use", { n_tokens: formatTokens(tokens), size });
}

/** What is held, and what one token takes of it: as a product where it is one. @param {Cache} cache */
export function cacheFormula(cache) {
  const { bytes, bytes_held: held, bytes_per_token: perToken } = cache;
  if (perToken === 0) {
    return held === 0
      ? _("this model keeps no cache: each pass reads the whole text again")
      : _("{bytes} held: no keys and values, but a state that sums up what was read", {
        bytes: formatBytes(held),
      });
  }
  const said = { bytes: formatBytes(held), each: formatBytes(perToken), product: factors(cache) };
  return held > bytes
    ? _("{bytes} held, with room for more tokens; {each} per token{product}", said)
    : _("{bytes} held; {each} per token{product}", said);
}

/**
 * The product that a token's bytes are: of keys and values, or of one latent for both.
 * @param {Cache} cache
 */
function factors(cache) {
  const { n_layers: nLayers, n_kv_heads: nHeads, head_dim: size, bytes_per_number: width } = cache;
  const layers = ngettext("{n} layer", "{n} layers", nLayers);
  const numbers = ngettext("{n} number", "{n} numbers", size);
  const each = ngettext("{n} byte", "{n} bytes", width);
  const product = nLayers * nHeads * size * width;
  if (cache.bytes_per_token === 2 * product) {
    const heads = ngettext("{n} KV head", "{n} KV heads", nHeads);
    return ` = 2 × ${layers} × ${heads} × ${numbers} × ${each}`;
  }
  if (cache.bytes_per_token === product && nHeads === 1) {
    return ` = ${_("{layers} × {numbers} for keys and values together × {each}", { layers, numbers, each })}`;
  }
  return `, ${_("summed layer by layer")}`;
}
