// The text of the page, as a sampler of the reader's own writes on it.

import { activeResult, lastStage } from "../../frame/live/strategies.js";
import { buildView } from "./view.js";

/** @param {import("./live.js").Live} live @returns {OwnText} */
export function createOwnText(live) {
  return {
    read() {
      const { header, present } = live;
      if (header === null || header.finished || present?.nRows !== present?.nVocab || !present) return null;
      const view = { ...buildView(live), distribution: present, toss: header.coin };
      const { probs } = lastStage(activeResult(view));
      return {
        logits: byId(present, present.rawStage.scores),
        probs: byId(present, probs),
        pointer: header.coin,
        label: live.label,
      };
    },
    async force(id) {
      const nBefore = live.header.ids.length;
      live.actions.force(id);
      while (!live.queue.isIdle) await new Promise(requestAnimationFrame);
      if (live.header.ids.length === nBefore) throw new Error("The page did not take the token.");
    },
  };
}

function byId({ ids, nVocab }, byRow) {
  const numbers = new Float64Array(nVocab);
  ids.forEach((id, row) => numbers[id] = byRow[row]);
  return numbers;
}
