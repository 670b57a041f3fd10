// The picture of the next token: the distribution that it is drawn from, as rows and as the draw bar below
// them, on one axis from 0 to 100 %; or, side by side, the same tokens under every strategy on the same raw
// logits.

import { APPEND, BEATS } from "./beats.js";
import { fall, moveBeat, slide, wander } from "./beat_motion.js";
import { sentenceOf } from "./beat_words.js";
import { createCutWords } from "./cut_words.js";
import { createDrawBar } from "./draw_bar.js";
import { createDraws } from "./draws.js";
import { el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { formatCount } from "../../../frame/live/format.js";
import { COLUMNS, RARER, SWITCHED } from "./column_headers.js";
import { isInUse } from "../controls.js";
import { createMatrix } from "./matrix.js";
import { hasDistribution, N_LARGE_ROWS } from "./rows.js";
import { createPictures } from "./picture.js";
import { createPipeline } from "./pipeline.js";
import { keepPreference, prefers } from "../controls/preferences.js";
import { createSettingControls } from "../controls/setting_controls.js";
import { createSwitch } from "../controls/switch.js";
import {
  activeResult,
  aloneResult,
  describePipeline,
  lastStage,
  stageTitle,
  waitsForPython,
} from "../../../frame/live/strategies.js";
import { _, ngettext } from "../../../frame/live/words.js";

const LEGEND = [["kept", _("drawn from")], ["rejected", _("out: its share before the cut")]]
  .concat([["beyond", _("out: no part of the bar")]])
  .concat([["edge", stageTitle("top_p")], ["pointer", _("pointer")]]);

/** The bars with the draw bar, the sliders that move them, and the rarer masks. @param {Actions} actions @param {Node} loop */
export function createBars(actions, loop) {
  const top = createTopLine();
  const matrix = createMatrix(actions);
  const pointer = createDrawBar(actions);
  const draws = createDraws();
  const cut = createCutWords(() => lastView && update(lastView));
  const settings = createSettingControls(actions, (isNow) => {
    isTouched = isNow;
    if (lastView) update(lastView);
  });
  const pipeline = createPipeline(actions);
  const pictures = createPictures(() => lastView);
  const unsent = el("p", { class: "muted bars-unsent" });
  const compare = createSwitch(_("side by side"), _("What each slider does alone, beside the others"), () => {
    actions.beat(true); // it shows at once
    keepPreference("side", compare.isOn);
    if (lastView) update(lastView);
    else arrange([]);
  });
  compare.input.name = "compare";
  compare.set(prefers("side", false));
  const element = el(
    "section",
    { class: "bars", "aria-label": _("The next token") },
    top.element,
    createPicker(matrix.table),
    cut.element,
    el("div", { class: "plot" }, matrix.table, pointer.element),
    pointer.line,
    draws.element,
    unsent,
    loop,
    el("div", { class: "bars-foot" }, pictures.button, pipeline.element),
    pictures.menu,
  );
  /** @type {View|null} */
  let lastView = null;
  let shownBeat = 0;
  let isTouched = false; // top-p's slider
  let wasStairs = false;
  let wasAsked = false;
  /** The position on which the pointer fell last. @type {number|null} */
  let fellAt = null;
  const places = new Map(matrix.heads.map(({ element: head, setting }) => [head.dataset.col, setting]));
  arrange(RARER);

  /** Which strategies show; so also before there is anything to show. @param {string[]} hidden */
  function arrange(hidden) {
    const isComparing = compare.isOn && !lastView?.beat;
    setAttribute(element, "data-comparing", isComparing);
    const root = element.closest(".ott");
    if (root) setAttribute(root, "data-comparing", isComparing);
    settings.arrange(isComparing ? places : null, hidden);
    return isComparing;
  }

  /** @param {View} view */
  function update(view) {
    lastView = view;
    if (!hasDistribution(view)) return;
    setAttribute(element, "data-stage", view.stage);
    setAttribute(element, "data-beat", BEATS[view.beat - 1] ?? null);
    setAttribute(element, "data-drawn", view.isDrawn);
    const active = activeResult(view);
    const isComparing = arrange(RARER.filter((name) => !isInUse(name, view.controls)));
    top.update(view, active);
    /** @param {string} name */
    const resultOf = (name) => name === "active" ? active : aloneResult(view, name);
    const columns = isComparing ? COLUMNS : COLUMNS.filter(({ name }) => name === "active");
    const results = new Map(columns.map(({ name }) => [name, resultOf(name)]));
    const picture = matrix.update(view, results, !isComparing, isTouched, cut.isShown());
    cut.update(view, active, picture);
    draws.update(view);
    element.style.setProperty("--n-rows", String(picture.cells.length));
    setAttribute(element, "data-crowded", picture.tokens.length > N_LARGE_ROWS);
    element.style.setProperty("--n-rests", String(picture.cells.length - picture.tokens.length));
    settings.update(view);
    const { nUnsent } = view.distribution;
    setShown(unsent, nUnsent > 0);
    setText(
      unsent,
      ngettext(
        "{n} token was not sent by the server: its share is exact at temperature 1, else a bound (≤, ≥).",
        "{n} tokens were not sent by the server: their sum is exact at temperature 1, else a bound (≤, ≥); entropies take them as equally likely.",
        nUnsent,
      ),
    );
    const told = view.isTold && view.isDrawn ? APPEND : view.beat;
    pointer.update(view, picture, told > 0 ? sentenceOf(told, view, active) : null);
    setAttribute(pointer.line, "data-told", told > view.beat);
    setAttribute(element, "data-edge", !pointer.edge.hidden);
    pipeline.update(view, active);
    if (view.beat !== shownBeat) moveBeat(element, view, active, picture);
    else if (view.beat === 0 && view.pointer === null && picture.isStairs !== wasStairs)
      slide(picture, picture.isStairs);
    const isTooFast = view.isPlaying && !view.isPaced; // a fall takes longer than a token
    if (view.isDrawn && view.position !== fellAt && !isTooFast && view.beat === 0) fall(pointer.element);
    const isAsked = view.hidden && view.asksNewcomer && !isComparing;
    if (isAsked !== wasAsked) wander(pointer.waiting, wasAsked = isAsked);
    fellAt = view.isDrawn || view.beat > 0 ? view.position : null;
    shownBeat = view.beat;
    wasStairs = picture.isStairs;
  }
  return {
    element,
    update,
    settings: settings.element,
    switches: [compare.element, ...pointer.switches],
    root: () => arrange(RARER),
  };
}

/** What one sees, in a sentence, and the legend. */
function createTopLine() {
  const active = el("p", { class: "bars-active" });
  const words = el("b", { class: "bars-words" });
  const keys = LEGEND.map(([name, text]) => el("span", { class: `bars-key is-${name}` }, text));
  const element = el(
    "div",
    { class: "row muted bars-top" },
    active,
    el("span", { class: "row bars-legend" }, ...keys),
  );
  let shown = "";
  /** @param {BarsView} view @param {Result} result */
  function update(view, result) {
    const said = sayDrawnFrom(result, view.distribution.nVocab);
    const pipeline = describePipeline(result, view.settings);
    if (shown === said + pipeline) return;
    shown = said + pipeline;
    const [before, after] = said.split("{pipeline}");
    setText(words, pipeline);
    active.replaceChildren(before, words, after);
  }
  return { element, update };
}

/**
 * From how many tokens is drawn; `{pipeline}` is left to be filled in.
 * @param {Result} result
 * @param {number} nVocab
 */
function sayDrawnFrom(result, nVocab) {
  if (waitsForPython(result)) return _("Drawn from some tokens: {pipeline}");
  const { nKept } = lastStage(result);
  return nKept === nVocab
    ? ngettext("Drawn from all {n} token: {pipeline}", "Drawn from all {n} tokens: {pipeline}", nVocab)
    : ngettext(
      "Drawn from {n_kept} of {n} token: {pipeline}",
      "Drawn from {n_kept} of {n} tokens: {pipeline}",
      nVocab,
      { n_kept: formatCount(nKept) },
    );
}

/**
 * On a narrow page one strategy stands beside the active one: this chooses which.
 * @param {HTMLElement} table
 */
function createPicker(table) {
  const choices = COLUMNS.filter(({ name }) => name !== "active");
  const options = choices.map(({ name, title }) => el("option", { value: name }, title));
  const show = () => {
    for (const cell of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("[data-col]")))
      cell.toggleAttribute("data-picked", cell.dataset.col === select.value);
  };
  const select = el("select", { onchange: show }, ...options);
  select.value = SWITCHED[0];
  show();
  return el("label", { class: "bars-picker" }, _("Strategy beside the active one"), " ", select);
}
