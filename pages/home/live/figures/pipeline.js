// More masks and penalties, and the pipeline: every stage in its order with what it removed.

import { announced } from "../../../frame/live/announced.js";
import { createButton, el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatCount, formatEntropy, formatNumber, formatProbability } from "../../../frame/live/format.js";
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

/** The settings without a column, and what a server changes. */
const MORE = Object.keys(SETTINGS).filter((name) => !SETTINGS[name].isCommon);
const ON_SERVER = { repetition_penalty: "; over a server it acts on log-probabilities" };

/** Makes the folded part under the bars. @param {Actions} actions */
export function createPipeline(actions) {
  const order = createOrder(actions);
  const stages = createStages();
  const fields = MORE.map((name) => createField(name, actions));
  const element = el(
    "details",
    { class: "more section" },
    el("summary", {}, "More masks and penalties, and the order of the pipeline"),
    el("div", { class: "row more-order" }, order.label, stages.element),
    stages.warning,
    el("div", { class: "more-fields" }, ...fields.map((field) => field.element)),
  );
  return {
    element,
    update(view, active) {
      order.update(view);
      stages.update(view, active);
      fields.forEach((field) => field.update(view, active));
    },
  };
}

function createOrder(actions) {
  const select = el("select", {
    name: "order",
    onchange: () => actions.setControl("order", select.value, true),
  });
  const label = el("label", {}, "Order as in ", select);
  let names = "";
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
  const element = el("ol", { class: "row more-stages", "aria-label": "The pipeline, first stage to last" });
  const warning = announced(el("p", { class: "more-warning" }));
  const chips = [];
  function chipAt(i) {
    if (!chips[i]) {
      const title = el("b", {});
      const effect = el("span", { class: "muted" });
      chips[i] = { node: el("li", { class: "more-stage" }, title, effect), title, effect };
      element.append(chips[i].node);
    }
    return chips[i];
  }
  function update(view, { stages }) {
    stages.forEach((stage, i) => {
      const chip = chipAt(i);
      setText(chip.title, i === 0 ? "raw logits" : describeStage(stage.name, view.settings));
      setText(chip.effect, i === 0 ? rawInWords(stage) : effectInWords(stage, stages[i - 1]));
    });
    chips.forEach((chip, i) => setShown(chip.node, i < stages.length));
    const words = idleInWords(view);
    setShown(warning, words !== "");
    setText(warning, words);
  }
  return { element, warning, update };
}

function rawInWords(stage) {
  return `${formatCount(stage.nKept)} tokens, entropy ${formatEntropy(stage)}`;
}

function effectInWords(stage, given) {
  if (stage.reachesTail)
    return "its cut lies among tokens that the page does not hold: waits for Python";
  const nRemoved = given.nKept - stage.nKept;
  if (nRemoved > 0)
    return `removed ${formatProbability(stage.removedMass)}, ${formatCount(nRemoved)} tokens`;
  if (stage.entropy === given.entropy) return "removed nothing";
  return `removed nothing, entropy ${formatEntropy(given)} to ${formatEntropy(stage)}`;
}

/** Which settings do nothing, and why; empty where all of them act. */
function idleInWords({ settings, controls }) {
  const [ignored, replaced] = [ignoredSettings(settings), replacedSettings(settings)];
  const without = ignored.length > 0 ? ignoredInWords(ignored, controls.order) : "";
  if (replaced.length === 0) return without;
  const idle = `Mirostat takes the place of ${
    replaced.map(stageTitle).join(", ")
  }: beside it the temperature alone acts.`;
  return `${without} ${idle}`.trim();
}

function ignoredInWords(names, order) {
  const titles = names.map(stageTitle).join(" and no ");
  const engine = ENGINE_TITLES[order];
  const plural = names.length > 1;
  const these = plural ? "these settings do" : "this setting does";
  return `${engine} has no ${titles}: ${these} nothing in its order.`;
}

/** What mirostat lets pass now: of the text so far, not of the slider alone. */
function limitInWords(name, { controls, memory }) {
  const { target, mu } = memoryUnder(memory, controls.mirostat);
  if (name !== "mirostat" || target === 0) return "";
  const least = formatProbability(Math.min(1, 2 ** -mu));
  return `. Now up to ${formatNumber(mu)} bits: tokens of ${least} and more, and the best`;
}

/** What the repetition penalty does to the end, where a token that ends a text stands in the prompt. */
function endInWords(name, view) {
  const ends = name === "repetition_penalty" && !view.isPlaying ? endUnderPenalty(view) : null;
  if (ends === null) return "";
  const [counted, alone] = [ends.counted, ends.generatedAlone].map((share) => formatProbability(share));
  return `. The token before the text is also the one that ends it: counted, it has ${counted} here; with generated tokens alone ${alone}`;
}

function createField(name, actions) {
  const { title, says, neutral } = SETTINGS[name];
  const slider = createSlider(name, (...move) => actions.setControl(...move));
  const off = createButton(
    "quiet muted more-off",
    "off",
    () => actions.setControl(name, neutral, true),
  );
  setAttribute(off, "aria-label", `${title.toLowerCase()} off`);
  const note = el("span", { class: "muted" });
  const head = el("span", { class: "more-title" }, title, slider.readout, off);
  const element = el("div", { class: "more-field" }, head, slider.input, note);
  return {
    element,
    update(view, { stages }) {
      const { controls, orders, distribution, header, isPlaying } = view;
      const has = actsInOrder(name, orders[controls.order]);
      const place = stages.findIndex((stage) => stage.name === name);
      const effect = place < 1 || isPlaying ? "" : effectInWords(stages[place], stages[place - 1]);
      slider.set(controls[name], distribution.nVocab, effect);
      slider.input.disabled = !has;
      off.disabled = controls[name] === neutral;
      setAttribute(element, "data-missing", has ? null : "true");
      setText(
        note,
        has
          ? says + (header.model.device === "server" ? ON_SERVER[name] ?? "" : "") +
            limitInWords(name, view) +
            endInWords(name, view)
          : `${ENGINE_TITLES[controls.order]} has no ${stageTitle(name)}: choose another order to use it`,
      );
    },
  };
}
