// The entry: one Live per place in the page, with the server behind it.

import { mountOnce } from "../../frame/live/stale_updates.js";
import { embed, isEmbedded } from "./embed.js";
import { Live } from "./live.js";
import { ServerEngine } from "./server_engine.js";

/** What Streamlit mounts: it says where the tab's session is, and draws the page when it is told. */
class ServedLive {
  /** @param {ShadowRoot} place */
  constructor(place) {
    this.engine = new ServerEngine(() => this.component.setTriggerValue("outside", true));
    this.live = new Live(place, this.engine);
    if (isEmbedded()) embed(place.host);
  }

  /** Called with new data, or with the same data and a new theme. */
  receive(component) {
    this.component = component;
    this.engine.connect(component.data);
    this.live.schedule();
  }

  close() {
    this.live.close();
  }
}

export default mountOnce(ServedLive);
