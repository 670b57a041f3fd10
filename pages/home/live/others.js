// The tokens behind the last row of the bars, as a menu: the best of all can be forced from it.

import { createButton, el, spoken } from "../../frame/live/dom.js";
import { formatProbability } from "../../frame/live/format.js";
import { place } from "./menu.js";

const MAX_LISTED = 100;

/**
 * Makes the button of the last row and the menu that it opens.
 * @param {{force(id: number): void}} actions
 */
export function createOthers(actions) {
  const menu = el("div", {
    class: "menu others",
    popover: "auto",
    role: "dialog",
    "aria-label": "Force a token",
  });
  const button = el("button", { type: "button", class: "bars-label", "aria-haspopup": "dialog" });
  let list = () => [];
  let isByPointer = false;
  button.addEventListener("click", (event) => {
    isByPointer = event.detail > 0;
    menu.replaceChildren(...list());
    menu.showPopover();
    place(menu, button, "above");
    menu.querySelector("button").focus();
  });
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState !== "closed") return;
    if (isByPointer) button.blur(); // the keys drive the loop again
    else button.focus();
  });
  const choice = (view, result, row) => {
    const id = result.idOf(row);
    const words = view.label(id);
    const item = createButton(
      "menu-item",
      `${words}  ${formatProbability(result.stages[0].probs[row])}`,
      () => {
        menu.hidePopover();
        actions.force(id);
      },
    );
    item.setAttribute("aria-label", `force ${spoken(words)}`);
    return item;
  };
  /** Says what there is to choose from: the best tokens by raw logit, whatever a mask makes of them. */
  function offer(view, result) {
    const nListed = Math.min(MAX_LISTED, result.order.length);
    list = () => Array.from({ length: nListed }, (_, row) => choice(view, result, row));
  }
  return { button, menu, offer };
}
