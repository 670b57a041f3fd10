// The run as files, and a saved run that is opened again.

import { createButton, el } from "../../../frame/live/dom.js";
import { fileOf } from "../session/saving.js";
import { reasonOf } from "../../../frame/live/errors.js";
import { saveFile } from "../../../frame/live/save_file.js";
import { _ } from "../../../frame/live/words.js";

/** @type {Record<string, {label: string, type: string}>} */
const KINDS = {
  csv: { label: _("Table, CSV"), type: "text/csv" },
  json: { label: _("All of it, JSON"), type: "application/json" },
  html: { label: _("Replay, HTML"), type: "text/html" },
  "live.html": { label: _("Live page, HTML"), type: "text/html" }, // with the model in it
};
const MARK = "\ufeff"; // for Excel

/**
 * The buttons that save and open a run.
 * @param {import("../session/session.js").Session} session
 * @param {string[]} kinds of files, out of KINDS
 */
export function createFiles(session, kinds) {
  const buttons = kinds.map((kind) => {
    const button = createButton("button", KINDS[kind].label, () => saveRun(session, kind, button));
    button.dataset.kind = kind;
    return button;
  });
  const file = el("input", { type: "file", accept: "application/json,.json", class: "file-input" });
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    file.value = ""; // the same file may be opened again
    if (chosen) await session.do({ kind: "open run", text: await readFile(chosen) });
  });
  return el(
    "section",
    { class: "files", "aria-label": _("Keep this run") },
    el("p", { class: "muted" }, _("Keep this run: the link reproduces it, the files record it.")),
    el("div", { class: "row" }, ...buttons, el("label", { class: "button" }, _("Open a saved run"), file)),
  );
}

const MAX_FILE = 20_000_000; // bytes

/** A file as text; one that is too large to be a run is none. @param {File} file */
function readFile(file) {
  return file.size > MAX_FILE ? Promise.resolve("") : file.text();
}

/**
 * @param {import("../session/session.js").Session} session
 * @param {string} kind
 * @param {HTMLButtonElement} button
 */
async function saveRun(session, kind, button) {
  button.disabled = true;
  try {
    const text = await fileOf(session, kind);
    const blob = new Blob([kind === "csv" ? MARK + text : text], { type: KINDS[kind].type });
    saveFile(blob, `one-token-at-a-time.${kind}`);
  } catch (error) {
    await session.do({ kind: "say", text: reasonOf(error) });
  } finally {
    button.disabled = false;
  }
}
