// The page: the live component with the model itself behind it, and around it what Streamlit gives on the
// app's page. It asks for nothing: all that it needs is in its file.

import { el } from "../../frame/live/dom.js";
import { keepFocus } from "../../frame/live/focus.js";
import { formatCount } from "../../frame/live/format.js";
import { giveLabels } from "../../frame/live/labels.js";
import { createOwnSampler } from "../../frame/live/lazy/own_sampler.js";
import { createSliderMap } from "../../frame/live/lazy/slider_map.js";
import { createLazySection, giveLazyModule } from "../../frame/live/lazy_section.js";
import { embed, isEmbedded } from "../live/embed.js";
import { createFiles } from "../live/files.js";
import { Live } from "../live/live.js";
import { createOwnText } from "../live/own_text.js";
import { PageEngine } from "../live/engines/page.js";
import { createProgram } from "../live/session/program.js";
import { Session } from "../live/session/session.js";

const node = (id) => /** @type {any} */ (document.getElementById(id));

/** Starts the page; `sheet` is the live component's style, `workers` has the address of the model's script. */
export default function ({ sheet, workers }) {
  const facts = JSON.parse(node("facts").textContent);
  const weights = node("weights").textContent;
  node("weights").remove(); // the worker has them from here on
  const engine = new PageEngine(new Worker(workers.model), { facts, weights });
  const session = new Session(engine, readAddress(facts), new Page(facts.model.name));
  const opened = session.answer(/** @type {LoopEvent} */ ({ kind: "state", branch: null }));
  globalThis.oneToken = createProgram(session, opened);
  giveLabels(facts.model.labels, facts.labels);
  giveLazyModule("slider_map", { createSliderMap, startWorker: () => new Worker(workers.map) });
  giveLazyModule("own_sampler", { createOwnSampler });
  opened.then(() => show(session, facts, sheet), refuse);
}

/** What is around the session in a file. @implements {SessionHost} */
class Page {
  /** @param {string} model the one that is in it */
  constructor(model) {
    this.model = model;
  }

  otherModel(name) {
    return `This file holds ${this.model} alone: open the link in the app for ${name}.`;
  }

  changed({ active: { seed } }) {
    node("seed").value = seed;
  }
}

/** What the address asks for: behind `?`, or behind `#` where a file is opened without one. */
function readAddress({ query }) {
  const said = location.search.slice(1) || location.hash.slice(1) || query;
  return Object.fromEntries(new URLSearchParams(said));
}

function refuse(error) {
  node("opening").textContent = error.message;
}

/** @param {Session} session */
function show(session, facts, sheet) {
  const place = node("live").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  node("opening").remove();
  if (isEmbedded()) embed(node("live"));
  const live = new Live(place, session);
  if (!isEmbedded()) place.append(createSampler(live), createFiles(session, ["csv", "json"]));
  keepFocus();
  session.page.changed();
  addEventListener("pagehide", () => session.rest());
  connectToolbar(session);
  const { name, n_parameters: nWeights } = facts.model;
  node("model").textContent = `${name}: ${formatCount(nWeights)} weights, trained on simple stories`;
  for (const id of ["toolbar", "foot"]) node(id).hidden = false;
  node("seed").value = session.active.seed;
}

/** The section in which a reader writes a sampler. @param {Live} live */
function createSampler(live) {
  const section = createLazySection(
    "Your own sampler: write one, and let it be judged",
    "own_sampler",
    (module) => module.createOwnSampler(createOwnText(live)),
  );
  return el("div", { class: "ott" }, section.element);
}

/** The switches of the page, and the seed of the text that is written. @param {Session} session */
function connectToolbar(session) {
  node("toolbar").addEventListener("submit", (event) => event.preventDefault());
  node("predict").addEventListener("change", ({ target }) => session.turn("hide_bars", target.checked));
  node("presenter").addEventListener("change", ({ target }) => {
    document.documentElement.classList.toggle("is-presenting", target.checked);
    session.turn("presenter", target.checked);
  });
  node("seed").addEventListener("change", ({ target }) => {
    if (target.reportValidity()) session.do({ kind: "seed", seed: target.valueAsNumber });
    else target.value = session.active.seed;
  });
}
