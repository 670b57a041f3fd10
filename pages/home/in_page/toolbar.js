// What Streamlit's toolbar has on the app's page: the seed, and the switches of the page around the text. They stand
// among the component's own, behind "More".

import { el, find } from "../../frame/live/dom.js";
import { replaceAddress } from "../../frame/live/page_address.js";
import { _ } from "../../frame/live/words.js";
import { createSwitch } from "../live/controls/switch.js";

/** Has the address say whether a switch is on, for a reload. @param {string} name @param {boolean} isOn */
function sayInAddress(name, isOn) {
  const query = new URLSearchParams(location.search);
  if (isOn) query.set(name, "1");
  else query.delete(name);
  replaceAddress(`${location.pathname}?${query}`);
}

/**
 * Makes the seed's field and the switches.
 * @param {import("../live/session/session.js").Session} session
 * @param {import("./seed_field.js").SeedField} seed
 */
export function createToolbar(session, seed) {
  /** By their names in the address. @type {Record<string, (isOn: boolean) => void>} */
  const turns = {
    predict: (isOn) => session.turn("hide_bars", isOn),
    present(isOn) {
      document.documentElement.classList.toggle("is-presenting", isOn);
      session.turn("presenter", isOn);
    },
  };
  /** @param {string} name */
  const onPress = (name) => (/** @type {boolean} */ isOn) => {
    turns[name](isOn);
    sayInAddress(name, isOn);
  };
  /** @type {Record<string, ReturnType<typeof createSwitch>>} */
  const switches = {
    predict: createSwitch(_("Guess first"), "", onPress("predict")),
    present: createSwitch(_("Large type"), "", onPress("present")),
  };
  switches.predict.element.classList.add("guess-first");
  const label = el("label", { class: "row seed-label" }, _("Seed"), seed.input);
  return {
    /** @param {HTMLElement} root of the component */
    addTo(root) {
      find(root, ".extras > .switches").append(...Object.values(switches).map(({ element }) => element));
      find(root, ".extras > .foot").prepend(label);
    },
    /** Turns the switches as an address says. @param {URLSearchParams} said */
    turn(said, names = Object.keys(turns)) {
      for (const name of names) {
        switches[name].set(said.get(name) === "1");
        turns[name](switches[name].isOn);
      }
    },
  };
}
