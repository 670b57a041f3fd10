// A word by name: its rank, its probability, its share after each mask, followed while one steps. Below it,
// what an API's `logprobs=5` would have shown of the same step.

import { announced } from "../../../frame/live/announced.js";
import { createCopy } from "./copy.js";
import { createButton, el, setAttribute, setShown, setText } from "../../../frame/live/dom.js";
import { hasDistribution } from "../figures/rows.js";
import { logprobsJson, tokenNamed, wordFacts } from "../figures/word_facts.js";
import { _ } from "../../../frame/live/words.js";

const COVERED = _("After your guess: it would tell what comes next.");
const NO_STEP = _("The text is finished: go back for a next token.");

/** The field, and what it found. @param {Actions} actions @returns {Part} */
export function createAskWord(actions) {
  const box = el("input", {
    type: "text",
    class: "guess-box ask-word-box",
    id: "ask-word",
    dir: "auto",
    maxLength: 200,
    autocomplete: "off",
    spellcheck: false,
    placeholder: _("a word, ␣the, ⏎, <|endoftext|>"),
  });
  const submit = el("button", { type: "submit", class: "button" }, _("Ask"));
  const forget = createButton("quiet", _("forget it"), () => view && actions.askWord("", view.position));
  const form = el(
    "form",
    { class: "row ask-word-row" },
    el("label", { htmlFor: "ask-word" }, _("Ask for a word")),
    box,
    submit,
    forget,
  );
  const name = el("b", { translate: false });
  const title = el("span", {});
  const head = el("p", { class: "ask-word-head" }, name, " ", title);
  const answer = announced(el("span", { hidden: true })); // is said once, and not again at each step
  const rows = el("tbody", {});
  const table = el("table", { class: "ask-word-table" }, rows);
  const note = el("p", { class: "muted" });
  const found = el("div", { class: "ask-word-found" }, head, table, note);
  const element = el(
    "details",
    { class: "section ask-word" },
    el("summary", { textContent: _("The probability of any word") }),
    form,
    found,
    answer,
  );
  /** @type {View|null} */
  let view = null;
  /** @type {Word|null} */
  let answered = null; // the word that was said
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = box.value;
    if (text.trim() !== "" && view?.distribution && !view.hidden)
      actions.askWord(text, view.position, tokenNamed(text, view.labels));
  });
  element.addEventListener("toggle", () => view && update(view));

  /** @param {View} now */
  function update(now) {
    view = now;
    if (!element.open) return;
    const { word } = view.header;
    const cannot = view.hidden ? COVERED : view.distribution === null ? NO_STEP : null;
    submit.disabled = cannot !== null;
    setShown(forget, word !== null);
    setShown(found, cannot !== null || word !== null);
    const facts = cannot === null && word !== null && hasDistribution(view) ? wordFacts(view) : NOTHING;
    setText(name, facts === NOTHING || word === null ? "" : word.ids.map(view.label).join(" · "));
    if (word !== answered) setText(answer, facts === NOTHING ? "" : `${name.textContent} ${facts.title}`);
    answered = word;
    setText(title, facts.title);
    setText(note, cannot ?? facts.note);
    setAttribute(found, "data-stale", facts.isStale);
    writeRows(rows, facts.rows);
  }
  return { element, update };
}

/** @type {WordFacts} */
const NOTHING = { title: "", rows: [], note: "", isStale: false };

/** @param {HTMLTableSectionElement} body @param {WordFacts["rows"]} rows */
function writeRows(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach(({ name, words }, i) => {
    if (!body.rows[i]) body.append(el("tr", {}, el("th", { scope: "row", translate: false }), el("td", {})));
    setText(body.rows[i].cells[0], name);
    setText(body.rows[i].cells[1], words);
  });
}

/** The JSON of the five best tokens. @returns {Part} */
export function createLogprobs() {
  const code = el("pre", { class: "logprobs", tabIndex: 0, "aria-label": _("The five best tokens as JSON") });
  const copy = createCopy(_("copy the JSON"), () => code.textContent, () => _("there is nothing yet"));
  const note = el("p", { class: "muted" });
  const element = el(
    "details",
    { class: "section" },
    el("summary", { textContent: _("What an API’s logprobs=5 would have shown of this step") }),
    note,
    code,
    copy,
  );
  /** @type {View|null} */
  let view = null;
  element.addEventListener("toggle", () => view && update(view));

  /** @param {View} now */
  function update(now) {
    view = now;
    if (!element.open) return;
    const cannot = view.hidden ? COVERED : view.distribution === null ? NO_STEP : null;
    const drawn = view.chosenId === null ? ` ${_("Before the draw there is no token yet.")}` : "";
    const known = _(
      "Log-probabilities in nats, before temperature and masks: raw log-softmax, as vLLM gives them.",
    );
    setText(note, cannot ?? known + drawn);
    setText(code, cannot === null ? logprobsJson(view) : "");
    setShown(code, cannot === null);
    setShown(copy, cannot === null);
  }
  return { element, update };
}
