// The draw of the next token in the page: the same masks, coin and order as Python's, so that the
// token can be shown in the frame after the press.

import { drawToken, processLogits } from "./masks.js";
import { sameControls, settingsInForce } from "./protocol.js";

/** Draws the next token; the masks' result is kept for as long as nothing in it changes. */
export class NextDraw {
  constructor() {
    this.kept = null;
  }

  /**
   * The id that Next will append: the one that was taken back, while no setting has changed since,
   * or the one that the coin falls on. Null where Python must say.
   * @param {{present: object, controls: object, header: object}} state
   */
  idOf(state) {
    const { redo, coin, controls } = state.header;
    const isReplay = redo !== null && redo !== undefined && sameControls(state.controls, controls);
    return isReplay ? redo : (drawToken(this.result(state), coin)?.id ?? null);
  }

  /** Runs the masks on the present logits; called ahead, so that a press finds them done. */
  result({ present, controls, header }) {
    if (this.kept?.present === present && this.kept.controls === controls) return this.kept.result;
    const settings = settingsInForce(controls, header.orders);
    const result = processLogits(present, header.ids, header.n_prompt, settings);
    this.kept = { present, controls, result };
    return result;
  }
}
