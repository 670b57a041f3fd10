// The entry: one Live per place in the page.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { embed, isEmbedded } from "./controls/embed.js";
import { createFiles } from "./controls/files.js";
import { Live } from "./live.js";
import { streamlit } from "./streamlit.js";

/** What Streamlit mounts. */
class ServedLive {
  /** @param {ShadowRoot} place */
  constructor(place) {
    this.place = place;
  }

  /** Called with new data, or with the same data and a new theme. @param {Component} component */
  receive(component) {
    streamlit.receive(component);
    const { session } = streamlit;
    if (this.live === undefined) {
      this.live = new Live(this.place, session);
      if (isEmbedded()) embed(/** @type {HTMLElement} */ (this.place.host));
      else this.place.append(createFiles(session, component.data.kinds));
      session.page?.changed();
    }
    this.live.frames.schedule();
  }

  close() {
    this.live?.close();
  }
}

export default mountOnce(ServedLive);
