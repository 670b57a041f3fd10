// The one kind of switch: a box with its words.

import { el } from "../../../frame/live/dom.js";

/** Makes a switch. @param {string} name @param {string} says @param {(isOn: boolean) => void} change */
export function createSwitch(name, says, change) {
  const input = el("input", { type: "checkbox", onchange: () => change(input.checked) });
  return {
    element: el("label", { class: "switch", title: says }, input, name),
    input,
    get isOn() {
      return input.checked;
    },
    /** @param {boolean} isOn */
    set: (isOn) => (input.checked = isOn),
  };
}
