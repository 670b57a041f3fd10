// The page: the live component with the model itself behind it, and around it what Streamlit gives on the
// app's page. It asks for nothing: all that it needs is in its file.

import { el, find, setText } from "../../frame/live/dom.js";
import { keepFocus } from "../../frame/live/focus.js";
import { formatCount } from "../../frame/live/format.js";
import { giveLabels } from "../../frame/live/labels.js";
import { createOwnSampler } from "../../frame/live/lazy/own_sampler.js";
import { createSliderMap } from "../../frame/live/lazy/slider_map.js";
import { giveLazyModule } from "../../frame/live/lazy_module.js";
import { createLazySection } from "../../frame/live/lazy_section.js";
import { required } from "../../frame/live/required.js";
import { replaceAddress } from "../../frame/live/page_address.js";
import { _, translateMarkup } from "../../frame/live/words.js";
import { embed, isEmbedded } from "../live/controls/embed.js";
import { createFiles } from "../live/controls/files.js";
import { makePicture } from "../live/figures/picture_maker.js";
import { Live } from "../live/live.js";
import { createOwnText } from "../live/own_text.js";
import { PageEngine } from "../live/engines/page.js";
import { createProgram } from "../live/session/program.js";
import { Session } from "../live/session/session.js";
import { connectLesson } from "./lesson.js";
import { createToolbar } from "./toolbar.js";
import { SeedField } from "./seed_field.js";
import { readingInWords } from "../live/controls/transport.js";

/** The element of an id. @param {string} id */
const node = (id) => required(document.getElementById(id), `element “${id}”`);

/** The line and the bar that stand there until the model is unpacked. */
function opening() {
  const [words, progress] = node("opening").children;
  return {
    words: /** @type {HTMLElement} */ (words),
    progress: /** @type {HTMLProgressElement} */ (progress),
  };
}

/** Starts the page; `sheet` is the live component's style, `workers` has the address of the model's script. */
export default function (
  /** @type {{sheet: CSSStyleSheet, workers: Record<"model"|"map", string>}} */ { sheet, workers },
) {
  translateMarkup(document);
  /** @type {PageFacts} */
  const facts = JSON.parse(node("facts").textContent ?? "");
  const weights = node("weights").textContent ?? "";
  node("weights").remove(); // the worker has them from here on
  moveHash();
  const engine = new PageEngine(new Worker(workers.model), { facts, weights });
  const page = new Page(facts.model.name);
  const session = new Session(engine, readAddress(facts), page);
  page.seed.connect(session);
  const opened = session.answer(/** @type {LoopEvent} */ ({ kind: "state", branch: null }));
  globalThis.oneToken = createProgram(session, opened);
  giveLabels(facts.model.labels, facts.labels);
  giveLazyModule("slider_map", { createSliderMap, startWorker: () => new Worker(workers.map) });
  giveLazyModule("own_sampler", { createOwnSampler });
  giveLazyModule("picture_maker", { makePicture });
  session.listen({ changed() {}, troubled: () => showReading(session.reading) });
  opened.then(() => show(session, facts, sheet, page), refuse);
}

/** Moves what the address says behind `#` behind `?`, where all parts of the page read it. */
function moveHash() {
  const said = location.hash.slice(1);
  if (said.includes("=")) replaceAddress(`${location.pathname}?${said}`);
}

/** Says how far the model is in a prompt that has nothing to show yet. @param {PassProgress|null} reading */
function showReading(reading) {
  if (reading === null || reading.nTokens === 0) return;
  const { words, progress } = opening();
  setText(words, readingInWords(reading));
  progress.hidden = false;
  progress.value = reading.share;
}

/** What is around the session in a file. @implements {SessionHost} */
class Page {
  /** @param {string} model the one that is in it */
  constructor(model) {
    this.model = model;
    this.seed = new SeedField();
  }

  /** @param {string} name */
  otherModel(name) {
    return _("This file holds {model} alone: open the link in the app for {other}.", {
      model: this.model,
      other: name,
    });
  }

  /** @param {Session} session */
  changed({ active: { seed } }) {
    this.seed.show(seed);
  }
}

/**
 * What the address asks for: behind `?`, or behind `#` where a file is opened without one.
 * @param {{query: string}} facts
 */
function readAddress({ query }) {
  const said = location.search.slice(1) || location.hash.slice(1) || query;
  return new URLSearchParams(said);
}

/** @param {Error} error */
function refuse(error) {
  const { words, progress } = opening();
  words.textContent = error.message;
  progress.hidden = true;
}

/** @param {Session} session @param {PageFacts} facts @param {CSSStyleSheet} sheet @param {Page} page */
function show(session, facts, sheet, page) {
  const place = node("live").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  node("opening").remove();
  if (isEmbedded()) embed(node("live"));
  const live = new Live(place, session);
  const toolbar = createToolbar(session, page.seed);
  if (!isEmbedded()) {
    toolbar.addTo(live.layout.root);
    find(live.layout.root, ".below").append(createSampler(live));
    place.append(createFiles(session, ["csv", "json"]));
  }
  keepFocus();
  session.page?.changed();
  addEventListener("pagehide", () => session.rest());
  toolbar.turn(readAddress({ query: "" }));
  addEventListener("hashchange", () => follow(session, toolbar));
  const { name, n_parameters: nWeights } = facts.model;
  node("model").textContent = _("The model is {model}: {number} weights, trained on simple stories.", {
    model: name,
    number: formatCount(nWeights),
  });
  writeWay(node("way"));
  node("foot").hidden = false;
  page.changed(session);
  /** @type {FileLesson|null} */
  const lesson = JSON.parse(node("lesson-data").textContent ?? "");
  /** @param {string} query */
  const open = (query) => {
    live.hand.isAnswered = true; // the lesson asks: a newcomer's first question waits
    toolbar.turn(new URLSearchParams(query), ["predict"]);
    return session.do({ kind: "open", texts: [{ query, keep: false }] });
  };
  if (lesson !== null && !isEmbedded())
    connectLesson({ lesson, place: node("lesson"), offer: node("offer"), live: node("live"), open });
}

/** Says where the rest of the app is, and how to start it. @param {Element} place */
function writeWay(place) {
  const sentence = _(
    "Other models, the lessons, the measurements and a room for a class are in the app that this page is a part of: get its code and run {command}.",
  );
  const [before, after] = sentence.split("{command}");
  place.replaceChildren(before, el("code", { translate: false }, "make run"), after ?? "");
}

/** The section in which a reader writes a sampler. @param {Live} live */
function createSampler(live) {
  const section = createLazySection(
    _("Your own sampler: write one, and let it be judged"),
    "own_sampler",
    (module) => module.createOwnSampler(createOwnText(live)),
  );
  return section.element;
}

/**
 * Opens what was pasted behind `#` into the address of the open file.
 * @param {Session} session
 * @param {{turn: (said: URLSearchParams) => void}} switches
 */
async function follow(session, switches) {
  const query = location.hash.slice(1);
  if (!query.includes("=")) return;
  moveHash();
  switches.turn(readAddress({ query: "" }));
  await session.do({ kind: "open", texts: [{ query, keep: false }] });
}
