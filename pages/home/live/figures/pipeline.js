// More settings, and the pipeline: every stage in its order with what it removed.

import { announced } from "../../../frame/live/announced.js";
import { createButton, el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatEntropy, formatNumber, formatProbability } from "../../../frame/live/format.js";
import { memoryUnder } from "../../../frame/live/memory.js";
import { SETTINGS } from "../../../frame/live/settings.js";
import { createSlider } from "../../../frame/live/sliders.js";
import {
  actsInOrder,
  describeStage,
  endUnderPenalty,
  ENGINE_TITLES,
  ignoredSettings,
  replacedSettings,
  stageTitle,
} from "../../../frame/live/strategies.js";
import { _, listed, ngettext } from "../../../frame/live/words.js";

/** The settings without a column, and what a server changes. */
const MORE = /** @type {SettingName[]} */ (Object.keys(SETTINGS)).filter((name) => !SETTINGS[name].isCommon);
/** @type {Partial<Record<SettingName, string>>} */
const ON_SERVER = { repetition_penalty: _("over a server it acts on log-probabilities") };

/** Makes the folded part under the bars. @param {Actions} actions */
export function createPipeline(actions) {
  const order = createOrder(actions);
  const stages = createStages();
  const fields = MORE.map((name) => createField(name, actions));
  const element = el(
    "details",
    { class: "more section" },
    el("summary", {}, _("More settings, and their order")),
    el("div", { class: "row more-order" }, order.label, stages.element),
    stages.warning,
    el("div", { class: "more-fields" }, ...fields.map((field) => field.element)),
  );
  /** @type {[BarsView, Result]|null} */
  let shown = null;
  element.addEventListener("toggle", () => shown && update(...shown));

  /** What is folded away is written once it opens. @param {BarsView} view @param {Result} active */
  function update(view, active) {
    shown = [view, active];
    if (!element.open) return;
    order.update(view);
    stages.update(view, active);
    fields.forEach((field) => field.update(view, active));
  }
  return { element, update };
}

/** @param {Actions} actions */
function createOrder(actions) {
  const select = el("select", {
    name: "order",
    onchange: () => actions.setControl("order", select.value, true),
  });
  const label = el("label", {}, _("Order as in"), " ", select);
  let names = "";
  /** @param {View} view */
  function update({ controls, orders }) {
    if (names !== Object.keys(orders).join()) {
      names = Object.keys(orders).join();
      select.replaceChildren(
        ...Object.keys(orders).map((name) => el("option", { value: name }, ENGINE_TITLES[name])),
      );
    }
    if (select.value !== controls.order) select.value = controls.order;
  }
  return { label, update };
}

function createStages() {
  const element = el("ol", {
    class: "row more-stages",
    "aria-label": _("The pipeline, first stage to last"),
  });
  const warning = announced(el("p", { class: "more-warning" }));
  /** @type {{node: HTMLElement, title: HTMLElement, effect: HTMLElement}[]} */
  const chips = [];
  /** @param {number} i */
  function chipAt(i) {
    if (!chips[i]) {
      const title = el("b", {});
      const effect = el("span", { class: "muted" });
      chips[i] = { node: el("li", { class: "more-stage" }, title, effect), title, effect };
      element.append(chips[i].node);
    }
    return chips[i];
  }
  /** @param {BarsView} view @param {Result} result */
  function update(view, { stages }) {
    stages.forEach((stage, i) => {
      const chip = chipAt(i);
      setText(chip.title, i === 0 ? _("raw logits") : describeStage(stage.name, view.settings));
      setText(chip.effect, i === 0 ? rawInWords(stage) : effectInWords(stage, stages[i - 1]));
    });
    chips.forEach((chip, i) => setShown(chip.node, i < stages.length));
    const words = idleInWords(view);
    setShown(warning, words !== "");
    setText(warning, words);
  }
  return { element, warning, update };
}

/** @param {Stage} stage */
function rawInWords(stage) {
  return ngettext("{n} token, entropy {entropy}", "{n} tokens, entropy {entropy}", stage.nKept, {
    entropy: formatEntropy(stage),
  });
}

/** @param {Stage} stage @param {Stage} given */
function effectInWords(stage, given) {
  if (stage.reachesTail)
    return _("its cut lies among tokens that the page does not hold: waits for Python");
  const nRemoved = given.nKept - stage.nKept;
  if (nRemoved > 0)
    return ngettext("removed {share}, {n} token", "removed {share}, {n} tokens", nRemoved, {
      share: formatProbability(stage.removedMass),
    });
  if (stage.entropy === given.entropy) return _("removed nothing");
  return _("removed nothing, entropy {before} to {after}", {
    before: formatEntropy(given),
    after: formatEntropy(stage),
  });
}

/** Which settings do nothing, and why; empty where all of them act. @param {View} view */
function idleInWords({ settings, controls }) {
  const [ignored, replaced] = [ignoredSettings(settings), replacedSettings(settings)];
  const without = ignored.length > 0 ? ignoredInWords(ignored, controls.order) : "";
  if (replaced.length === 0) return without;
  const idle = _("Mirostat takes the place of {settings}: beside it the temperature alone acts.", {
    settings: listed(replaced.map(stageTitle)),
  });
  return `${without} ${idle}`.trim();
}

/** @param {string[]} names @param {string} order */
function ignoredInWords(names, order) {
  const said = { engine: ENGINE_TITLES[order], settings: listed(names.map(stageTitle)) };
  return ngettext(
    "{engine} has no {settings}: this setting does nothing in its order.",
    "{engine} has none of {settings}: these settings do nothing in its order.",
    names.length,
    said,
  );
}

/**
 * What mirostat lets pass now: of the text so far, not of the slider alone.
 * @param {string} name
 * @param {View} view
 */
function limitInWords(name, { controls, memory }) {
  const { target, mu } = memoryUnder(memory, controls.mirostat);
  if (name !== "mirostat" || target === 0) return "";
  const least = formatProbability(Math.min(1, 2 ** -mu));
  return _("Now up to {number} bits: tokens of {share} and more, and the best", {
    number: formatNumber(mu),
    share: least,
  });
}

/**
 * What the repetition penalty does to the end, where a token that ends a text stands in the prompt.
 * @param {string} name
 * @param {View} view
 */
function endInWords(name, view) {
  const ends = name === "repetition_penalty" && !view.isPlaying ? endUnderPenalty(view) : null;
  if (ends === null) return "";
  const [counted, alone] = [ends.counted, ends.generatedAlone].map((share) => formatProbability(share));
  return _(
    "The token before the text is also the one that ends it: counted, it has {counted} here; with generated tokens alone {alone}",
    { counted, alone },
  );
}

/** What a setting does, and what it does here. @param {SettingName} name @param {View} view */
function noteInWords(name, view) {
  const onServer = view.header.model.device === "server" ? ON_SERVER[name] : undefined;
  const says = [SETTINGS[name].says, onServer].filter(Boolean).join("; ");
  return [says, limitInWords(name, view), endInWords(name, view)].filter(Boolean).join(". ");
}

/** @param {SettingName} name @param {Actions} actions */
function createField(name, actions) {
  const { title, neutral } = SETTINGS[name];
  const slider = createSlider(name, (...move) => actions.setControl(...move));
  const off = createButton(
    "quiet muted more-off",
    _("off"),
    () => actions.setControl(name, neutral, true),
  );
  setAttribute(off, "aria-label", _("{setting} off", { setting: stageTitle(name) }));
  const note = el("span", { class: "muted" });
  const head = el("span", { class: "more-title" }, title, slider.readout, off);
  const element = el("div", { class: "more-field" }, head, slider.input, note);
  return {
    element,
    /** @param {BarsView} view @param {Result} result */
    update(view, { stages }) {
      const { controls, orders, distribution, isPlaying } = view;
      const has = actsInOrder(name, orders[controls.order]);
      const place = stages.findIndex((stage) => stage.name === name);
      const effect = place < 1 || isPlaying ? "" : effectInWords(stages[place], stages[place - 1]);
      slider.set(controls[name], distribution.nVocab, effect);
      slider.input.disabled = !has;
      off.disabled = controls[name] === neutral;
      setAttribute(element, "data-missing", has ? null : "true");
      setText(
        note,
        has ? noteInWords(name, view) : _("{engine} has no {setting}: choose another order to use it", {
          engine: ENGINE_TITLES[controls.order],
          setting: stageTitle(name),
        }),
      );
    },
  };
}
