// A saved page: the live component and its session on a recording.

import { el, find, setText } from "../../frame/live/dom.js";
import { formatCount, formatTokens } from "../../frame/live/format.js";
import { _, languageTag, listed, translateMarkup } from "../../frame/live/words.js";
import { giveLabels } from "../../frame/live/labels.js";
import { giveLazyModule } from "../../frame/live/lazy_module.js";
import { RecordingEngine } from "../live/engines/recording.js";
import { makePicture } from "../live/figures/picture_maker.js";
import { Live } from "../live/live.js";
import { Session } from "../live/session/session.js";

/** @type {Record<string, string>} */
const FINISHES = {
  eos: _("The model ended the text."),
  stop: _("A stop string ended the text."),
  length: _("The text reached its length limit."),
};

/** Shows the recorded run in the page; `sheet` is the live component's style. */
export default async function (/** @type {{ sheet: CSSStyleSheet }} */ { sheet }) {
  translateMarkup(document);
  giveLazyModule("picture_maker", { makePicture });
  /** @type {Run} */
  const run = JSON.parse(find(document, "#run").textContent);
  const place = find(document, "#live").attachShadow({ mode: "open" });
  place.adoptedStyleSheets = [sheet];
  const scrubber = new Scrubber(run);
  giveLabels(run.facts.model.labels, run.labels);
  new Live(place, scrubber.session);
  document.documentElement.classList.toggle("is-presenting", run.presenter);
  scrubber.session.turn("presenter", run.presenter);
  writeAround(run);
  await scrubber.session.do({ kind: "state" });
  scrubber.start();
}

/** The slider over all tokens. @implements {SessionHost} */
class Scrubber {
  slider = /** @type {HTMLInputElement} */ (document.getElementById("scrub"));
  isTurning = false;

  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    this.engine = new RecordingEngine(run);
    const query = { model: run.facts.model.name, seed: String(run.seed), chat: run.chat ? "1" : "0" };
    this.session = new Session(this.engine, query, this);
  }

  start() {
    const { slider, engine: { length } } = this;
    slider.max = String(length);
    slider.addEventListener("input", () => this.turn());
    addEventListener("beforeprint", () => {
      slider.value = slider.max;
      this.turn();
    });
    slider.disabled = false; // until here a hand on it would be lost
    this.changed();
  }

  /** Goes to the moment that the slider stands at; one that it passed meanwhile is left out. */
  async turn() {
    if (this.isTurning) return;
    this.isTurning = true;
    for (let left = this.left(); left !== 0; left = this.left()) {
      const { ids } = this.session.active;
      const event = left < 0
        ? { kind: "rewind", position: ids.length + left }
        : { kind: "finish", count: left };
      await this.session.do(event);
    }
    this.isTurning = false;
    this.changed();
  }

  left() {
    return Number(this.slider.value) - this.session.active.choices.length;
  }

  changed() {
    const { active: { choices: { length: n } } } = this.session;
    if (!this.isTurning) this.slider.value = String(n);
    setText(
      find(document, "#count"),
      _("{number} of {n_tokens}", {
        number: formatCount(n),
        n_tokens: formatTokens(this.engine.length),
      }),
    );
  }
}

/** @param {number} id @param {string} position */
const idAt = (id, position) => _("{id} at position {position}", { id, position });

/**
 * Writes what stands around the component: where the run is from, and what it takes to repeat it.
 * @param {Run} given
 */
function writeAround(
  { facts: { model }, prompt, ids, n_prompt: nPrompt, rows, finished, seed, created, versions },
) {
  const forced = ids.flatMap((_id, at) => rows.forced[at - nPrompt] ? [at] : []);
  const when = new Intl.DateTimeFormat(languageTag() === "en" ? "en-GB" : languageTag(), {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const title = _("{model} wrote {n_tokens}, one at a time", {
    model: model.name,
    n_tokens: formatTokens(rows.id.length),
  });
  setText(find(document, "#title"), title);
  setText(
    find(document, "#provenance"),
    [
      _("Recorded {time} UTC, on {device} in {dtype}, model {model}, seed {seed}.", {
        time: when.format(new Date(created)),
        device: model.device,
        dtype: model.dtype,
        model: model.name,
        seed,
      }),
      FINISHES[finished] ?? "",
    ].join(" ").trim(),
  );
  const again = [
    [_("model"), model.name],
    [_("seed"), String(seed)],
    [_("prompt"), prompt],
    [_("prompt ids"), ids.slice(0, nPrompt).join(" ")],
    [_("written ids"), ids.slice(nPrompt).join(" ")],
    [_("chosen"), listed(forced.map((at) => idAt(ids[at], formatCount(at)))) || _("none")],
    [_("versions"), listed(Object.entries(versions).map((pair) => pair.join(" ")))],
  ];
  const parts = again.flatMap(([name, text]) => [el("dt", {}, name), el("dd", { translate: false }, text)]);
  find(document, "#again").append(...parts);
}
