// The draw of the next token in the page: the same masks, coin and order as Python's, so that the
// token can be shown in the frame after the press.

import { sameControls, settingsInForce } from "./protocol.js";
import { drawnToken, inForceResult } from "../../frame/live/strategies.js";

/**
 * The id that Next will append: the one that was taken back, while no setting has changed since, or
 * the one that the coin falls on. Null where Python must say.
 * @param {{present: object, controls: object, header: object}} state
 */
export function nextIdOf(state) {
  const { redo, coin, controls } = state.header;
  const isReplay = redo !== null && redo !== undefined && sameControls(state.controls, controls);
  return isReplay ? redo : (drawnToken(presentResult(state), coin)?.id ?? null);
}

/** What the masks in force make of the present logits; asked for ahead, a press finds it done. */
export function presentResult({ present, controls, header }) {
  const settings = settingsInForce(controls, header.orders);
  const place = { contextIds: header.ids, nPrompt: header.n_prompt };
  return inForceResult({ distribution: present, settings, ...place });
}
