// The tokens behind the last row of the bars, as a menu: the best of all can be chosen from it.

import { spoken } from "../../../frame/live/aloud.js";
import { createButton, setAttribute } from "../../../frame/live/dom.js";
import { formatProbability } from "../../../frame/live/format.js";
import { createMenu, openBeside } from "../controls/menu.js";
import { _ } from "../../../frame/live/words.js";

const MAX_LISTED = 100;

/** Makes the button of the last row and the menu that it opens. @param {Actions} actions */
export function createOthers(actions) {
  const menu = createMenu("menu others", _("Choose a token"));
  /** @type {() => HTMLElement[]} */
  let list = () => [];
  const button = createButton("bars-label", null, ({ detail }) => {
    menu.replaceChildren(...list());
    openBeside(menu, button, "above", detail > 0);
  });
  setAttribute(button, "aria-haspopup", "dialog");
  /** @param {BarsView} view @param {Result} result @param {number} row */
  const choice = (view, result, row) => {
    const id = result.idOf(row);
    const words = view.label(id);
    const share = formatProbability(result.stages[0].probs[row]);
    const item = createButton("menu-item", `${words}  ${share}`, () => {
      menu.hidePopover();
      actions.force(id);
    });
    item.translate = false;
    setAttribute(item, "aria-label", `${spoken(words)}, ${share}`);
    return item;
  };
  /**
   * Says what there is to choose from: the best tokens by raw logit, whatever a mask makes of them.
   * @param {BarsView} view
   * @param {Result} result
   */
  function offer(view, result) {
    const nListed = Math.min(MAX_LISTED, result.order.length);
    list = () => Array.from({ length: nListed }, (_, row) => choice(view, result, row));
  }
  return { button, menu, offer };
}
