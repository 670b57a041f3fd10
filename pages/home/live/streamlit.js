// The app's page around the session. The session outlives its figures: who comes back to the page from a
// lesson finds it as it was.

import { AwayEngine } from "./engines/away.js";
import { ServerEngine } from "./engines/server.js";
import { isGivenUp } from "../../frame/live/errors.js";
import { required } from "../../frame/live/required.js";
import { createProgram } from "./session/program.js";
import { Session } from "./session/session.js";

/** What Streamlit and the session ask of one another. @implements {SessionHost} */
class Streamlit {
  server = new ServerEngine();
  engine = new AwayEngine(this.server, {
    isAsked: new URLSearchParams(location.search).get("engine") === "page",
  });
  /** @type {Session|null} */
  #session = null;
  /** @type {Component|null} */
  #component = null;
  told = ""; // of the session, last
  model = ""; // that the session is on
  done = new Set(); // commands, by their ids

  get session() {
    return required(this.#session, "session yet");
  }

  get component() {
    return required(this.#component, "call of Streamlit yet");
  }

  /**
   * Takes what Streamlit says: where the server answers, which model, what it asks of the session.
   * @param {Component} component
   */
  receive(component) {
    this.#component = component;
    const { address, page_model: files, model, commands, presenter, hide_bars: hidesBars } = component.data;
    this.server.connect(address);
    this.engine.connect(files);
    if (this.#session === null) this.begin();
    else if (model !== this.model) this.carryOut({ kind: "model" });
    this.model = model;
    this.session.turn("presenter", presenter);
    this.session.turn("hide_bars", hidesBars);
    for (const { id, ...event } of commands) {
      if (!this.done.has(id)) this.carryOut(event);
      this.done.add(id);
    }
  }

  /** Does what Streamlit asks of the session; home may be left meanwhile. @param {Partial<LoopEvent>} event */
  carryOut(event) {
    this.session.do(event).catch((error) => {
      if (!isGivenUp(error)) throw error;
    });
  }

  begin() {
    const session = this.#session = new Session(this.engine, location.search, this);
    const opened = session.answer(/** @type {LoopEvent} */ ({ kind: "state", branch: null }));
    globalThis.oneToken = createProgram(session, opened);
    addEventListener("pagehide", () => session.rest());
  }

  /** Whether the model that is here is the one that a link asks for. @param {string} name */
  isModel(name) {
    return name === this.component.data.asked;
  }

  /** @param {string} name */
  wantsModel(name) {
    this.component.setTriggerValue("outside", { model: name });
  }

  /** What Streamlit shows of the session is told whenever it is another. @param {Session} session */
  changed({ active: { seed, chat } }) {
    const { shown } = this.component.data;
    const now = JSON.stringify({ seed, chat });
    if (now === JSON.stringify(shown) || now === this.told) return;
    this.told = now;
    this.component.setTriggerValue("outside", { seed, chat });
  }
}

export const streamlit = new Streamlit();
