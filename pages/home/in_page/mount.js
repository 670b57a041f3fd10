// The page: the live component with the model itself behind it, and around it what Streamlit gives on the
// app's page. It asks for nothing: all that it needs is in its file.

import { keepFocus } from "../../frame/live/focus.js";
import { formatCount } from "../../frame/live/format.js";
import { giveLabels } from "../../frame/live/labels.js";
import { embed, isEmbedded } from "../live/embed.js";
import { Live } from "../live/live.js";
import { WorkerEngine } from "./engine.js";
import { createProgram } from "./program.js";
import { toCsv, toJson } from "./run_file.js";

const node = (id) => /** @type {any} */ (document.getElementById(id));

/** Starts the page; `sheet` is the live component's style, `workers` has the address of the model's script. */
export default function ({ sheet, workers }) {
  const facts = JSON.parse(node("facts").textContent);
  const weights = node("weights").textContent;
  node("weights").remove(); // the worker has them from here on
  const query = readAddress(facts);
  const engine = new WorkerEngine(workers.model, { weights, facts, query });
  globalThis.oneToken = createProgram(engine, facts);
  giveLabels(facts.model.labels, facts.labels);
  engine.ready.then(() => show(engine, facts, sheet), refuse);
}

/** What the address asks for: behind `?`, or behind `#` where a file is opened without one. */
function readAddress({ query }) {
  const said = location.search.slice(1) || location.hash.slice(1) || query;
  return Object.fromEntries(new URLSearchParams(said));
}

function refuse(error) {
  node("opening").textContent = error.message;
}

function show(engine, facts, sheet) {
  const place = node("live").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  node("opening").remove();
  if (isEmbedded()) embed(node("live"));
  new Live(place, engine);
  keepFocus();
  engine.page.changed();
  connectToolbar(engine);
  connectFiles(engine, facts);
  const { name, n_parameters: nWeights } = facts.model;
  node("model").textContent = `${name}: ${formatCount(nWeights)} weights, trained on simple stories`;
  for (const id of ["toolbar", "foot"]) node(id).hidden = false;
  engine.heard = ({ seed }) => node("seed").value = seed;
  engine.heard(engine.state.header);
}

/** The switches of the page, and the seed of the text that is written. */
function connectToolbar(engine) {
  node("toolbar").addEventListener("submit", (event) => event.preventDefault());
  node("predict").addEventListener("change", ({ target }) => engine.turn("hide_bars", target.checked));
  node("presenter").addEventListener("change", ({ target }) => {
    document.documentElement.classList.toggle("is-presenting", target.checked);
    engine.turn("presenter", target.checked);
  });
  node("seed").addEventListener("change", ({ target }) => {
    if (target.reportValidity()) engine.do({ kind: "seed", seed: target.valueAsNumber });
    else target.value = engine.state.header.seed;
  });
}

/** The run as files, one to be opened again. */
function connectFiles(engine, facts) {
  const header = () => engine.state.header;
  node("save-csv").addEventListener("click", () => save("csv", "text/csv", toCsv(header(), facts)));
  node("save-json").addEventListener(
    "click",
    () => save("json", "application/json", toJson(header(), facts)),
  );
  node("saved").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    target.value = ""; // the same file may be opened again
    if (file) await engine.do({ kind: "open run", text: await file.text() });
  });
}

/** Hands a file to the browser. */
function save(ending, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: `one-token-at-a-time.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address));
}
