// A saved page: the live component on a recording, which is its engine.

import { el, setText } from "../../frame/live/dom.js";
import { formatCount, formatTokens } from "../../frame/live/format.js";
import { giveLabels } from "../../frame/live/labels.js";
import { NO_MEMORY } from "../../frame/live/memory.js";
import { decodePayload } from "../../frame/live/payload.js";
import { activeSettings } from "../live/controls.js";
import { Live } from "../live/live.js";

const REFUSED = "This is a recording: it goes on only as it was written.";
const FINISHES = { eos: " The model ended the text.", length: " The text reached its length limit." };

/** Shows the recorded run in the page; `sheet` is the live component's style. */
export default function ({ sheet }) {
  const run = JSON.parse(document.getElementById("run").textContent);
  const place = document.getElementById("live").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  const scrubber = /** @type {HTMLInputElement} */ (document.getElementById("scrub"));
  const recording = new Recording(run, () => {
    scrubber.value = String(recording.n);
    setText(document.getElementById("count"), `${recording.n} of ${formatTokens(recording.length)}`);
  });
  giveLabels(run.header.model.labels, run.labels);
  new Live(place, recording);
  scrubber.max = String(recording.length);
  scrubber.addEventListener("input", () => recording.turnTo(Number(scrubber.value)));
  addEventListener("beforeprint", () => recording.turnTo(recording.length));
  writeAround(run);
  recording.turnTo(0);
  scrubber.disabled = false; // until here a hand on it would be lost
}

/** The run, at the moment after its first n tokens. @implements {Engine} */
class Recording {
  n = 0;
  inspecting = null; // the position that is looked back at
  whatIf = null; // the controls, where a slider was moved since the last token
  notice = null;

  /** @param {() => void} moved called when another moment is shown */
  constructor(run, moved) {
    this.run = run;
    this.moved = moved;
    this.positions = run.positions.map((text) =>
      decodePayload(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)))
    );
  }

  get length() {
    return this.positions.length;
  }

  /** @param {EngineListener} page */
  listen(page) {
    this.page = page;
  }

  /** Shows another moment. */
  turnTo(n) {
    this.goTo(n);
    this.page.changed();
  }

  goTo(n) {
    this.n = Math.max(0, Math.min(n, this.length));
    this.inspecting = this.whatIf = this.notice = null;
  }

  /** Does what the event asks for, as far as it was recorded. @type {Engine["answer"]} */
  answer({ kind, position, count, token_id: tokenId, controls, query }) {
    this.notice = null;
    const { n_prompt: nPrompt, ids } = this.run.header;
    const isNext = kind === "next" || (kind === "force" && tokenId === ids[nPrompt + this.n]);
    if (isNext) this.goTo(this.n + 1);
    else if (kind === "finish") this.goTo(this.n + count);
    else if (kind === "back") this.goTo(this.n - 1);
    else if (kind === "reset") this.goTo(0);
    else if (kind === "rewind") this.goTo(position - nPrompt);
    else if (kind === "again") this.goTo(lengthOf(query));
    else if (kind === "inspect" && (position === null || position >= nPrompt)) this.inspecting = position;
    else if (kind !== "state") {
      if (kind === "settings") this.whatIf = controls;
      this.notice = { kind: "info", text: REFUSED };
    }
    this.moved();
    return Promise.resolve(this.state());
  }

  /** What was so at this moment. @returns {State} */
  state() {
    const { run: { header, passes }, n } = this;
    const nIds = header.n_prompt + n;
    const isEnd = n === this.length;
    const steps = Object.fromEntries(
      Object.entries(header.steps).map(([name, column]) => [name, column.slice(0, n)]),
    );
    const next = this.positions[n] ?? this.positions.at(-1);
    const pass = passes[Math.min(n, passes.length - 1)];
    const { cache_tokens: tokens, cache_bytes: bytes, bytes_held } = pass;
    const past = this.look(this.inspecting ?? (isEnd && n > 0 ? nIds - 1 : null));
    const whole = {
      ...header,
      steps,
      ids: header.ids.slice(0, nIds),
      next_id: isEnd ? null : header.ids[nIds],
      finished: isEnd ? header.finished : null,
      coin: next?.header.coin ?? null,
      memory: next?.header.memory ?? NO_MEMORY,
      controls: this.whatIf ?? next?.header.controls ?? header.controls,
      logprob: steps.logprob.reduce((sum, logprob) => sum + logprob, 0),
      timing: pass,
      cache: { ...header.cache, tokens, bytes, bytes_held },
      distribution: next?.header ?? null,
      inspect: past?.header ?? null,
      notice: this.notice,
    };
    return { header: whole, arrays: { ...next?.arrays, ...past?.arrays } };
  }

  /** A past position as one is described that is looked back at. */
  look(position) {
    if (position === null) return null;
    const { ids, n_prompt: nPrompt, steps, orders } = this.run.header;
    const { header, arrays } = this.positions[position - nPrompt];
    const settings = activeSettings(header.controls, orders);
    const drawn = { position, token_id: ids[position], forced: steps.forced[position - nPrompt], settings };
    return {
      header: { ...header, ...drawn },
      arrays: Object.fromEntries(Object.entries(arrays).map(([name, array]) => [`inspect_${name}`, array])),
    };
  }
}

/** How many tokens the run of a link has: "12~seed:0;5~seed:0~temperature:1.2". */
function lengthOf(query) {
  const run = new URLSearchParams(query).get("run") ?? "";
  return run.split(";").reduce((n, segment) => n + (parseInt(segment) || 0), 0);
}

/** Writes what stands around the component: where the run is from, and what it takes to repeat it. */
function writeAround({ header, positions, seed, created, versions }) {
  const { model, ids, n_prompt: nPrompt, finished, steps } = header;
  const forced = ids.flatMap((_id, at) => steps.forced[at - nPrompt] ? [at] : []);
  const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  const title = `${model.name} wrote ${formatTokens(positions.length)}, one at a time`;
  setText(document.getElementById("title"), title);
  setText(
    document.getElementById("provenance"),
    `Recorded ${when.format(new Date(created))} UTC, on ${model.device} in ${model.dtype}, ` +
      `model ${model.name}, seed ${seed}.${FINISHES[finished] ?? ""}`,
  );
  const again = [
    ["model", model.name],
    ["seed", String(seed)],
    ["prompt", header.prompt],
    ["prompt ids", ids.slice(0, nPrompt).join(" ")],
    ["written ids", ids.slice(nPrompt).join(" ")],
    ["chosen", forced.map((at) => `${ids[at]} at position ${formatCount(at)}`).join(", ") || "none"],
    ["versions", Object.entries(versions).map((pair) => pair.join(" ")).join(", ")],
  ];
  const facts = again.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]);
  document.getElementById("again").append(...facts);
}
